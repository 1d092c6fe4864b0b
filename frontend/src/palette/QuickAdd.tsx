/** The menu that adds a node where an edge was dropped, or after `/`: type, arrows, Enter. */
import { Search } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import { nodeIcon } from '@/graph/nodes/icons'
import type { NodeTemplate } from '@/graph/nodes/templates'
import type { Point } from '@/graph/types'
import { listOf, useT } from '@/i18n'
import { cx, useTypedAhead } from '@/ui'
import { type Entry, filterEntries, useEntries } from './catalog'

const WIDTH = 320
const HEIGHT = 360
const MOST = 60

export interface QuickAddProps {
  /** Where it opens, in the window. */
  readonly at: Point
  /** Only tools, and it stays open for more of them. */
  readonly tools?: boolean
  /** Only tools, of which one is added. */
  readonly only?: boolean | undefined
  readonly onPick: (template: NodeTemplate) => void
  readonly onClose: () => void
}

const isTool = (entry: Entry): boolean => entry.key.startsWith('tool:')

interface OptionProps {
  readonly id: string
  readonly entry: Entry
  readonly index: number
  readonly active: boolean
  readonly onPoint: () => void
  readonly onPick: () => void
}

function Option({ id, entry, index, active, onPoint, onPick }: OptionProps) {
  const Icon = nodeIcon(entry.template)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard moves in the field above
    <div
      id={id}
      data-index={index}
      role="option"
      tabIndex={-1}
      aria-selected={active}
      className={cx('menu-item', active && 'bg-hover')}
      onPointerMove={onPoint}
      onClick={onPick}
    >
      <Icon aria-hidden />
      <span className={cx('truncate', isTool(entry) && 'font-mono text-sm')}>{entry.title}</span>
      <span className="ml-auto flex-none pl-2 text-xs text-muted">{entry.about}</span>
    </div>
  )
}

/** Closes when a person presses elsewhere. */
function usePressedAway(box: RefObject<HTMLElement | null>, onClose: () => void) {
  useEffect(() => {
    const away = (event: PointerEvent) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) onClose()
    }
    window.addEventListener('pointerdown', away, true)
    return () => window.removeEventListener('pointerdown', away, true)
  }, [box, onClose])
}

/** Nothing fits, or what would fit is still being read. */
function Nothing({ all }: { readonly all: boolean }) {
  const t = useT()
  return <p className="px-2 py-3 text-sm text-muted">{t(all ? 'palette.empty' : 'palette.loading')}</p>
}

/** What was added so far, while the menu stays open. */
function Added({ titles }: { readonly titles: readonly string[] }) {
  const t = useT()
  return (
    <p role="status" className="px-3 py-1.5 text-xs text-muted empty:hidden">
      {titles.length > 0 ? t('palette.quick_added', { tools: listOf(titles) }) : null}
    </p>
  )
}

export function QuickAdd({ at, tools = false, only = tools, onPick, onClose }: QuickAddProps) {
  const t = useT()
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const [added, setAdded] = useState<readonly string[]>([])
  const { entries, all } = useEntries()
  const shown = useMemo(
    () => filterEntries(only ? entries.filter(isTool) : entries, query).slice(0, MOST),
    [entries, only, query],
  )
  usePressedAway(box, onClose)

  useEffect(() => {
    box.current?.querySelector(`[data-index="${active}"]`)?.scrollIntoView?.({ block: 'nearest' })
  }, [active])

  const pick = (index: number) => {
    const entry = shown[index]
    if (!entry) return
    onPick(entry.template)
    if (!tools) return
    setAdded([...new Set([...added, entry.title])])
    setQuery('')
    setActive(0)
  }
  // what fits best is known once everything is: until then Enter waits, unless the arrows chose
  const setDue = useTypedAhead(setQuery, () => pick(0), all)
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    setDue(false)
    const last = shown.length - 1
    if (event.key === 'ArrowDown') setActive(active >= last ? 0 : active + 1)
    else if (event.key === 'ArrowUp') setActive(active <= 0 ? last : active - 1)
    else if (event.key === 'Enter' && active === 0 && query && !all) setDue(true)
    else if (event.key === 'Enter') pick(active)
    else if (event.key === 'Escape' || event.key === 'Tab') onClose()
    else return
    event.preventDefault()
  }
  const left = Math.max(8, Math.min(at.x, window.innerWidth - WIDTH - 8))
  const top = Math.max(8, Math.min(at.y, window.innerHeight - HEIGHT - 8))
  return (
    <div
      ref={box}
      className="pop fixed flex flex-col"
      role="dialog"
      aria-label={t(tools ? 'canvas.add_tools' : 'palette.quick_label')}
      style={{ left, top, width: WIDTH, maxHeight: HEIGHT }}
    >
      <div className="border-b border-line p-1.5">
        <div className="input">
          <Search aria-hidden />
          <input
            // biome-ignore lint/a11y/noAutofocus: the menu was just asked for
            autoFocus
            role="combobox"
            aria-expanded
            aria-controls={id}
            aria-activedescendant={shown[active] ? `${id}-${active}` : undefined}
            aria-label={t('palette.quick_placeholder')}
            placeholder={t('palette.quick_placeholder')}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value)
              setActive(0)
            }}
            onKeyDown={keys}
          />
        </div>
      </div>
      <div
        id={id}
        role="listbox"
        aria-label={t('palette.label')}
        aria-busy={!all || undefined}
        className="min-h-0 flex-1 overflow-auto p-1"
      >
        {shown.length === 0 ? <Nothing all={all} /> : null}
        {shown.map((entry, index) => (
          <Option
            key={entry.key}
            id={`${id}-${index}`}
            entry={entry}
            index={index}
            active={index === active}
            onPoint={() => setActive(index)}
            onPick={() => pick(index)}
          />
        ))}
      </div>
      {tools ? <Added titles={added} /> : null}
    </div>
  )
}
