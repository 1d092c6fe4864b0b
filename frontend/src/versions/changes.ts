/** A comparison as the list that people go through: nodes by what became of them, edges, notes, the rest. */
import type {
  ChangeKind,
  Comparison,
  EdgeDifference,
  FieldPair,
  NodeDifference,
  NoteDifference,
} from '@/graph/compare/compare'
import { titleOf } from '@/graph/nodes/describe'
import type { Graph, NodeTypes } from '@/graph/types'
import type { Translate } from '@/i18n'
import { visible } from '@/ui'

export type Change =
  | { readonly of: 'node'; readonly key: string; readonly item: NodeDifference }
  | { readonly of: 'edge'; readonly key: string; readonly item: EdgeDifference }
  | { readonly of: 'note'; readonly key: string; readonly item: NoteDifference }
  | { readonly of: 'document'; readonly key: string; readonly item: FieldPair }

export type Group = ChangeKind | 'edges' | 'notes' | 'document'

export const GROUPS: readonly Group[] = ['added', 'removed', 'changed', 'moved', 'edges', 'notes', 'document']

export const groupOf = (change: Change): Group =>
  change.of === 'node'
    ? change.item.kind
    : change.of === 'edge'
      ? 'edges'
      : change.of === 'note'
        ? 'notes'
        : 'document'

/** All changes, in the order in which they are listed and gone through. */
export function changesOf({ nodes, edges, notes, document }: Comparison): Change[] {
  return [
    ...nodes.map((item) => ({ of: 'node' as const, key: `node:${item.id}`, item })),
    ...edges.map((item) => ({ of: 'edge' as const, key: `edge:${item.id}`, item })),
    ...notes.map((item) => ({ of: 'note' as const, key: `note:${item.id}`, item })),
    ...document.map((item) => ({ of: 'document' as const, key: `document:${item.path}`, item })),
  ]
}

/** The mark of a kind of change. It stands before the word, never in its place. */
export const MARKS: Readonly<Record<ChangeKind, string>> = {
  added: '+',
  removed: '−',
  changed: '~',
  moved: '⇄',
}

/** What became of it; the rest of a document has changed. */
export const kindOf = (change: Change): ChangeKind =>
  change.of === 'document' ? 'changed' : change.item.kind

export function kindWord(kind: ChangeKind, t: Translate): string {
  return t(`versions.kind_${kind}`)
}

export interface Names {
  readonly before: Graph
  readonly after: Graph
  readonly types: NodeTypes
}

/** The title of a node as the later document has it, else as the earlier one had. */
export function nodeTitle(id: string, { before, after, types }: Names): string {
  const node = after.nodes.find((each) => each.id === id) ?? before.nodes.find((each) => each.id === id)
  return node ? titleOf(node, types) : visible(id)
}

const KEYS = ['variables', 'budgets', 'concurrency', 'approvers', 'language', 'env', 'mcp_servers'] as const

/** What a part of the document is called. */
export function documentWord(path: string, t: Translate): string {
  const known = KEYS.find((key) => key === path)
  return known ? t(`versions.key_${known}`) : visible(path)
}

/** What a change is called in the list. */
export function titleOfChange(change: Change, names: Names, t: Translate): string {
  switch (change.of) {
    case 'node':
      return nodeTitle(change.item.id, names)
    case 'edge': {
      const { source, source_port, target } = change.item.edge
      const port = source_port === 'out' ? '' : ` (${visible(source_port)})`
      return `${nodeTitle(source, names)}${port} → ${nodeTitle(target, names)}`
    }
    case 'note': {
      const text = (change.item.after ?? change.item.before)?.text.split('\n')[0]?.trim()
      return text ? visible(text).slice(0, 60) : t('versions.empty_note')
    }
    case 'document':
      return documentWord(change.item.path, t)
  }
}

/** At the end of its row: how many fields differ, or what became of an edge or a note. */
export function asideOf(change: Change, t: Translate): string {
  if (change.of === 'document') return ''
  const { kind } = change.item
  if (kind === 'changed' && change.of !== 'edge')
    return t('versions.fields', { n: change.item.fields.length })
  return change.of === 'node' ? '' : kindWord(kind, t)
}

const FIELDS = [
  'title',
  'type',
  'v',
  'parent',
  'disabled',
  'pinned',
  'notes',
  'on_error',
  'retry',
  'timeout_s',
] as const
const NOTE_FIELDS = ['text', 'color', 'kind'] as const

/** What a field is called: a setting as its form calls it, everything else as the inspector does. */
export function fieldWord(path: string, type: string | undefined, types: NodeTypes, t: Translate): string {
  const known = [...FIELDS, ...NOTE_FIELDS].find((name) => name === path)
  if (known) return t(`versions.field_${known}`)
  const name = path.replace(/^config\./, '')
  const properties = type === undefined ? undefined : types.get(type)?.config_schema.properties
  const { title } = ((properties as Record<string, unknown> | undefined)?.[name] ?? {}) as { title?: unknown }
  return typeof title === 'string' && title ? title : visible(name)
}
