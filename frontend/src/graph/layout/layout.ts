/**
 * Auto layout: dagre gives order and rows, then the columns wrap into lanes like words into lines.
 *
 * Left to right inside a lane; the edge to the next lane runs back in the gap between them. Frames are laid out inside
 * first and then stand as one card. Pure and synchronous; `tidy.ts` runs it in a worker.
 */
import dagre from '@dagrejs/dagre'
import type { Point, Size } from '@/graph/types'
import { FRAME_HEAD, FRAME_PADDING, GAP, LANE_GAP } from './geometry'

export interface LayoutNode extends Size {
  id: string
  parent: string | null
  frame: boolean
}

export interface LayoutEdge {
  source: string
  target: string
  /** Which of the source's ports it leaves from, counted from the top. */
  port: number
}

export interface LayoutRequest {
  nodes: LayoutNode[]
  edges: LayoutEdge[]
  /** Where the upper left corner goes. */
  origin: Point
  /** How wide a lane may be. */
  laneWidth: number
}

export type Places = Record<string, Point>

interface Placed extends Size {
  id: string
  x: number
  y: number
}

/** How deep dagre's recursion may go; deeper graphs (1,000 cards in a row) are ranked by ourselves. */
const DAGRE_DEPTH = 600

/** Cards with more ways on than this keep dagre's own order: each pair of ways is a wish of its own. */
const MOST_ORDERED = 40

/** The longest way from an entry to each node, counted in edges; nodes on a circle keep what they have. */
function ranks(nodes: LayoutNode[], edges: LayoutEdge[]): Map<string, number> {
  const rank = new Map(nodes.map((node) => [node.id, 0]))
  const open = new Map(nodes.map((node) => [node.id, 0]))
  const next = new Map<string, string[]>()
  for (const edge of edges) {
    open.set(edge.target, (open.get(edge.target) ?? 0) + 1)
    const list = next.get(edge.source)
    if (list) list.push(edge.target)
    else next.set(edge.source, [edge.target])
  }
  const queue = nodes.filter((node) => open.get(node.id) === 0).map((node) => node.id)
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    for (const target of next.get(id) ?? []) {
      rank.set(target, Math.max(rank.get(target) ?? 0, (rank.get(id) ?? 0) + 1))
      const left = (open.get(target) ?? 1) - 1
      open.set(target, left)
      if (left === 0) queue.push(target)
    }
  }
  return rank
}

/**
 * What is to stand above what: where edges leave a card by several ports, the order of the ports. Two cards that want
 * the opposite of each other cannot both have it; then the one that comes first in the document has.
 */
function portOrder(nodes: LayoutNode[], edges: LayoutEdge[]): { left: string; right: string }[] {
  const leaving = new Map<string, LayoutEdge[]>()
  for (const edge of edges) leaving.set(edge.source, [...(leaving.get(edge.source) ?? []), edge])
  const below = new Map<string, string[]>()
  const leads = (from: string, to: string): boolean => {
    const seen = new Set([from])
    for (const id of seen) for (const next of below.get(id) ?? []) seen.add(next)
    return seen.has(to)
  }
  const order: { left: string; right: string }[] = []
  for (const { id } of nodes) {
    const sorted = (leaving.get(id) ?? []).sort((layoutEdge, other) => layoutEdge.port - other.port)
    if (sorted.length > MOST_ORDERED) continue
    for (const [index, upper] of sorted.entries()) {
      for (const lower of sorted.slice(index + 1)) {
        const [left, right] = [upper.target, lower.target]
        if (upper.port === lower.port || left === right || leads(right, left)) continue
        below.set(left, [...(below.get(left) ?? []), right])
        order.push({ left, right })
      }
    }
  }
  return order
}

/** Columns by rank alone, cards stacked in the document's order. */
function stackedColumns(nodes: LayoutNode[], rank: ReadonlyMap<string, number>): Placed[][] {
  const result: Placed[][] = []
  for (const node of nodes) {
    const index = rank.get(node.id) ?? 0
    let column = result[index]
    if (!column) {
      column = []
      result[index] = column
    }
    const last = column[column.length - 1]
    column.push({
      id: node.id,
      width: node.width,
      height: node.height,
      x: 0,
      y: last ? last.y + last.height + GAP : 0,
    })
  }
  return result.filter((column) => column !== undefined)
}

