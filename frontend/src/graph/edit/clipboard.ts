/** Copy and paste as JSON text, so that it works between workflows, tabs and chat windows. */
import { renameReferences } from '@/graph/expressions'
import { freeId, newIds, nodeIds, slug } from '@/graph/ids'
import { descendants } from '@/graph/layout/geometry'
import type { Annotation, Graph, GraphEdge, GraphNode, Point, Selection } from '@/graph/types'

const FORMAT = 'patchbay/nodes'

export interface Clip {
  format: typeof FORMAT
  nodes: GraphNode[]
  edges: GraphEdge[]
  annotations: Annotation[]
}

/** What is selected as a clip: frames with their children, edges whose two ends are in it. Null when nothing is. */
export function clipOf(graph: Graph, selection: Selection): Clip | null {
  const ids = new Set([...selection.nodes, ...descendants(graph, selection.nodes)])
  const notes = new Set(selection.annotations)
  const nodes = graph.nodes.filter((node) => ids.has(node.id))
  const annotations = (graph.annotations ?? []).filter((item) => notes.has(item.id))
  if (nodes.length + annotations.length === 0) return null
  const edges = graph.edges.filter((edge) => ids.has(edge.source) && ids.has(edge.target))
  return { format: FORMAT, nodes, edges, annotations }
}

/** The text for the clipboard; null when nothing is selected. */
export function copyText(graph: Graph, selection: Selection): string | null {
  const clip = clipOf(graph, selection)
  return clip ? JSON.stringify(clip, null, 2) : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function isPoint(value: unknown): value is Point {
  return isRecord(value) && Number.isFinite(value.x) && Number.isFinite(value.y)
}

function isNode(value: unknown): value is GraphNode {
  return (
    isRecord(value) &&
    typeof value.id === 'string' &&
    typeof value.type === 'string' &&
    isPoint(value.position) &&
    isRecord(value.config)
  )
}

function isEdge(value: unknown): value is GraphEdge {
  return (
    isRecord(value) &&
    ['id', 'source', 'source_port', 'target', 'target_port'].every((key) => typeof value[key] === 'string')
  )
}

function isAnnotation(value: unknown): value is Annotation {
  return (
    isRecord(value) &&
    typeof value.id === 'string' &&
    (value.kind === 'note' || value.kind === 'group') &&
    typeof value.text === 'string' &&
    isPoint(value.position) &&
    isRecord(value.size) &&
    Number.isFinite(value.size.width) &&
    Number.isFinite(value.size.height)
  )
}

/** A clip from text: what `copyText` wrote, or a whole graph document. Null for anything else. */
export function parseClip(text: string): Clip | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isRecord(value) || !(value.format === FORMAT || value.schema === 1)) return null
  if (!Array.isArray(value.nodes) || !value.nodes.every(isNode)) return null
  const edges = Array.isArray(value.edges) ? value.edges.filter(isEdge) : []
  const annotations = Array.isArray(value.annotations) ? value.annotations.filter(isAnnotation) : []
  return value.nodes.length + annotations.length > 0
    ? { format: FORMAT, nodes: value.nodes, edges, annotations }
    : null
}

function origin(clip: Clip): Point {
  const points = [...clip.nodes, ...clip.annotations].map((item) => item.position)
  return { x: Math.min(...points.map((point) => point.x)), y: Math.min(...points.map((point) => point.y)) }
}

/** Ids of the clip → ids in the graph. The one `start` that a graph may have stands in for the clip's. */
function newNames(graph: Graph, clip: Clip): Map<string, string> {
  const taken = nodeIds(graph)
  const names = new Map<string, string>()
  const start = graph.nodes.find((node) => node.type === 'start')
  for (const node of clip.nodes) {
    if (node.type === 'start' && start) names.set(node.id, start.id)
    else {
      const id = freeId(taken, slug(node.id))
      taken.add(id)
      names.set(node.id, id)
    }
  }
  return names
}

export interface Pasted {
  graph: Graph
  selection: Selection
}

/** How far a second one lies from the first, so that both are seen. */
export const BESIDE = 40

/**
 * Put a clip into a graph: its upper left corner at `at`, or 40 px beside the original. Ids that are taken get new ones
 * and the references inside the clip follow; references to nodes that were not copied stay as they are.
 */
export function paste(graph: Graph, clip: Clip, place?: Point): Pasted {
  const from = origin(clip)
  const shift = place ? { x: place.x - from.x, y: place.y - from.y } : { x: BESIDE, y: BESIDE }
  const move = (point: Point): Point => ({ x: point.x + shift.x, y: point.y + shift.y })
  const names = newNames(graph, clip)
  const hasStart = graph.nodes.some((node) => node.type === 'start')
  const known = nodeIds(graph)
  const nodes: GraphNode[] = []
  for (const node of clip.nodes) {
    if (node.type === 'start' && hasStart) continue
    const next: GraphNode = {
      ...renameReferences(node, names),
      id: names.get(node.id) ?? node.id,
      position: move(node.position),
    }
    if (next.parent) {
      const parent = names.get(next.parent) ?? next.parent
      next.parent = names.has(next.parent) || known.has(parent) ? parent : null
    }
    nodes.push(next)
  }
  const edgeId = newIds(
    graph.edges.map((edge) => edge.id),
    'e',
  )
  const edges: GraphEdge[] = []
  for (const edge of clip.edges) {
    const source = names.get(edge.source)
    const target = names.get(edge.target)
    if (source && target) edges.push({ ...edge, id: edgeId(), source, target })
  }
  const noteId = newIds(
    (graph.annotations ?? []).map((item) => item.id),
    'note',
  )
  const annotations = clip.annotations.map((item) => ({
    ...item,
    id: noteId(),
    position: move(item.position),
  }))
  const next: Graph = { ...graph, nodes: [...graph.nodes, ...nodes], edges: [...graph.edges, ...edges] }
  if (annotations.length > 0) next.annotations = [...(graph.annotations ?? []), ...annotations]
  return {
    graph: next,
    selection: {
      nodes: nodes.map((node) => node.id),
      edges: [],
      annotations: annotations.map((item) => item.id),
    },
  }
}

/** A second one of what is selected, 40 px beside it. */
export function duplicate(graph: Graph, selection: Selection): Pasted | null {
  const clip = clipOf(graph, selection)
  if (!clip) return null
  const pasted = paste(graph, clip)
  return pasted.selection.nodes.length + pasted.selection.annotations.length > 0 ? pasted : null
}
