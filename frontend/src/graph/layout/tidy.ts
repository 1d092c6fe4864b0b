/** Tidy: ask the layout worker for places and put the nodes there. */
import { place } from '@/graph/edit/edits'
import { outPorts } from '@/graph/nodes/ports'
import type { Graph, NodeTypes } from '@/graph/types'
import { cardSize, descendants, isFrame, nodeRects, union } from './geometry'
import type { LayoutRequest, Places } from './layout'

/** Four cards and their gaps fit into a lane, as on a screen with both panels open: where no width is known. */
const LANE_WIDTH = 900

/** Room that a card needs below itself for the chips of its tools. */
const FOOTER = 32

/** The edges, and where each leaves its card: the first port is 0. */
function portedEdges(graph: Graph, types: NodeTypes): LayoutRequest['edges'] {
  const ports = new Map<string, Map<string, number>>()
  for (const node of graph.nodes) {
    const names = outPorts(node, types.get(node.type)).map((port, index) => [port.name, index] as const)
    ports.set(node.id, new Map(names))
  }
  return graph.edges.map(({ source, source_port, target }) => ({
    source,
    target,
    port: ports.get(source)?.get(source_port) ?? 0,
  }))
}

/**
 * What to lay out: all nodes, or the ones given (two or more) with what is inside them; lanes are as wide as what is
 * looked at.
 */
export function layoutRequest(
  graph: Graph,
  types: NodeTypes,
  ids: readonly string[] = [],
  laneWidth: number = LANE_WIDTH,
): LayoutRequest {
  const chosen = ids.length > 1 ? new Set([...ids, ...descendants(graph, ids)]) : null
  const nodes = chosen ? graph.nodes.filter((node) => chosen.has(node.id)) : graph.nodes
  const rects = nodeRects(graph, types)
  const around = union(nodes.map((node) => rects.get(node.id)).filter((rect) => rect !== undefined))
  return {
    nodes: nodes.map((node) => {
      const size = cardSize(node, types)
      const tall = node.config.tools ? FOOTER : 0
      return {
        id: node.id,
        parent: node.parent ?? null,
        frame: isFrame(node),
        width: size.width,
        height: size.height + tall,
      }
    }),
    edges: portedEdges(graph, types),
    origin: chosen && around ? { x: around.x, y: around.y } : { x: 0, y: 0 },
    laneWidth,
  }
}

/** The graph with the places that the layout found. */
export function applyPlaces(graph: Graph, places: Places): Graph {
  return place(graph, new Map(Object.entries(places)))
}

/** Run a layout in the worker. Rejects when the worker cannot be started. */
export function runLayout(request: LayoutRequest): Promise<Places> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = (event: MessageEvent<Places>) => {
      resolve(event.data)
      worker.terminate()
    }
    worker.onerror = (event) => {
      reject(new Error(event.message || 'the layout worker failed'))
      worker.terminate()
    }
    worker.postMessage(request)
  })
}
