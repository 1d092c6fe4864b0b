/** Nodes that are not in a graph yet: what lies in the palette panel, is dragged, and is put somewhere. */
import { addNode, connect, insertOnEdge, nudge, patchNode } from '@/graph/edit/edits'
import { newNodeId } from '@/graph/ids'
import { clearOf, frameAt, homeOf, isEmpty, makeRoom, placeInside, siblingRects } from '@/graph/layout/frames'
import { cardSize, GAP, nodeRects, overlap, portY } from '@/graph/layout/geometry'
import { findLanes, type Lanes, routePoints } from '@/graph/layout/routes'
import { nodesById } from '@/graph/lookup'
import type { Graph, GraphNode, NodeTypes, Point, Rect } from '@/graph/types'
import { inPorts, outPorts } from './ports'
import { takerAt, withTool } from './tool-choice'

/** What a palette entry becomes. */
export interface NodeTemplate {
  type: string
  /** Shown while dragging; becomes the node's title when it says more than its type. */
  title: string
  /** What the id is made of. */
  base: string
  config: Record<string, unknown>
}

export function toolTemplate(server: string, tool: string): NodeTemplate {
  return { type: 'tool', title: tool, base: tool, config: { server, tool, arguments: {} } }
}

export function typeTemplate(
  type: string,
  title: string,
  config: Record<string, unknown> = {},
): NodeTemplate {
  return { type, title, base: type, config }
}

/** The defaults of required keys, as the type's schema states them. */
function defaultsOf(types: NodeTypes, type: string): Record<string, unknown> {
  const schema = types.get(type)?.config_schema
  const properties = schema?.properties
  if (properties === null || typeof properties !== 'object') return {}
  const required = Array.isArray(schema?.required) ? (schema.required as unknown[]) : []
  const defaults: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(properties as Record<string, { default?: unknown } | null>)) {
    if (required.includes(key) && value?.default !== undefined) defaults[key] = structuredClone(value.default)
  }
  return defaults
}

/** A node from a template; it is not in the graph yet. */
export function nodeFrom(graph: Graph, types: NodeTypes, template: NodeTemplate, position: Point): GraphNode {
  return {
    id: newNodeId(graph, template.base),
    type: template.type,
    v: types.get(template.type)?.v ?? 1,
    position,
    config: { ...defaultsOf(types, template.type), ...structuredClone(template.config) },
  }
}

/** Where something dropped at a point goes: there, below the card that it would cover, into an empty frame's corner. */
export function dropPlace(graph: Graph, types: NodeTypes, template: NodeTemplate, point: Point): Point {
  const size = cardSize(nodeFrom(graph, types, template, point), types)
  const mine = { ...point, ...size }
  const home = homeFor(graph, types, template, point)
  if (home !== null && isEmpty(graph, home)) return placeInside(graph, types, home)
  const others = siblingRects(graph, types, home)
  return others.some((rect) => overlap(rect, mine)) ? clearOf(mine, others) : point
}

/** The frame that something lies in when its card is put at a point. */
function homeFor(graph: Graph, types: NodeTypes, template: NodeTemplate, point: Point): string | null {
  if (template.type === 'start') return null
  const { width, height } = cardSize(nodeFrom(graph, types, template, point), types)
  return frameAt(graph, types, { x: point.x + width / 2, y: point.y + height / 2 })
}

const NO_NODES: ReadonlySet<string> = new Set()

/** An edge and where it runs. */
export interface Way {
  edge: string
  /** The frame in which it runs. */
  parent: string | null
  points: readonly Point[]
}

/** Where the edges run that do not touch the nodes named. */
export function waysOf(
  graph: Graph,
  types: NodeTypes,
  without: ReadonlySet<string>,
  rects: ReadonlyMap<string, Rect> = nodeRects(graph, types),
  lanes: Lanes = findLanes([...rects.values()]),
): Way[] {
  const byId = nodesById(graph)
  const ways: Way[] = []
  for (const { id, source, source_port, target } of graph.edges) {
    const from = rects.get(source)
    const to = rects.get(target)
    const node = byId.get(source)
    if (!node || !from || !to || without.has(source) || without.has(target)) continue
    const ports = outPorts(node, types.get(node.type))
    const index = Math.max(
      0,
      ports.findIndex((port) => port.name === source_port),
    )
    const points = routePoints(
      { x: from.x + from.width, y: from.y + portY(index, ports.length, from.height) },
      { x: to.x, y: to.y + to.height / 2 },
      lanes,
    )
    ways.push({ edge: id, parent: node.parent ?? null, points })
  }
  return ways
}

/** The edge under a rectangle's middle, among nodes of one frame. */
export function wayUnder(ways: readonly Way[], rect: Rect, parent: string | null): string | null {
  const match = ways.find(
    (way) =>
      way.parent === parent && way.points.some((point, index) => crosses(way.points[index - 1], point, rect)),
  )
  return match?.edge ?? null
}

