/** The edits that people make, as functions from graph to graph. What does not apply gives back the same graph. */

import { newAnnotationId, newEdgeId } from '@/graph/ids'
import { descendants, nodeRects } from '@/graph/layout/geometry'
import { inPorts, outPorts } from '@/graph/nodes/ports'
import type { NodeTemplate } from '@/graph/nodes/templates'
import type {
  Annotation,
  Graph,
  GraphEdge,
  GraphNode,
  NodeTypes,
  Point,
  Selection,
  Size,
} from '@/graph/types'
import { wouldCycle } from '@/graph/upstream'

/** Change one node; keys set to undefined are removed from it. */
export function patchNode(graph: Graph, id: string, patch: Partial<GraphNode>): Graph {
  return {
    ...graph,
    nodes: graph.nodes.map((node) => {
      if (node.id !== id) return node
      const next = { ...node, ...patch } as GraphNode
      for (const [key, value] of Object.entries(patch)) if (value === undefined) delete next[key]
      return next
    }),
  }
}

/** Change one annotation. */
export function patchAnnotation(graph: Graph, id: string, patch: Partial<Annotation>): Graph {
  return {
    ...graph,
    annotations: (graph.annotations ?? []).map((item) => (item.id === id ? { ...item, ...patch } : item)),
  }
}

export function addNode(graph: Graph, node: GraphNode): Graph {
  return { ...graph, nodes: [...graph.nodes, node] }
}

export interface Ends {
  source: string
  source_port: string
  target: string
  target_port: string
}

export type ConnectRefusal = 'missing' | 'port' | 'cycle' | 'twice' | 'frame'

/** Why two ports may not be connected; null when they may. */
export function refuseEdge(graph: Graph, types: NodeTypes, ends: Ends): ConnectRefusal | null {
  const source = graph.nodes.find((node) => node.id === ends.source)
  const target = graph.nodes.find((node) => node.id === ends.target)
  if (!source || !target) return 'missing'
  if (!outPorts(source, types.get(source.type)).some((port) => port.name === ends.source_port)) return 'port'
  if (!inPorts(target, types.get(target.type)).some((port) => port.name === ends.target_port)) return 'port'
  if ((source.parent ?? null) !== (target.parent ?? null)) return 'frame'
  if (graph.edges.some((edge) => sameEnds(edge, ends))) return 'twice'
  if (wouldCycle(graph, ends.source, ends.target)) return 'cycle'
  return null
}

function sameEnds(edge: Ends, other: Ends): boolean {
  return (
    edge.source === other.source &&
    edge.target === other.target &&
    edge.source_port === other.source_port &&
    edge.target_port === other.target_port
  )
}

/** Add an edge; the same graph when it is refused. */
export function connect(graph: Graph, types: NodeTypes, ends: Ends): Graph {
  if (refuseEdge(graph, types, ends) !== null) return graph
  return { ...graph, edges: [...graph.edges, { id: newEdgeId(graph), ...ends }] }
}

/** Put an existing edge elsewhere. */
export function reconnect(graph: Graph, types: NodeTypes, id: string, ends: Ends): Graph {
  const without = { ...graph, edges: graph.edges.filter((edge) => edge.id !== id) }
  if (refuseEdge(without, types, ends) !== null) return graph
  return { ...graph, edges: graph.edges.map((edge) => (edge.id === id ? { ...edge, ...ends } : edge)) }
}

/** Put a node (already in the graph) between the ends of an edge. */
export function insertOnEdge(graph: Graph, types: NodeTypes, edgeId: string, nodeId: string): Graph {
  const edge = graph.edges.find((item) => item.id === edgeId)
  const node = graph.nodes.find((item) => item.id === nodeId)
  if (!edge || !node || edge.source === nodeId || edge.target === nodeId) return graph
  const into = inPorts(node, types.get(node.type))[0]
  const out = outPorts(node, types.get(node.type))[0]
  if (!into || !out) return graph
  const open = { ...graph, edges: graph.edges.filter((item) => item.id !== edgeId) }
  const first: GraphEdge = { ...edge, target: nodeId, target_port: into.name }
  const second: Ends = {
    source: nodeId,
    source_port: out.name,
    target: edge.target,
    target_port: edge.target_port,
  }
  if (refuseEdge(open, types, first) !== null) return graph
  const half = { ...open, edges: graph.edges.map((item) => (item.id === edgeId ? first : item)) }
  const whole = connect(half, types, second)
  return whole === half ? graph : whole
}

/** Put a template in a node's place: its id, title and place stay, and its edges; a port it has not is its first one. */
export function replaceNode(graph: Graph, types: NodeTypes, id: string, template: NodeTemplate): Graph {
  const type = types.get(template.type)
  const nodes = graph.nodes.map((old): GraphNode => {
    if (old.id !== id) return old
    const { disabled: _off, pinned: _pinned, ...kept } = old
    return { ...kept, type: template.type, v: type?.v ?? 1, config: template.config }
  })
  const node = nodes.find((item) => item.id === id)
  if (!node) return graph
  const ports = outPorts(node, type).map((port) => port.name)
  const edges: GraphEdge[] = []
  for (const edge of graph.edges) {
    const lost = edge.source === id && !ports.includes(edge.source_port)
    const kept = lost ? { ...edge, source_port: ports[0] ?? '' } : edge
    const fits = kept.source_port !== '' && (edge.target !== id || inPorts(node, type).length > 0)
    if (fits && !edges.some((other) => sameEnds(other, kept))) edges.push(kept)
  }
  return { ...graph, nodes, edges }
}

