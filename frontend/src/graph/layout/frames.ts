/** Frames: what lies inside an iteration or a loop, the ways into it and out of it, and the room it takes. */
import { nudge } from '@/graph/edit/edits'
import { nodesById } from '@/graph/lookup'
import type { Graph, GraphNode, NodeTypes, Point, Rect } from '@/graph/types'
import {
  childrenOf,
  contains,
  descendants,
  FRAME_HEAD,
  FRAME_PADDING,
  GAP,
  isFrame,
  nodeRects,
  overlap,
  union,
} from './geometry'

/** The frame around a node; null outside of all. */
export function homeOf(graph: Graph, id: string | undefined): string | null {
  return (id === undefined ? undefined : nodesById(graph).get(id)?.parent) ?? null
}

/** The innermost frame at a point, without the nodes given. */
export function frameAt(
  graph: Graph,
  types: NodeTypes,
  point: Point,
  without: ReadonlySet<string> = new Set(),
): string | null {
  const rects = nodeRects(graph, types)
  const inside = descendants(graph, without)
  let best: { id: string; area: number } | null = null
  for (const node of graph.nodes) {
    if (!isFrame(node) || without.has(node.id) || inside.has(node.id)) continue
    const rect = rects.get(node.id)
    if (!rect || !contains(rect, point)) continue
    const area = rect.width * rect.height
    if (!best || area < best.area) best = { id: node.id, area }
  }
  return best?.id ?? null
}

/** The rectangles of what lies directly inside a frame (null: outside of all), without the nodes given. */
export function siblingRects(
  graph: Graph,
  types: NodeTypes,
  parent: string | null,
  without: ReadonlySet<string> = new Set(),
): Rect[] {
  const rects = nodeRects(graph, types)
  return graph.nodes
    .filter((node) => (node.parent ?? null) === parent && !without.has(node.id))
    .map((node) => rects.get(node.id))
    .filter((rect) => rect !== undefined)
}

/** The first place at or below a rectangle's where it covers none of the others, nor comes too near. */
export function clearOf(rect: Rect, others: readonly Rect[]): Point {
  const half = GAP / 2
  let y = rect.y
  for (let tries = 0; tries < 200; tries += 1) {
    const mine = { x: rect.x - half, y: y - half, width: rect.width + GAP, height: rect.height + GAP }
    const hit = others.find((other) => overlap(other, mine))
    if (!hit) break
    y = hit.y + hit.height + GAP
  }
  return { x: rect.x, y }
}

/** Where the upper left corner of a frame is: that of the space around its children. */
function cornerOf(children: ReadonlyMap<string, GraphNode[]>, frame: GraphNode, depth = 0): Point {
  const inside = children.get(frame.id)
  if (!inside || depth > 20) return frame.position
  const corners = inside.map((child) => cornerOf(children, child, depth + 1))
  return {
    x: Math.min(...corners.map((corner) => corner.x)) - FRAME_PADDING,
    y: Math.min(...corners.map((corner) => corner.y)) - FRAME_PADDING - FRAME_HEAD,
  }
}

/** Put nodes into a frame, or out of all frames with null; edges that would cross its border are removed. */
export function setParent(graph: Graph, ids: Iterable<string>, parent: string | null): Graph {
  const moving = new Set(ids)
  if (parent !== null) {
    const frame = nodesById(graph).get(parent)
    if (!frame || !isFrame(frame) || moving.has(parent)) return graph
    if (descendants(graph, moving).has(parent)) return graph
  }
  const left = new Set<string>()
  const nodes = graph.nodes.map((node) => {
    if (!moving.has(node.id) || node.type === 'start' || (node.parent ?? null) === parent) return node
    left.add(node.parent ?? '')
    return { ...node, parent }
  })
  if (left.size === 0) return graph
  const home = new Map(nodes.map((node) => [node.id, node.parent ?? null]))
  const full = new Set(home.values())
  const before = childrenOf(graph)
  return {
    ...graph,
    // a frame that is empty now stays where it was drawn
    nodes: nodes.map((node) =>
      left.has(node.id) && !full.has(node.id) ? { ...node, position: cornerOf(before, node) } : node,
    ),
    edges: graph.edges.filter((edge) => home.get(edge.source) === home.get(edge.target)),
  }
}

/** Those of the nodes that lie in no other of them. */
export function outermost(graph: Graph, ids: readonly string[]): string[] {
  const inner = descendants(graph, ids)
  return ids.filter((id) => !inner.has(id))
}

/** The frames that nodes may be moved into: not where they are, not one of themselves, nothing inside them. */
export function framesFor(graph: Graph, ids: readonly string[]): GraphNode[] {
  const chosen = new Set(ids)
  const inner = descendants(graph, ids)
  const movable = outermost(graph, ids).filter((id) => nodesById(graph).get(id)?.type !== 'start')
  if (movable.length === 0) return []
  return graph.nodes.filter(
    (frame) =>
      isFrame(frame) &&
      !chosen.has(frame.id) &&
      !inner.has(frame.id) &&
      movable.some((id) => homeOf(graph, id) !== frame.id),
  )
}

/** Whether nothing lies in a frame. */
export function isEmpty(graph: Graph, frame: string): boolean {
  return !graph.nodes.some((node) => node.parent === frame)
}

/** Where the next thing inside a frame goes: beside what is there, else in its corner. */
export function placeInside(graph: Graph, types: NodeTypes, frame: string): Point {
  const inside = union(siblingRects(graph, types, frame))
  if (inside) return { x: inside.x + inside.width + GAP, y: inside.y }
  const rect = nodeRects(graph, types).get(frame)
  return { x: (rect?.x ?? 0) + FRAME_PADDING, y: (rect?.y ?? 0) + FRAME_HEAD + FRAME_PADDING }
}

/** A frame has grown: what it would cover moves away, to the right in its lane and downwards below it. */
export function makeRoom(before: Graph, after: Graph, types: NodeTypes, frame: string | null): Graph {
  let graph = after
  for (let time = frame, depth = 0; time !== null && depth < 20; time = homeOf(graph, time), depth += 1) {
    const old = nodeRects(before, types).get(time)
    const rects = nodeRects(graph, types)
    const now = rects.get(time)
    if (!old || !now) continue
    const home = homeOf(graph, time)
    const beside: string[] = []
    const below: string[] = []
    let dx = 0
    let dy = 0
    for (const node of graph.nodes) {
      const rect = rects.get(node.id)
      if (!rect || node.id === time || (node.parent ?? null) !== home) continue
      if (rect.x >= old.x + old.width && rect.y < now.y + now.height && rect.y + rect.height > now.y) {
        beside.push(node.id)
        dx = Math.max(dx, now.x + now.width + GAP - rect.x)
      } else if (rect.y >= old.y + old.height) {
        below.push(node.id)
        if (rect.x < now.x + now.width && rect.x + rect.width > now.x)
          dy = Math.max(dy, now.y + now.height + GAP - rect.y)
      }
    }
    const grownX = now.x + now.width - old.x - old.width
    const grownY = now.y + now.height - old.y - old.height
    if (grownX > 0 && dx > 0)
      graph = nudge(graph, { nodes: beside, edges: [], annotations: [] }, Math.min(dx, grownX), 0)
    if (grownY > 0 && dy > 0)
      graph = nudge(graph, { nodes: below, edges: [], annotations: [] }, 0, Math.min(dy, grownY))
  }
  return graph
}
