/** Moving nodes into frames and out of them where no place was pointed at: from a menu, by the keyboard. */

import {
  clearOf,
  homeOf,
  makeRoom,
  outermost,
  placeInside,
  setParent,
  siblingRects,
} from '@/graph/layout/frames'
import { nodeRects, union } from '@/graph/layout/geometry'
import { nodesById } from '@/graph/lookup'
import type { Graph, NodeTypes } from '@/graph/types'
import { nudge } from './edits'

/** Move nodes into a frame, beside what is there; what stood beside the frame makes room. */
export function moveInto(graph: Graph, types: NodeTypes, ids: readonly string[], frame: string): Graph {
  const moving = outermost(graph, ids).filter(
    (id) => homeOf(graph, id) !== frame && nodesById(graph).get(id)?.type !== 'start',
  )
  const rects = nodeRects(graph, types)
  const around = union(moving.map((id) => rects.get(id)).filter((rect) => rect !== undefined))
  const inside = setParent(graph, moving, frame)
  if (!around || inside === graph) return graph
  const to = placeInside(graph, types, frame)
  const placed = nudge(
    inside,
    { nodes: moving, edges: [], annotations: [] },
    to.x - around.x,
    to.y - around.y,
  )
  return makeRoom(graph, placed, types, frame)
}

/** Move nodes out of the frame around them, below it when they would lie under it. */
export function leaveFrame(graph: Graph, types: NodeTypes, ids: readonly string[]): Graph {
  let next = graph
  for (const id of outermost(graph, ids)) {
    const frame = homeOf(next, id)
    if (frame === null) continue
    const outer = homeOf(next, frame)
    const left = setParent(next, [id], outer)
    const rect = nodeRects(left, types).get(id)
    if (!rect) continue
    const to = clearOf(rect, siblingRects(left, types, outer, new Set([id])))
    const placed = nudge(left, { nodes: [id], edges: [], annotations: [] }, to.x - rect.x, to.y - rect.y)
    next = makeRoom(next, placed, types, outer)
  }
  return next
}
