/**
 * The document as React Flow wants it. Objects keep their identity as long as nothing about them changed, so that a
 * drag of one card redraws one card.
 */
import { type Edge, type Node, type NodeHandle, Position } from '@xyflow/react'
import { cardSize, type DropParents, isFrame, nodeRects, portY } from '@/graph/layout/geometry'
import { nodesById } from '@/graph/lookup'
import { subtitleOf, titleOf } from '@/graph/nodes/describe'
import { inPorts, outPorts } from '@/graph/nodes/ports'
import type {
  Annotation,
  Graph,
  GraphEdge,
  GraphNode,
  NodeTypes,
  Point,
  Rect,
  Selection,
  Size,
} from '@/graph/types'

const HANDLE = 9

export interface CardData extends Record<string, unknown> {
  node: GraphNode
}
export interface NoteData extends Record<string, unknown> {
  note: Annotation
}
export type CardNode = Node<CardData, 'card' | 'frame'>
export type NoteNode = Node<NoteData, 'note' | 'group'>
export type FlowNode = CardNode | NoteNode
export type FlowEdge = Edge<{ edge: GraphEdge }, 'flow'>

/** Ids of annotations live beside those of nodes; React Flow needs them apart. */
const NOTE_PREFIX = 'annotation:'
export const noteFlowId = (id: string): string => NOTE_PREFIX + id
export const noteIdOf = (flowId: string): string | null =>
  flowId.startsWith(NOTE_PREFIX) ? flowId.slice(NOTE_PREFIX.length) : null

function handlesOf(node: GraphNode, types: NodeTypes, size: Size): NodeHandle[] {
  const type = types.get(node.type)
  const half = HANDLE / 2
  const out = outPorts(node, type)
  const frame = isFrame(node)
  const inner: NodeHandle[] = inPorts(node, type).map((port) => ({
    id: port.name,
    type: 'target',
    position: Position.Left,
    x: -half,
    y: size.height / 2 - half,
    width: HANDLE,
    height: HANDLE,
  }))
  const outer: NodeHandle[] = out.map((port, index) => ({
    id: port.name,
    type: 'source',
    position: Position.Right,
    x: size.width - half,
    y: (frame && out.length < 2 ? size.height / 2 : portY(index, out.length, size.height)) - half,
    width: HANDLE,
    height: HANDLE,
  }))
  return [...inner, ...outer]
}

interface Cached {
  source: GraphNode | Annotation
  types: NodeTypes
  rect: Rect
  selected: boolean
  depth: number
  flow: FlowNode
}

function same(left: Rect, right: Rect): boolean {
  return (
    left.x === right.x && left.y === right.y && left.width === right.width && left.height === right.height
  )
}

/** Whether the same things are being dragged. */
function sameKeys(left: ReadonlyMap<string, Point>, right: ReadonlyMap<string, Point>): boolean {
  return left.size > 0 && left.size === right.size && [...left.keys()].every((id) => right.has(id))
}

export interface Overlay {
  places: ReadonlyMap<string, Point>
  sizes: ReadonlyMap<string, Size>
  dropParents: DropParents
}

interface Projected extends Overlay {
  graph: Graph
  types: NodeTypes
  selection: Selection
  readOnly: boolean
  /** Something inside a frame moves, so the frame changes its size. */
  framed: boolean
  index: ReadonlyMap<string, number>
  flow: FlowNode[]
}

/** Makes React Flow's nodes and edges; keep one per canvas. */
export class Projection {
  private nodes = new Map<string, Cached>()
  private last: Projected | null = null
  private edges = new Map<string, { edge: GraphEdge; selected: boolean; flow: FlowEdge }>()