/** Delete what is selected: frames with their children, nodes with their edges. */
export function remove(graph: Graph, selection: Partial<Selection>): Graph {
  const nodes = new Set(selection.nodes ?? [])
  for (const id of descendants(graph, nodes)) nodes.add(id)
  const edges = new Set(selection.edges ?? [])
  const annotations = new Set(selection.annotations ?? [])
  if (nodes.size + edges.size + annotations.size === 0) return graph
  const next: Graph = {
    ...graph,
    nodes: graph.nodes.filter((node) => !nodes.has(node.id)),
    edges: graph.edges.filter(
      (edge) => !edges.has(edge.id) && !nodes.has(edge.source) && !nodes.has(edge.target),
    ),
  }
  if (graph.annotations) next.annotations = graph.annotations.filter((item) => !annotations.has(item.id))
  return next
}

/** Put nodes and annotations elsewhere; a node that is not named stays. */
export function place(
  graph: Graph,
  nodes: ReadonlyMap<string, Point>,
  annotations?: ReadonlyMap<string, Point>,
): Graph {
  const next: Graph = {
    ...graph,
    nodes: graph.nodes.map((node) => {
      const to = nodes.get(node.id)
      return to && (to.x !== node.position.x || to.y !== node.position.y) ? { ...node, position: to } : node
    }),
  }
  if (graph.annotations && annotations && annotations.size > 0) {
    next.annotations = graph.annotations.map((item) => {
      const to = annotations.get(item.id)
      return to ? { ...item, position: to } : item
    })
  }
  return next
}

/** Move what is selected by a distance; a frame takes its children along. */
export function nudge(graph: Graph, selection: Selection, dx: number, dy: number): Graph {
  const ids = new Set([...selection.nodes, ...descendants(graph, selection.nodes)])
  const by = (point: Point): Point => ({ x: point.x + dx, y: point.y + dy })
  const nodes = new Map<string, Point>()
  for (const node of graph.nodes) if (ids.has(node.id)) nodes.set(node.id, by(node.position))
  const marked = new Set(selection.annotations)
  const annotations = new Map<string, Point>()
  for (const item of graph.annotations ?? [])
    if (marked.has(item.id)) annotations.set(item.id, by(item.position))
  return place(graph, nodes, annotations)
}

/** Switch nodes off, or on again when all of them are off. */
export function toggleDisabled(graph: Graph, ids: readonly string[]): Graph {
  const chosen = new Set(ids)
  const all = graph.nodes.filter((node) => chosen.has(node.id)).every((node) => node.disabled === true)
  return {
    ...graph,
    nodes: graph.nodes.map((node) => {
      if (!chosen.has(node.id) || node.type === 'start') return node
      if (!all) return node.disabled ? node : { ...node, disabled: true }
      const { disabled: _, ...rest } = node
      return rest as GraphNode
    }),
  }
}

const NOTE_SIZE: Size = { width: 220, height: 120 }

/** Add a note; gives the graph and the note's id. */
export function addNote(graph: Graph, position: Point, text = ''): { graph: Graph; id: string } {
  const id = newAnnotationId(graph, 'note')
  const note: Annotation = { id, kind: 'note', text, position, size: NOTE_SIZE, color: 'grey' }
  return { graph: { ...graph, annotations: [...(graph.annotations ?? []), note] }, id }
}

/** Draw a group around what is selected; the same graph when no node is selected. */
export function groupAround(
  graph: Graph,
  types: NodeTypes,
  ids: readonly string[],
  text: string,
): { graph: Graph; id: string } | null {
  const rects = nodeRects(graph, types)
  const inside = ids.map((id) => rects.get(id)).filter((rect) => rect !== undefined)
  const [first] = inside
  if (!first) return null
  const left = Math.min(...inside.map((rect) => rect.x)) - 20
  const top = Math.min(...inside.map((rect) => rect.y)) - 40
  const right = Math.max(...inside.map((rect) => rect.x + rect.width)) + 20
  const bottom = Math.max(...inside.map((rect) => rect.y + rect.height)) + 20
  const id = newAnnotationId(graph, 'group')
  const group: Annotation = {
    id,
    kind: 'group',
    text,
    position: { x: left, y: top },
    size: { width: right - left, height: bottom - top },
    color: 'grey',
  }
  return { graph: { ...graph, annotations: [...(graph.annotations ?? []), group] }, id }
}

/** The nodes and notes that lie wholly inside a group: they move with it. */
export function insideGroup(
  graph: Graph,
  types: NodeTypes,
  id: string,
): { nodes: string[]; annotations: string[] } {
  const group = graph.annotations?.find((item) => item.id === id && item.kind === 'group')
  if (!group) return { nodes: [], annotations: [] }
  const right = group.position.x + group.size.width
  const bottom = group.position.y + group.size.height
  const within = (x: number, y: number, size: Size): boolean =>
    x >= group.position.x && y >= group.position.y && x + size.width <= right && y + size.height <= bottom
  const nodes = [...nodeRects(graph, types)]
    .filter(([, rect]) => within(rect.x, rect.y, rect))
    .map(([node]) => node)
  const annotations = (graph.annotations ?? [])
    .filter((item) => item.id !== id && within(item.position.x, item.position.y, item.size))
    .map((item) => item.id)
  return { nodes, annotations }
}
