/** Aligning and distributing what is selected. */

import { descendants, isFrame, nodeRects, union } from '@/graph/layout/geometry'
import type { Graph, NodeTypes, Point, Rect } from '@/graph/types'
import { place } from './edits'

export type Alignment = 'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom'
export type Axis = 'horizontal' | 'vertical'

/** Selected nodes that are not inside another selected frame, with their rectangles. */
function outermost(graph: Graph, types: NodeTypes, ids: readonly string[]): Map<string, Rect> {
  const inner = descendants(graph, ids)
  const rects = nodeRects(graph, types)
  const chosen = new Map<string, Rect>()
  for (const id of ids) {
    const rect = rects.get(id)
    if (rect && !inner.has(id)) chosen.set(id, rect)
  }
  return chosen
}

/** Move nodes so that their rectangles start at the places given; frames take their children along. */
export function moveTo(graph: Graph, types: NodeTypes, to: ReadonlyMap<string, Point>): Graph {
  const rects = nodeRects(graph, types)
  const byId = new Map(graph.nodes.map((node) => [node.id, node]))
  const places = new Map<string, Point>()
  for (const [id, point] of to) {
    const rect = rects.get(id)
    const node = byId.get(id)
    if (!rect || !node) continue
    const dx = point.x - rect.x
    const dy = point.y - rect.y
    const moving = isFrame(node) ? [id, ...descendants(graph, [id])] : [id]
    for (const each of moving) {
      const position = byId.get(each)?.position
      if (position && !(each !== id && to.has(each)))
        places.set(each, { x: position.x + dx, y: position.y + dy })
    }
  }
  return place(graph, places)
}

function aligned(rect: Rect, all: Rect, how: Alignment): Point {
  switch (how) {
    case 'left':
      return { x: all.x, y: rect.y }
    case 'center':
      return { x: all.x + (all.width - rect.width) / 2, y: rect.y }
    case 'right':
      return { x: all.x + all.width - rect.width, y: rect.y }
    case 'top':
      return { x: rect.x, y: all.y }
    case 'middle':
      return { x: rect.x, y: all.y + (all.height - rect.height) / 2 }
    case 'bottom':
      return { x: rect.x, y: all.y + all.height - rect.height }
  }
}

/** Align the nodes' edges or centres; fewer than two nodes give the same graph. */
export function align(graph: Graph, types: NodeTypes, ids: readonly string[], how: Alignment): Graph {
  const rects = outermost(graph, types, ids)
  const all = union([...rects.values()])
  if (!all || rects.size < 2) return graph
  return moveTo(graph, types, new Map([...rects].map(([id, rect]) => [id, aligned(rect, all, how)])))
}

/** Make the gaps between nodes equal; the outermost two stay. Fewer than three nodes give the same graph. */
export function distribute(graph: Graph, types: NodeTypes, ids: readonly string[], axis: Axis): Graph {
  const rects = outermost(graph, types, ids)
  if (rects.size < 3) return graph
  const time = axis === 'horizontal' ? 'x' : 'y'
  const length = axis === 'horizontal' ? 'width' : 'height'
  const sorted = [...rects].sort(
    ([, left], [, right]) => left[time] - right[time] || left[length] - right[length],
  )
  const all = union([...rects.values()])
  if (!all) return graph
  const used = sorted.reduce((sum, [, rect]) => sum + rect[length], 0)
  const gap = (all[length] - used) / (sorted.length - 1)
  const to = new Map<string, Point>()
  let next = all[time]
  for (const [id, rect] of sorted) {
    to.set(
      id,
      axis === 'horizontal' ? { x: Math.round(next), y: rect.y } : { x: rect.x, y: Math.round(next) },
    )
    next += rect[length] + gap
  }
  return moveTo(graph, types, to)
}

export interface Guide {
  axis: Axis
  /** The coordinate of the line. */
  at: number
  from: number
  to: number
}

/**
 * Where a dragged rectangle wants to be: onto the edges and centres of its neighbours within `reach`, else onto the
 * grid. Gives the place and the lines to show.
 */
export function snapTo(
  rect: Rect,
  others: readonly Rect[],
  reach: number,
  grid: (value: number) => number,
): { point: Point; guides: Guide[] } {
  let bestX: { d: number; at: number; other: Rect } | null = null
  let bestY: { d: number; at: number; other: Rect } | null = null
  for (const other of others) {
    for (const part of [0, 0.5, 1]) {
      const dx = other.x + other.width * part - (rect.x + rect.width * part)
      if (Math.abs(dx) <= reach && (!bestX || Math.abs(dx) < Math.abs(bestX.d)))
        bestX = { d: dx, at: part, other }
      const dy = other.y + other.height * part - (rect.y + rect.height * part)
      if (Math.abs(dy) <= reach && (!bestY || Math.abs(dy) < Math.abs(bestY.d)))
        bestY = { d: dy, at: part, other }
    }
  }
  const point = { x: bestX ? rect.x + bestX.d : grid(rect.x), y: bestY ? rect.y + bestY.d : grid(rect.y) }
  const guides: Guide[] = []
  if (bestX) {
    const { other, at } = bestX
    guides.push({
      axis: 'vertical',
      at: point.x + rect.width * at,
      from: Math.min(point.y, other.y),
      to: Math.max(point.y + rect.height, other.y + other.height),
    })
  }
  if (bestY) {
    const { other, at } = bestY
    guides.push({
      axis: 'horizontal',
      at: point.y + rect.height * at,
      from: Math.min(point.x, other.x),
      to: Math.max(point.x + rect.width, other.x + other.width),
    })
  }
  return { point, guides }
}