/** Whether a horizontal or vertical stretch goes through the inner half of a rectangle. */
function crosses(from: Point | undefined, to: Point, rect: Rect): boolean {
  if (!from) return false
  const x = rect.x + rect.width / 4
  const y = rect.y + rect.height / 4
  const inner = { x, y, width: rect.width / 2, height: rect.height / 2 }
  return overlap(inner, {
    x: Math.min(from.x, to.x),
    y: Math.min(from.y, to.y),
    width: Math.abs(from.x - to.x) || 1,
    height: Math.abs(from.y - to.y) || 1,
  })
}

/** The first place at or below a point where a card covers no other card of its frame. */
export function freePlace(
  graph: Graph,
  types: NodeTypes,
  template: NodeTemplate,
  point: Point,
  parent: string | null,
): Point {
  const size = cardSize(nodeFrom(graph, types, template, point), types)
  return clearOf({ ...point, ...size }, siblingRects(graph, types, parent))
}

export interface Inserted {
  graph: Graph
  id: string
}

/** A new node in its frame: what stood beside the frame makes room when it has grown. */
function roomFor(before: Graph, after: Graph, types: NodeTypes, id: string): Inserted {
  return { graph: makeRoom(before, after, types, homeOf(after, id)), id }
}

/** Put a new node at a point: into the frame there (or the one given), and onto an edge that runs through it. */
export function insertAt(
  graph: Graph,
  types: NodeTypes,
  template: NodeTemplate,
  point: Point,
  parent: string | null = homeFor(graph, types, template, point),
): Inserted {
  const node = { ...nodeFrom(graph, types, template, point), ...(parent === null ? {} : { parent }) }
  const edge = wayUnder(waysOf(graph, types, NO_NODES), { ...point, ...cardSize(node, types) }, parent)
  const next = addNode(graph, node)
  return roomFor(graph, edge ? insertOnEdge(next, types, edge, node.id) : next, types, node.id)
}

/** Put a new node into a frame: behind what ends furthest to the right, or at a point. */
export function insertInside(
  graph: Graph,
  types: NodeTypes,
  template: NodeTemplate,
  frame: string,
  point?: Point,
): Inserted {
  if (point) return insertAt(graph, types, template, freePlace(graph, types, template, point, frame), frame)
  const goesOn = new Set(graph.edges.map((edge) => edge.source))
  const [last] = graph.nodes
    .filter(
      (node) => node.parent === frame && !goesOn.has(node.id) && outPorts(node, types.get(node.type))[0],
    )
    .sort((left, right) => right.position.x - left.position.x)
  if (last) return insertAfter(graph, types, template, { node: last.id })
  return insertAt(graph, types, template, placeInside(graph, types, frame), frame)
}

/** Put a new node between the ends of an edge that has no room for it: what follows in the lane moves to the right. */
export function insertBetween(
  graph: Graph,
  types: NodeTypes,
  template: NodeTemplate,
  edgeId: string,
): Inserted | null {
  const edge = graph.edges.find((edge) => edge.id === edgeId)
  const rects = nodeRects(graph, types)
  const target = graph.nodes.find((node) => node.id === edge?.target)
  const position = target && rects.get(target.id)
  if (!target || !position) return null
  const parent = target.parent ?? null
  const size = cardSize(nodeFrom(graph, types, template, position), types)
  const siblings = graph.nodes.filter((node) => (node.parent ?? null) === parent)
  const lane = findLanes(
    siblings.map((node) => rects.get(node.id)).filter((rect) => rect !== undefined),
  ).filled.find((filled) => position.y >= filled.top && position.y <= filled.bottom)
  const moving = siblings.filter((node) => {
    const rect = rects.get(node.id)
    return (
      rect !== undefined &&
      rect.x >= position.x &&
      lane !== undefined &&
      rect.y >= lane.top &&
      rect.y <= lane.bottom
    )
  })
  const ids = moving.map((node) => node.id)
  const shifted = nudge(graph, { nodes: ids, edges: [], annotations: [] }, size.width + GAP, 0)
  const place = { x: position.x, y: position.y + (position.height - size.height) / 2 }
  const node = { ...nodeFrom(graph, types, template, place), ...(parent === null ? {} : { parent }) }
  const next = addNode(shifted, node)
  const whole = insertOnEdge(next, types, edgeId, node.id)
  return whole === next ? null : roomFor(graph, whole, types, node.id)
}

