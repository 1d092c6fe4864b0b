/** Sizes and places: fixed by the node's type and ports, so that nothing has to be measured in the page. */
import { outPorts } from '@/graph/nodes/ports'
import type { Graph, GraphNode, NodeTypes, Point, Rect, Size } from '@/graph/types'

export const NODE: Size = { width: 200, height: 64 }
export const PILL: Size = { width: 120, height: 44 }
export const FRAME_HEAD = 28
export const FRAME_PADDING = 16
/** As large as around one card, so that the first one changes nothing. */
export const EMPTY_FRAME: Size = { width: NODE.width + 32, height: NODE.height + 32 + FRAME_HEAD }
/** Between cards in a lane, and between lanes. */
export const GAP = 28
export const LANE_GAP = 56
const SNAP = 10

const FRAMES: ReadonlySet<string> = new Set(['iteration', 'loop'])
const PILLS: ReadonlySet<string> = new Set(['start', 'end'])

/** Whether a node is drawn around its children. */
export function isFrame(node: GraphNode): boolean {
  return FRAMES.has(node.type)
}

export function isPill(node: GraphNode): boolean {
  return PILLS.has(node.type)
}

/** The size of a card. Frames: the size without children. */
export function cardSize(node: GraphNode, types: NodeTypes): Size {
  if (isFrame(node)) return EMPTY_FRAME
  const ports = outPorts(node, types.get(node.type)).length
  if (isPill(node) && ports < 2) return PILL
  return ports > 2 ? { width: NODE.width, height: 16 + 24 * ports } : NODE
}

/** Where an outgoing port stands: its centre's distance from the top. */
export function portY(index: number, count: number, height: number): number {
  return count < 2 ? height / 2 : 20 + 24 * index
}

export function union(rects: readonly Rect[]): Rect | null {
  const [first, ...rest] = rects
  if (!first) return null
  let { x, y } = first
  let right = first.x + first.width
  let bottom = first.y + first.height
  for (const rect of rest) {
    x = Math.min(x, rect.x)
    y = Math.min(y, rect.y)
    right = Math.max(right, rect.x + rect.width)
    bottom = Math.max(bottom, rect.y + rect.height)
  }
  return { x, y, width: right - x, height: bottom - y }
}

export function overlap(left: Rect, right: Rect): boolean {
  return (
    left.x < right.x + right.width &&
    right.x < left.x + left.width &&
    left.y < right.y + right.height &&
    right.y < left.y + left.height
  )
}

export function contains(rect: Rect, point: Point): boolean {
  return (
    point.x >= rect.x &&
    point.x <= rect.x + rect.width &&
    point.y >= rect.y &&
    point.y <= rect.y + rect.height
  )
}

export function snap(value: number): number {
  return Math.round(value / SNAP) * SNAP
}

export function snapPoint(point: Point): Point {
  return { x: snap(point.x), y: snap(point.y) }
}

/** The frames of nodes that are being dragged into one or out of one, before it is so in the document. */
export type DropParents = ReadonlyMap<string, string | null>

/** Children of every node that has some. */
export function childrenOf(graph: Graph, dropParents?: DropParents): Map<string, GraphNode[]> {
  const children = new Map<string, GraphNode[]>()
  for (const node of graph.nodes) {
    const home = dropParents?.get(node.id)
    const parent = home === undefined ? node.parent : home
    if (!parent) continue
    const list = children.get(parent)
    if (list) list.push(node)
    else children.set(parent, [node])
  }
  return children
}

/** All ids inside the frames given, at any depth, themselves not included. */
export function descendants(graph: Graph, ids: Iterable<string>): Set<string> {
  const children = childrenOf(graph)
  const match = new Set<string>()
  const queue = [...ids]
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const child of children.get(id) ?? []) {
      if (match.has(child.id)) continue
      match.add(child.id)
      queue.push(child.id)
    }
  }
  return match
}

/** The rectangle of every node; a frame reaches around its children. `place`, `homes`: as it is while dragging. */
export function nodeRects(
  graph: Graph,
  types: NodeTypes,
  place?: ReadonlyMap<string, Point>,
  dropParents?: DropParents,
): Map<string, Rect> {
  const children = childrenOf(graph, dropParents)
  const rects = new Map<string, Rect>()
  const measure = (node: GraphNode, above: ReadonlySet<string>): Rect => {
    const known = rects.get(node.id)
    if (known) return known
    const inside = isFrame(node) ? (children.get(node.id) ?? []).filter((child) => !above.has(child.id)) : []
    const below = inside.length > 0 ? new Set(above).add(node.id) : above
    const around = union(inside.map((child) => measure(child, below)))
    const position = place?.get(node.id) ?? node.position
    const rect = around
      ? {
          x: around.x - FRAME_PADDING,
          y: around.y - FRAME_PADDING - FRAME_HEAD,
          width: around.width + 2 * FRAME_PADDING,
          height: around.height + 2 * FRAME_PADDING + FRAME_HEAD,
        }
      : { ...position, ...cardSize(node, types) }
    rects.set(node.id, rect)
    return rect
  }
  const nowhere: ReadonlySet<string> = new Set()
  for (const node of graph.nodes) measure(node, nowhere)
  return rects
}

/** Everything in the document: nodes and annotations. */
export function graphBounds(graph: Graph, types: NodeTypes): Rect | null {
  const rects = [...nodeRects(graph, types).values()]
  for (const annotation of graph.annotations ?? []) rects.push({ ...annotation.position, ...annotation.size })
  return union(rects)
}