  projectNodes(
    graph: Graph,
    types: NodeTypes,
    selection: Selection,
    overlay: Overlay,
    readOnly: boolean,
  ): FlowNode[] {
    const same = this.last
    if (
      same &&
      same.graph === graph &&
      same.types === types &&
      same.selection === selection &&
      same.readOnly === readOnly &&
      same.sizes === overlay.sizes &&
      same.dropParents === overlay.dropParents &&
      !same.framed &&
      sameKeys(same.places, overlay.places)
    )
      return this.moveOnly(same, overlay.places)
    const rects = nodeRects(graph, types, overlay.places, overlay.dropParents)
    const chosen = new Set(selection.nodes)
    const notes = new Set(selection.annotations)
    const parents = new Map(graph.nodes.map((node) => [node.id, node.parent ?? null]))
    const next = new Map<string, Cached>()
    const flow: FlowNode[] = []
    for (const note of graph.annotations ?? []) {
      const size = overlay.sizes.get(noteFlowId(note.id)) ?? note.size
      const rect = { ...(overlay.places.get(noteFlowId(note.id)) ?? note.position), ...size }
      const id = noteFlowId(note.id)
      flow.push(this.keep(next, id, note, types, rect, notes.has(note.id), 0, () => noteNode(id, note)))
    }
    for (const node of graph.nodes) {
      const rect = rects.get(node.id)
      if (!rect) continue
      let depth = 0
      if (isFrame(node))
        for (let time = parents.get(node.id); time && depth < 20; time = parents.get(time)) depth += 1
      const make = (): FlowNode => cardNode(node, types, rect, readOnly)
      flow.push(this.keep(next, node.id, node, types, rect, chosen.has(node.id), depth, make))
    }
    this.nodes = next
    const byId = nodesById(graph)
    this.last = {
      graph,
      types,
      selection,
      readOnly,
      sizes: overlay.sizes,
      dropParents: overlay.dropParents,
      places: overlay.places,
      framed: overlay.dropParents.size > 0 || [...overlay.places.keys()].some((id) => byId.get(id)?.parent),
      index: new Map(flow.map((node, index) => [node.id, index])),
      flow,
    }
    return flow
  }

  /** A drag goes on: the same cards elsewhere, everything else as it was. */
  private moveOnly(last: Projected, places: ReadonlyMap<string, Point>): FlowNode[] {
    const flow = last.flow.slice()
    for (const [id, position] of places) {
      const index = last.index.get(id)
      const node = index === undefined ? undefined : flow[index]
      const cached = this.nodes.get(id)
      if (index === undefined || !node || !cached) continue
      const moved = { ...node, position } as FlowNode
      flow[index] = moved
      this.nodes.set(id, { ...cached, rect: { ...cached.rect, ...position }, flow: moved })
    }
    this.last = { ...last, places, flow }
    return flow
  }

  private keep(
    next: Map<string, Cached>,
    id: string,
    source: GraphNode | Annotation,
    types: NodeTypes,
    rect: Rect,
    selected: boolean,
    depth: number,
    make: () => FlowNode,
  ): FlowNode {
    const known = this.nodes.get(id)
    if (
      known &&
      known.source === source &&
      known.types === types &&
      known.selected === selected &&
      same(known.rect, rect)
    ) {
      next.set(id, known)
      return known.flow
    }
    const flowNode = make()
    const flow = {
      ...flowNode,
      position: { x: rect.x, y: rect.y },
      width: rect.width,
      height: rect.height,
      measured: { width: rect.width, height: rect.height },
      selected,
      zIndex: flowNode.type === 'group' ? -100 : flowNode.type === 'frame' ? -50 + depth : selected ? 2 : 1,
    } as FlowNode
    next.set(id, { source, types, rect, selected, depth, flow })
    return flow
  }

  projectEdges(graph: Graph, selection: Selection): FlowEdge[] {
    const chosen = new Set(selection.edges)
    const known = new Set(graph.nodes.map((node) => node.id))
    const next = new Map<string, { edge: GraphEdge; selected: boolean; flow: FlowEdge }>()
    const flow: FlowEdge[] = []
    for (const edge of graph.edges) {
      if (!known.has(edge.source) || !known.has(edge.target)) continue
      const selected = chosen.has(edge.id)
      const before = this.edges.get(edge.id)
      const entry =
        before && before.edge === edge && before.selected === selected
          ? before
          : { edge, selected, flow: flowEdge(edge, selected) }
      next.set(edge.id, entry)
      flow.push(entry.flow)
    }
    this.edges = next
    return flow
  }
}

function flowEdge(edge: GraphEdge, selected: boolean): FlowEdge {
  return {
    id: edge.id,
    type: 'flow',
    source: edge.source,
    sourceHandle: edge.source_port,
    target: edge.target,
    targetHandle: edge.target_port,
    data: { edge },
    selected,
    zIndex: 0,
    ariaLabel: `${edge.source} → ${edge.target}`,
  }
}

function noteNode(id: string, note: Annotation): FlowNode {
  return {
    id,
    type: note.kind,
    position: note.position,
    data: { note },
    connectable: false,
    ariaLabel: note.text,
  }
}

function cardNode(node: GraphNode, types: NodeTypes, rect: Rect, readOnly: boolean): FlowNode {
  const size = isFrame(node) ? rect : cardSize(node, types)
  const { lead, tail } = subtitleOf(node)
  return {
    id: node.id,
    type: isFrame(node) ? 'frame' : 'card',
    position: node.position,
    data: { node },
    handles: handlesOf(node, types, size),
    connectable: !readOnly,
    ariaLabel: `${titleOf(node, types)}, ${lead ? `${lead}/` : ''}${tail}`,
  }
}
