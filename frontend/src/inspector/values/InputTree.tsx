/**
 * What comes in: the values upstream of a node as a tree. A row is dragged into a field; with the keyboard Enter puts it
 * into the field that was focused last. Arrow keys walk the rows, left and right close and open them.
 */
import { ChevronDown, ChevronRight, GripVertical, Search, SlidersHorizontal } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import {
  childrenOf,
  glimpse,
  hasChildren,
  pathText,
  reference,
  type Scope,
  type ScopeGroup,
  type ScopeNode,
  startDrag,
  toPointer,
  typeOf,
  useInsert,
} from '@/forms'
import { useGraph } from '@/graph/context'
import { nodesById } from '@/graph/lookup'
import { nodeIcon, typeIcon } from '@/graph/nodes/icons'
import { useT } from '@/i18n'
import { cx, IconButton } from '@/ui'

interface Row {
  key: string
  level: number
  open: boolean | undefined
  group?: ScopeGroup
  node?: ScopeNode
}

/** sys, env and variables start closed: they are always there. */
const CLOSED = ['sys', 'env']

export function InputTree({ scope, onAnnounce }: { scope: Scope; onAnnounce?: (sentence: string) => void }) {
  const t = useT()
  const insert = useInsert()
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  const [searching, setSearching] = useState(false)
  const [query, setQuery] = useState('')
  const [time, setAt] = useState<string>()
  const list = useRef<HTMLDivElement>(null)
  const { rows, more } = useMemo(
    () => rowsOf(scope, turned, query.trim().toLowerCase()),
    [scope, turned, query],
  )
  const current = rows.some((row) => row.key === time) ? time : rows[0]?.key

  const turn = (row: Row) => {
    if (row.open === undefined) return
    const next = new Set(turned)
    if (next.has(row.key)) next.delete(row.key)
    else next.add(row.key)
    setTurned(next)
  }
  const use = (row: Row) => {
    if (!row.node) return turn(row)
    const field = insert(reference(row.node.path))
    onAnnounce?.(field === undefined ? t('inspector.no_field') : t('inspector.inserted', { field }))
  }
  const focusRow = (row: Row | undefined) => {
    if (!row) return
    setAt(row.key)
    list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(row.key)}"]`)?.focus()
  }
  const answer = (key: string, row: Row, index: number): (() => void) | undefined => {
    switch (key) {
      case 'ArrowDown':
        return () => focusRow(rows[index + 1])
      case 'ArrowUp':
        return () => focusRow(rows[index - 1])
      case 'ArrowRight':
        return () => (row.open === false ? turn(row) : focusRow(rows[index + 1]))
      case 'ArrowLeft':
        return () =>
          row.open ? turn(row) : focusRow(rows.slice(0, index).findLast((entry) => entry.level < row.level))
      case 'Enter':
        return () => use(row)
    }
  }
  const keys = (event: KeyboardEvent, row: Row, index: number) => {
    const act = event.metaKey || event.ctrlKey ? undefined : answer(event.key, row, index)
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  return (
    <section className="inspector-tree" aria-label={t('inspector.input')}>
      <div className="inspector-section-head">
        <h3>{t('inspector.input')}</h3>
        <span className="text-xs text-muted">{t('inspector.drag_hint')}</span>
        <IconButton
          size="small"
          label={t('inspector.search_values')}
          aria-pressed={searching}
          onClick={() => {
            setSearching(!searching)
            setQuery('')
          }}
        >
          <Search aria-hidden />
        </IconButton>
      </div>
      {searching ? (
        <div className="input mx-2 mb-1 w-auto">
          <Search aria-hidden />
          <input
            // biome-ignore lint/a11y/noAutofocus: it appears because its button was pressed
            autoFocus
            value={query}
            aria-label={t('inspector.search_values')}
            onChange={(event) => setQuery(event.target.value)}
          />
        </div>
      ) : null}
      {rows.length === 0 ? (
        <p className="field-hint px-2">{query ? t('inspector.no_match') : t('inspector.nothing_upstream')}</p>
      ) : null}
      <div className="tree" role="tree" ref={list} aria-label={t('inspector.input')}>
        {rows.map((row, index) => (
          <TreeRow
            key={row.key}
            row={row}
            focusable={row.key === current}
            onFocus={() => setAt(row.key)}
            onKeyDown={(event) => keys(event, row, index)}
            onTurn={() => turn(row)}
            onUse={() => use(row)}
          />
        ))}
      </div>
      {more > 0 ? <p className="field-hint px-2">{t('inspector.more_upstream', { n: more })}</p> : null}
    </section>
  )
}