/** Columns of equal rank, left to right, with dagre's vertical places. */
function columns(nodes: LayoutNode[], edges: LayoutEdge[]): Placed[][] {
  const rank = ranks(nodes, edges)
  if (Math.max(0, ...rank.values()) > DAGRE_DEPTH) return stackedColumns(nodes, rank)
  const graph = new dagre.graphlib.Graph({ multigraph: false })
  graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: GAP, edgesep: 12 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const node of nodes) graph.setNode(node.id, { width: node.width, height: node.height })
  for (const edge of edges) graph.setEdge(edge.source, edge.target)
  dagre.layout(graph, { constraints: portOrder(nodes, edges) })
  const byRank = new Map<number, Placed[]>()
  for (const node of nodes) {
    const place = graph.node(node.id) as { x: number; y: number }
    const rank = Math.round(place.x)
    const placed = { id: node.id, width: node.width, height: node.height, x: 0, y: place.y - node.height / 2 }
    const column = byRank.get(rank)
    if (column) column.push(placed)
    else byRank.set(rank, [placed])
  }
  return [...byRank].sort(([left], [right]) => left - right).map(([, column]) => column)
}

function columnWidth(column: Placed[]): number {
  return Math.max(...column.map((node) => node.width))
}

function lanes(all: Placed[][], laneWidth: number): Placed[][][] {
  const result: Placed[][][] = []
  let lane: Placed[][] = []
  let width = 0
  for (const column of all) {
    const next = columnWidth(column)
    if (lane.length > 0 && width + GAP + next > laneWidth) {
      result.push(lane)
      lane = []
      width = 0
    }
    width += (lane.length > 0 ? GAP : 0) + next
    lane.push(column)
  }
  if (lane.length > 0) result.push(lane)
  return result
}

/** Close vertical gaps in a lane that no node of the lane uses. */
function compact(lane: Placed[]): void {
  const sorted = [...lane].sort((left, right) => left.y - right.y)
  let bottom = Number.NEGATIVE_INFINITY
  let shift = 0
  for (const node of sorted) {
    const gap = node.y - bottom
    if (bottom !== Number.NEGATIVE_INFINITY && gap > GAP) shift += gap - GAP
    bottom = Math.max(bottom, node.y + node.height)
    node.y -= shift
  }
}

function levelPlaces(
  nodes: LayoutNode[],
  edges: LayoutEdge[],
  laneWidth: number,
): { places: Map<string, Point>; size: Size } {
  const places = new Map<string, Point>()
  let top = 0
  let right = 0
  for (const lane of lanes(columns(nodes, edges), laneWidth)) {
    const inLane = lane.flat()
    compact(inLane)
    const first = Math.min(...inLane.map((node) => node.y))
    let x = 0
    let bottom = top
    for (const column of lane) {
      const width = columnWidth(column)
      for (const node of column) {
        const y = Math.round(top + node.y - first)
        places.set(node.id, { x, y })
        bottom = Math.max(bottom, y + node.height)
      }
      x += width + GAP
    }
    right = Math.max(right, x - GAP)
    top = bottom + LANE_GAP
  }
  return { places, size: { width: right, height: Math.max(0, top - LANE_GAP) } }
}

/** Places for all nodes. Frames' places are those of their upper left corners. */
export function layout(request: LayoutRequest): Places {
  const children = new Map<string | null, LayoutNode[]>()
  const ids = new Set(request.nodes.map((node) => node.id))
  for (const node of request.nodes) {
    const parent = node.parent !== null && ids.has(node.parent) ? node.parent : null
    const list = children.get(parent)
    if (list) list.push(node)
    else children.set(parent, [node])
  }
  const inner = new Map<string, Map<string, Point>>()
  const visit = (parent: string | null, depth: number): { places: Map<string, Point>; size: Size } => {
    const nodes = (children.get(parent) ?? []).map((node) => {
      if (!node.frame || depth > ids.size || !children.has(node.id)) return node
      const inside = visit(node.id, depth + 1)
      inner.set(node.id, inside.places)
      return {
        ...node,
        width: inside.size.width + 2 * FRAME_PADDING,
        height: inside.size.height + 2 * FRAME_PADDING + FRAME_HEAD,
      }
    })
    const here = new Set(nodes.map((node) => node.id))
    const edges = request.edges.filter((edge) => here.has(edge.source) && here.has(edge.target))
    return levelPlaces(nodes, edges, parent === null ? request.laneWidth : Number.POSITIVE_INFINITY)
  }
  const outer = visit(null, 0)
  const places: Places = {}
  const put = (level: Map<string, Point>, place: Point): void => {
    for (const [id, point] of level) {
      const here = { x: place.x + point.x, y: place.y + point.y }
      places[id] = here
      const inside = inner.get(id)
      if (inside) put(inside, { x: here.x + FRAME_PADDING, y: here.y + FRAME_PADDING + FRAME_HEAD })
    }
  }
  put(outer.places, request.origin)
  return places
}
