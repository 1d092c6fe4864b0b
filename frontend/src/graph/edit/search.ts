/** Find and replace in a document: titles, types, configuration with its values, notes; and what the last run gave. */

import { subtitleOf, titleOf } from '@/graph/nodes/describe'
import type { Annotation, Graph, GraphNode, NodeTypes } from '@/graph/types'

export interface Hit {
  readonly kind: 'node' | 'annotation'
  readonly id: string
  readonly node?: GraphNode
  /** Where in it, and the text around the match; absent where its title or type has the match. */
  readonly place?: string
  readonly excerpt?: string
}

/** A key or a value below something, with the way there as people write it: `arguments.text`. */
interface TextMatch {
  readonly place: string
  readonly text: string
}

/** How much stands before a match in its excerpt. */
const BEFORE = 12
const AROUND = 60

function* textsIn(value: unknown, place = ''): Generator<TextMatch> {
  if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      const below = place ? `${place}.${key}` : key
      if (!Array.isArray(value)) yield { place: below, text: key }
      yield* textsIn(inner, below)
    }
  } else if (value !== null && value !== undefined) yield { place, text: String(value) }
}

function findIn(value: unknown, query: string): TextMatch | undefined {
  for (const item of textsIn(value)) if (item.text.toLowerCase().includes(query)) return item
  return undefined
}

function excerptOf(text: string, query: string): string {
  const index = Math.max(0, text.toLowerCase().indexOf(query) - BEFORE)
  const part = text.slice(index, index + AROUND).replaceAll(/\s+/g, ' ')
  return `${index > 0 ? '…' : ''}${part}${index + AROUND < text.length ? '…' : ''}`
}

/** What a node has that was written into it, without its place, its type and its title. */
function written(node: GraphNode): Record<string, unknown> {
  const { notes, pinned, config } = node
  return { ...config, ...(notes ? { notes } : {}), ...(pinned ? { pinned } : {}) }
}

const OTHER = 3

function hitIn(
  node: GraphNode,
  types: NodeTypes,
  query: string,
  ran: (node: string) => unknown,
): { hit: Hit; rank: number } | undefined {
  const hit: Hit = { kind: 'node', id: node.id, node }
  const title = titleOf(node, types).toLowerCase()
  if (title.startsWith(query)) return { hit, rank: 0 }
  if (title.includes(query)) return { hit, rank: 1 }
  const { lead, tail } = subtitleOf(node)
  const about = `${node.id} ${node.type} ${types.get(node.type)?.title ?? ''} ${lead}/${tail}`
  if (about.toLowerCase().includes(query)) return { hit, rank: 2 }
  const match = findIn(written(node), query) ?? findIn(ran(node.id), query)
  if (!match) return undefined
  return { hit: { ...hit, place: match.place, excerpt: excerptOf(match.text, query) }, rank: OTHER }
}

const noteHit = (item: Annotation, query: string): Hit => ({
  kind: 'annotation',
  id: item.id,
  excerpt: excerptOf(item.text, query),
})

/**
 * What has the text in it, best first: titles that begin with it, titles, types and ids, configuration and values, notes.
 * `ran` gives what a node took and gave in the run that is shown.
 */
export function findInGraph(
  graph: Graph,
  types: NodeTypes,
  query: string,
  ran: (node: string) => unknown = () => undefined,
): readonly Hit[] {
  const needle = query.trim().toLowerCase()
  if (!needle) return []
  const hits = graph.nodes.flatMap((node) => hitIn(node, types, needle, ran) ?? [])
  const notes = (graph.annotations ?? []).filter((item) => item.text.toLowerCase().includes(needle))
  return [
    ...hits.sort((left, right) => left.rank - right.rank).map(({ hit }) => hit),
    ...notes.map((item) => noteHit(item, needle)),
  ]
}

const literal = (query: string): RegExp => new RegExp(query.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi')

/** Every text below `value` with the matches replaced; the same value where there are none. Keys stay. */
function replaced<T>(value: T, pattern: RegExp, by: string): T {
  if (typeof value === 'string') return value.replaceAll(pattern, () => by) as T
  if (value === null || typeof value !== 'object') return value
  const before = Object.entries(value)
  const after = before.map(([key, inner]) => [key, replaced(inner, pattern, by)] as const)
  if (after.every(([, inner], index) => inner === before[index]?.[1])) return value
  return (Array.isArray(value) ? after.map(([, inner]) => inner) : Object.fromEntries(after)) as T
}

function countIn(value: unknown, pattern: RegExp): number {
  if (typeof value === 'string') return value.match(pattern)?.length ?? 0
  if (value === null || typeof value !== 'object') return 0
  return Object.values(value).reduce((sum: number, inner) => sum + countIn(inner, pattern), 0)
}

/** How often the text stands where it can be replaced, in everything or in what has one of these ids. */
export function countMatches(graph: Graph, query: string, only?: string): number {
  if (!query.trim()) return 0
  const pattern = literal(query.trim())
  const chosen = (item: { id: string }) => only === undefined || item.id === only
  const nodes = graph.nodes.filter(chosen).map(({ title, notes, config }) => [title, notes, config])
  const notes = (graph.annotations ?? []).filter(chosen).map((item) => item.text)
  return countIn([nodes, notes], pattern)
}

/** The text replaced in titles, notes and configuration, in everything or in what has this id. Ids and types stay. */
export function replaceInGraph(graph: Graph, query: string, by: string, only?: string): Graph {
  if (!query.trim()) return graph
  const pattern = literal(query.trim())
  const chosen = (item: { id: string }) => only === undefined || item.id === only
  const nodes = graph.nodes.map((node) => {
    if (!chosen(node)) return node
    const { title, notes, config } = node
    const before = { title, notes, config }
    const after = replaced(before, pattern, by)
    if (after === before) return node
    const next: GraphNode = { ...node, config: after.config }
    if (title !== undefined) next.title = after.title
    if (notes !== undefined) next.notes = after.notes
    return next
  })
  if (!graph.annotations) return { ...graph, nodes }
  const annotations = graph.annotations.map((item) => {
    const text = chosen(item) ? replaced(item.text, pattern, by) : item.text
    return text === item.text ? item : { ...item, text }
  })
  return { ...graph, nodes, annotations }
}