interface TreeRowProps {
  row: Row
  focusable: boolean
  onFocus: () => void
  onKeyDown: (event: KeyboardEvent) => void
  onTurn: () => void
  onUse: () => void
}

function TreeRow({ row, focusable, onFocus, onKeyDown, onTurn, onUse }: TreeRowProps) {
  const t = useT()
  const { node, group } = row
  const words = {
    items: (n: number) => t('common.tree_items', { n }),
    fields: (n: number) => t('common.tree_fields', { n }),
  }
  const owner = useGraph((state) =>
    group ? nodesById(state.graph).get(group.key.replace('frame:', '')) : undefined,
  )
  const Icon = !group
    ? undefined
    : owner
      ? nodeIcon(owner)
      : group.nodeType
        ? typeIcon(group.nodeType)
        : SlidersHorizontal
  const note = group
    ? (group.note ?? (row.open ? '' : t('inspector.values_n', { n: group.names.length })))
    : ''
  const value = node ? (node.value === undefined ? typeOf(node) : glimpse(node.value, words)) : note
  return (
    <div
      role="treeitem"
      tabIndex={focusable ? 0 : -1}
      aria-level={row.level + 1}
      aria-expanded={row.open}
      data-key={row.key}
      className={cx('tree-row inspector-tree-row', node && 'inspector-tree-value')}
      style={{ paddingLeft: 8 + row.level * 16 }}
      title={node?.description}
      draggable={node !== undefined}
      onDragStart={(event) => {
        if (node) startDrag(event.dataTransfer, node.path)
      }}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onClick={onTurn}
      onDoubleClick={node ? onUse : undefined}
    >
      {row.open === undefined ? (
        <span className="w-3 shrink-0" />
      ) : row.open ? (
        <ChevronDown aria-hidden />
      ) : (
        <ChevronRight aria-hidden />
      )}
      {Icon ? <Icon aria-hidden className="inspector-tree-icon" /> : null}
      <span className={group ? 'tree-name' : 'inspector-tree-name'}>{group ? group.title : node?.name}</span>
      <span
        className={cx('tree-value', group && 'inspector-tree-note')}
        data-unseen={node?.value === undefined && node !== undefined}
      >
        {value}
      </span>
      {node ? <GripVertical aria-hidden className="inspector-grip" /> : null}
    </div>
  )
}

const MOST_ROWS = 500
/** Nodes listed, nearest first; the search goes through all. */
const MOST_GROUPS = 50

function rowsOf(scope: Scope, turned: ReadonlySet<string>, query: string): { rows: Row[]; more: number } {
  const rows: Row[] = []
  const nodes = scope.groups.filter((group) => group.nodeType !== undefined)
  const far = new Set(query === '' ? nodes.slice(MOST_GROUPS) : [])
  const add = (node: ScopeNode, level: number) => {
    if (rows.length >= MOST_ROWS) return
    const key = toPointer(node.path)
    const children = hasChildren(node)
    const open = children ? turned.has(key) : undefined
    rows.push({ key, level, open, node })
    if (open) for (const child of childrenOf(node)) add(child, level + 1)
  }
  for (const group of scope.groups) {
    if (far.has(group) || rows.length >= MOST_ROWS) continue
    const names = query === '' ? group.names : group.names.filter((node) => matches(node, group, query))
    if (names.length === 0) continue
    const key = `group ${group.key}`
    const open = query !== '' || CLOSED.includes(group.key) === turned.has(key)
    rows.push({ key, level: 0, open, group })
    if (open) for (const node of names) add(node, 1)
  }
  return { rows, more: far.size }
}

function matches(node: ScopeNode, group: ScopeGroup, query: string): boolean {
  if (pathText(node.path).toLowerCase().includes(query) || group.title.toLowerCase().includes(query))
    return true
  if (typeof node.value === 'string') return node.value.slice(0, 2000).toLowerCase().includes(query)
  return childrenOf(node).some((child) => child.name.toLowerCase().includes(query))
}
