/**
 * How edges run: orthogonal with round corners. Forward edges bend in the gap before their target; edges that go back
 * run through the free bands between lanes.
 */
import type { Point, Rect } from '@/graph/types'

const CORNER = 10
const STUB = 14
/** Rows nearer than this are one lane: cards of a lane stand 28 apart, lanes 56. */
const SAME_LANE = 40
const STACKED = 68
/** Edges that go back come down on the left of their lane at this distance. */
const MARGIN = 16

/** Horizontal strips of the document in which no card stands, by the merged intervals that cards fill. */
export interface Lanes {
  /** Filled intervals from top to bottom, with the leftmost edge of the cards in each. */
  filled: { top: number; bottom: number; left: number }[]
}

export function findLanes(rects: readonly Rect[]): Lanes {
  const sorted = [...rects].sort((left, right) => left.y - right.y)
  const filled: Lanes['filled'] = []
  for (const rect of sorted) {
    const last = filled[filled.length - 1]
    if (last && rect.y < last.bottom + SAME_LANE) {
      last.bottom = Math.max(last.bottom, rect.y + rect.height)
      last.left = Math.min(last.left, rect.x)
    } else filled.push({ top: rect.y, bottom: rect.y + rect.height, left: rect.x })
  }
  return { filled }
}

function laneAt(lanes: Lanes, y: number): number {
  return lanes.filled.findIndex((lane) => y >= lane.top - 1 && y <= lane.bottom + 1)
}

function clean(points: Point[]): Point[] {
  const kept: Point[] = []
  for (const point of points) {
    const last = kept[kept.length - 1]
    const before = kept[kept.length - 2]
    if (last && last.x === point.x && last.y === point.y) continue
    const straight =
      last &&
      before &&
      ((before.x === last.x && last.x === point.x) || (before.y === last.y && last.y === point.y))
    if (straight) kept[kept.length - 1] = point
    else kept.push(point)
  }
  return kept
}

/** The corner points of an edge from a port on the right of one card to a port on the left of another. */
export function routePoints(from: Point, to: Point, lanes: Lanes): Point[] {
  if (to.x - from.x >= STUB) {
    if (Math.abs(from.y - to.y) < 1) return [from, to]
    const x = Math.max(from.x + STUB / 2, to.x - STUB)
    return clean([from, { x, y: from.y }, { x, y: to.y }, to])
  }
  const source = laneAt(lanes, from.y)
  const target = laneAt(lanes, to.y)
  const out = from.x + STUB
  const goal = lanes.filled[target]
  if (source >= 0 && goal && source !== target) {
    const down = target > source
    const near = lanes.filled[down ? target - 1 : target + 1]
    const edge = down ? goal.top : goal.bottom
    const other = near ? (down ? near.bottom : near.top) : edge
    const gap = Math.abs(edge - other)
    const y = Math.round(down ? edge - Math.min(28, gap / 2) - 8 : edge + Math.min(28, gap / 2) + 8)
    const band = down ? Math.max(y, other + 8) : Math.min(y, other - 8)
    const left = Math.min(goal.left - MARGIN, to.x - STUB)
    return clean([
      from,
      { x: out, y: from.y },
      { x: out, y: band },
      { x: left, y: band },
      { x: left, y: to.y },
      to,
    ])
  }
  // One card below the other: between them there is room, since both reach 32 up and down at most.
  if (Math.abs(to.y - from.y) >= STACKED) {
    const y = Math.round((from.y + to.y) / 2)
    const left = to.x - STUB
    return clean([from, { x: out, y: from.y }, { x: out, y }, { x: left, y }, { x: left, y: to.y }, to])
  }
  const lane = lanes.filled[Math.max(source, target)]
  const below = (lane ? lane.bottom : Math.max(from.y, to.y) + 32) + MARGIN
  const back = to.x - STUB
  return clean([
    from,
    { x: out, y: from.y },
    { x: out, y: below },
    { x: back, y: below },
    { x: back, y: to.y },
    to,
  ])
}

/** An SVG path through the points with round corners. */
export function roundedPath(points: readonly Point[]): string {
  const [first] = points
  if (!first) return ''
  let path = `M${first.x} ${first.y}`
  for (let index = 1; index < points.length - 1; index += 1) {
    const before = points[index - 1] as Point
    const point = points[index] as Point
    const after = points[index + 1] as Point
    const radius = Math.min(CORNER, distance(before, point) / 2, distance(point, after) / 2)
    const enter = toward(point, before, radius)
    const leave = toward(point, after, radius)
    path += `L${enter.x} ${enter.y}Q${point.x} ${point.y} ${leave.x} ${leave.y}`
  }
  const last = points[points.length - 1] as Point
  return points.length > 1 ? `${path}L${last.x} ${last.y}` : path
}

function distance(left: Point, right: Point): number {
  return Math.abs(left.x - right.x) + Math.abs(left.y - right.y)
}

function toward(from: Point, to: Point, by: number): Point {
  return { x: from.x + Math.sign(to.x - from.x) * by, y: from.y + Math.sign(to.y - from.y) * by }
}

/** The middle of the longest stretch: where a label stands. */
export function labelPoint(points: readonly Point[]): Point {
  let best: Point = points[0] ?? { x: 0, y: 0 }
  let longest = -1
  for (let index = 1; index < points.length; index += 1) {
    const before = points[index - 1] as Point
    const point = points[index] as Point
    const horizontal = before.y === point.y ? 1.5 : 1
    const length = distance(before, point) * horizontal
    if (length > longest) {
      longest = length
      best = { x: (before.x + point.x) / 2, y: (before.y + point.y) / 2 }
    }
  }
  return best
}
