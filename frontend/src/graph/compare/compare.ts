/**
 * What differs between two documents, node by node: what a canvas that shows both draws, and what a list of changes says.
 *
 * Nodes and notes are matched by id, edges by their ends. A node that is only elsewhere has moved; its place is no field.
 */
import type { Annotation, Graph, GraphEdge, GraphNode } from '@/graph/types'

export type ChangeKind = 'added' | 'removed' | 'changed' | 'moved'

/** One value of an item in both documents. The path is `title`, or `config.model`. */
export interface FieldPair {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

export interface ItemDifference<T> {
  readonly id: string
  readonly kind: ChangeKind
  readonly before: T | null
  readonly after: T | null
  /** What differs; of an item that is only in one document all it has. */
  readonly fields: readonly FieldPair[]
  /** What both have alike. */
  readonly same: readonly FieldPair[]
  /** It stands elsewhere, whatever else changed. */
  readonly moved: boolean
}

export type NodeDifference = ItemDifference<GraphNode>
export type NoteDifference = ItemDifference<Annotation>

export interface EdgeDifference {
  readonly id: string
  readonly kind: 'added' | 'removed'
  readonly edge: GraphEdge
}

export interface Comparison {
  readonly nodes: readonly NodeDifference[]
  readonly edges: readonly EdgeDifference[]
  readonly notes: readonly NoteDifference[]
  /** Everything else in the document: variables, budgets, approvers. */
  readonly document: readonly FieldPair[]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Whether two values say the same: the order of members does not count, and what is null is not there. */
export function sameValue(left: unknown, right: unknown): boolean {
  if (left === right || ((left ?? null) === null && (right ?? null) === null)) return true
  if (Array.isArray(left))
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => sameValue(item, right[index]))
    )
  if (!isRecord(left) || !isRecord(right)) return false
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
    sameValue(left[key], right[key]),
  )
}

/** Members that say which item it is or where it stands: they are no fields. */
const PLACES: ReadonlySet<string> = new Set(['id', 'position', 'size'])

/** The fields of an item by path: its members, of its configuration each setting by itself. */
function fieldsOf(item: Readonly<Record<string, unknown>> | null): Map<string, unknown> {
  const fields = new Map<string, unknown>()
  for (const [key, value] of Object.entries(item ?? {})) {
    if (PLACES.has(key) || (value ?? null) === null) continue
    if (key === 'config' && isRecord(value))
      for (const [name, inner] of Object.entries(value)) fields.set(`config.${name}`, inner)
    else fields.set(key, value)
  }
  return fields
}

function pairs(
  before: Readonly<Record<string, unknown>> | null,
  after: Readonly<Record<string, unknown>> | null,
): FieldPair[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  const paths = [...new Set([...now.keys(), ...old.keys()])]
  return paths.map((path) => ({ path, before: old.get(path), after: now.get(path) }))
}

type Placed = { readonly id: string; readonly position?: unknown; readonly size?: unknown }

function compareItem<T extends Placed>(before: T | null, after: T | null): ItemDifference<T> | null {
  const all = pairs(
    before as Readonly<Record<string, unknown>> | null,
    after as Readonly<Record<string, unknown>> | null,
  )
  const differs = (pair: FieldPair) => !sameValue(pair.before, pair.after)
  const fields = all.filter(differs)
  const moved =
    before !== null &&
    after !== null &&
    !(sameValue(before.position, after.position) && sameValue(before.size, after.size))
  const id = (after ?? before)?.id
  if (id === undefined || (before && after && fields.length === 0 && !moved)) return null
  const kind = !before ? 'added' : !after ? 'removed' : fields.length > 0 ? 'changed' : 'moved'
  return { id, kind, before, after, fields, same: all.filter((pair) => !differs(pair)), moved }
}

const ORDER: readonly ChangeKind[] = ['added', 'removed', 'changed', 'moved']

function compareItems<T extends Placed>(before: readonly T[], after: readonly T[]): ItemDifference<T>[] {
  const old = new Map(before.map((item) => [item.id, item]))
  const now = new Set(after.map((item) => item.id))
  const differences = [
    ...after.map((item) => compareItem(old.get(item.id) ?? null, item)),
    ...before.filter((item) => !now.has(item.id)).map((item) => compareItem(item, null)),
  ].filter((difference) => difference !== null)
  return ORDER.flatMap((kind) => differences.filter((difference) => difference.kind === kind))
}

export const endsOf = (edge: GraphEdge): string =>
  JSON.stringify([edge.source, edge.source_port, edge.target, edge.target_port])

function compareEdges(before: readonly GraphEdge[], after: readonly GraphEdge[]): EdgeDifference[] {
  const [old, now] = [new Set(before.map(endsOf)), new Set(after.map(endsOf))]
  return [
    ...after
      .filter((edge) => !old.has(endsOf(edge)))
      .map((edge) => ({ id: edge.id, kind: 'added' as const, edge })),
    ...before
      .filter((edge) => !now.has(endsOf(edge)))
      .map((edge) => ({ id: removedEdgeId(edge), kind: 'removed' as const, edge })),
  ]
}

/** What an edge that is gone is called beside those that are there, of which one may have its id. */
const removedEdgeId = (edge: GraphEdge): string => `removed:${edge.id}`

const LISTS: ReadonlySet<string> = new Set(['schema', 'nodes', 'edges', 'annotations'])

/** What turns `before` into `after`. */
export function compareGraphs(before: Graph, after: Graph): Comparison {
  const keys = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  return {
    nodes: compareItems(before.nodes, after.nodes),
    edges: compareEdges(before.edges, after.edges),
    notes: compareItems(before.annotations ?? [], after.annotations ?? []),
    document: keys
      .filter((key) => !LISTS.has(key) && !sameValue(before[key], after[key]))
      .map((path) => ({ path, before: before[path], after: after[path] })),
  }
}

/** How many things differ. */
export const countOf = ({ nodes, edges, notes, document }: Comparison): number =>
  nodes.length + edges.length + notes.length + document.length