/** The graph with a tool among those that a node's model may use; the same graph where it is already, or is no tool. */
export function giveTool(graph: Graph, id: string, template: NodeTemplate): Graph {
  const { server, tool } = template.config
  const taker = nodesById(graph).get(id)
  if (template.type !== 'tool' || typeof server !== 'string' || typeof tool !== 'string' || !taker)
    return graph
  const tools = withTool(taker.config.tools, server, tool)
  return tools === taker.config.tools ? graph : patchNode(graph, id, { config: { ...taker.config, tools } })
}

/** The graph with a tool given to the agent at a point, instead of a node of its own; undefined where there is none. */
function addedToAgent(
  graph: Graph,
  types: NodeTypes,
  template: NodeTemplate,
  middle: Point,
): Inserted | undefined {
  const { server, tool } = template.config
  if (template.type !== 'tool' || typeof server !== 'string' || typeof tool !== 'string') return undefined
  const taker = takerAt(graph, types, nodeRects(graph, types), middle)
  return taker && { graph: giveTool(graph, taker.id, template), id: taker.id }
}

/**
 * Put something where it was dropped: a tool into the agent there, else onto an edge (making room), behind a lonely
 * start, or where there is room.
 */
export function insertDropped(
  graph: Graph,
  types: NodeTypes,
  template: NodeTemplate,
  point: Point,
): Inserted {
  const card = cardSize(nodeFrom(graph, types, template, point), types)
  const added = addedToAgent(graph, types, template, {
    x: point.x + card.width / 2,
    y: point.y + card.height / 2,
  })
  if (added) return added
  const [only, ...more] = graph.nodes
  const home = homeFor(graph, types, template, point)
  const free = dropPlace(graph, types, template, point)
  const start = only?.type === 'start' && more.length === 0 ? nodeRects(graph, types).get(only.id) : undefined
  if (only && start) {
    const behind = free === point && point.x >= start.x + start.width
    return insertAfter(graph, types, template, { node: only.id }, behind ? point : undefined)
  }
  if (free.x !== point.x || free.y !== point.y) {
    const size = cardSize(nodeFrom(graph, types, template, point), types)
    const edge = wayUnder(waysOf(graph, types, NO_NODES), { ...point, ...size }, home)
    const between = edge === null ? null : insertBetween(graph, types, template, edge)
    if (between) return between
  }
  return insertAt(graph, types, template, free, home)
}

/** The one edge that goes on from a node whose ways out are all taken: what is added after it goes into that. */
export function edgeAfter(graph: Graph, types: NodeTypes, id: string): string | null {
  const node = graph.nodes.find((node) => node.id === id)
  const ports = node ? outPorts(node, types.get(node.type)).filter((port) => port.name !== 'error') : []
  const [port, ...others] = ports
  if (!port || others.length > 0) return null
  const edges = graph.edges.filter((edge) => edge.source === id && edge.source_port === port.name)
  return edges.length === 1 ? (edges[0]?.id ?? null) : null
}

/** Where a branch of a node begins: a port besides `out` that has no edge yet. Undefined where there is none. */
export function branchPort(graph: Graph, types: NodeTypes, id: string): string | undefined {
  const node = nodesById(graph).get(id)
  const used = graph.edges.filter((edge) => edge.source === id).map((edge) => edge.source_port)
  const ports = node ? outPorts(node, types.get(node.type)) : []
  return ports.find(({ name }) => name !== 'out' && !used.includes(name))?.name
}

/** Put a new node behind another one and connect them, as Enter in the palette panel and the quick-add menu do. */
export function insertAfter(
  graph: Graph,
  types: NodeTypes,
  template: NodeTemplate,
  after: { node: string; port?: string },
  point?: Point,
): Inserted {
  const source = graph.nodes.find((node) => node.id === after.node)
  const rect = nodeRects(graph, types).get(after.node)
  if (!source || !rect) return insertAt(graph, types, template, point ?? { x: 0, y: 0 })
  const parent = source.parent ?? null
  const beside = {
    x: rect.x + rect.width + GAP,
    y: rect.y + (rect.height - cardSize(nodeFrom(graph, types, template, rect), types).height) / 2,
  }
  const place = point ?? freePlace(graph, types, template, beside, parent)
  const node = { ...nodeFrom(graph, types, template, place), ...(parent === null ? {} : { parent }) }
  const ports = outPorts(source, types.get(source.type)).map((port) => port.name)
  const used = new Set(
    graph.edges.filter((edge) => edge.source === source.id).map((edge) => edge.source_port),
  )
  const port = after.port ?? ports.find((name) => !used.has(name)) ?? ports[0]
  const into = inPorts(node, types.get(node.type))[0]
  const next = addNode(graph, node)
  if (!port || !into) return roomFor(graph, next, types, node.id)
  const ends = { source: source.id, source_port: port, target: node.id, target_port: into.name }
  return roomFor(graph, connect(next, types, ends), types, node.id)
}
