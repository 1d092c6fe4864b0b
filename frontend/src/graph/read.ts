/**
 * A document as it came from the server, made safe to draw: drafts may be invalid, and nothing here may trust them.
 *
 * What is missing gets its default, what has no id or a second one gets its own; entries that are no objects are left
 * out. A document that is well formed comes back as it is.
 */
import { freeId } from './ids'
import type { Annotation, Graph, GraphEdge, GraphNode, Point } from './types'

type Loose = Record<string, unknown>

const isLoose = (value: unknown): value is Loose =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const text = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise

function isPoint(value: unknown): value is Point {
  return isLoose(value) && Number.isFinite(value.x) && Number.isFinite(value.y)
}

function unique(taken: Set<string>, id: string): string {
  const free = taken.has(id) ? freeId(taken, id) : id
  taken.add(free)
  return free
}

function readNode(value: Loose, index: number, taken: Set<string>): GraphNode {
  const id = unique(taken, text(value.id, `node_${index + 1}`))
  const whole =
    id === value.id && isPoint(value.position) && isLoose(value.config) && typeof value.type === 'string'
  if (whole && typeof value.v === 'number') return value as unknown as GraphNode
  return {
    ...value,
    id,
    type: text(value.type, 'unknown'),
    v: typeof value.v === 'number' ? value.v : 1,
    position: isPoint(value.position)
      ? value.position
      : { x: (index % 4) * 228, y: Math.floor(index / 4) * 120 },
    config: isLoose(value.config) ? value.config : {},
  }
}

function readEdge(value: Loose, index: number, taken: Set<string>): GraphEdge {
  const id = unique(taken, text(value.id, `e${index + 1}`))
  const whole =
    id === value.id &&
    ['source', 'source_port', 'target', 'target_port'].every((key) => typeof value[key] === 'string')
  if (whole) return value as unknown as GraphEdge
  return {
    ...value,
    id,
    source: text(value.source, ''),
    source_port: text(value.source_port, 'out'),
    target: text(value.target, ''),
    target_port: text(value.target_port, 'in'),
  }
}

function readAnnotation(value: Loose, index: number, taken: Set<string>): Annotation {
  const id = unique(taken, text(value.id, `note${index + 1}`))
  const size = isLoose(value.size) ? value.size : {}
  const whole =
    id === value.id && isPoint(value.position) && Number.isFinite(size.width) && Number.isFinite(size.height)
  if (whole && typeof value.text === 'string') return value as unknown as Annotation
  return {
    ...value,
    id,
    kind: value.kind === 'group' ? 'group' : 'note',
    text: text(value.text, ''),
    position: isPoint(value.position) ? value.position : { x: 0, y: 0 },
    size: { width: Number(size.width) || 220, height: Number(size.height) || 120 },
  }
}

function readList<T>(value: unknown, read: (item: Loose, index: number, taken: Set<string>) => T): T[] {
  const taken = new Set<string>()
  const list = Array.isArray(value) ? value : []
  const items = list.filter(isLoose)
  const results = items.map((item, index) => read(item, index, taken))
  const same =
    results.length === list.length && results.every((item, index) => (item as unknown) === list[index])
  return same && Array.isArray(value) ? (value as T[]) : results
}

/** The document to draw and edit. */
export function readGraph(document: unknown): Graph {
  const loose = isLoose(document) ? document : {}
  return {
    ...loose,
    schema: 1,
    nodes: readList(loose.nodes, readNode),
    edges: readList(loose.edges, readEdge),
    ...('annotations' in loose ? { annotations: readList(loose.annotations, readAnnotation) } : {}),
  }
}
