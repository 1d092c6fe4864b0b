/** Tidy: ask the layout worker for places and put the nodes there. */
import { place } from './edits'
import { cardSize, descendants, isFrame, nodeRects, union } from './geometry'
import type { LayoutRequest, Places } from './layout'
import type { Graph, NodeTypes } from './types'

/** Four cards and their gaps fit into a lane, as on a screen with both panels open. */
export const LANE_WIDTH = 900

/** Room that a card needs below itself for the chips of its tools. */
const FOOTER = 32

/** What to lay out: all nodes, or the ones given (two or more) with what is inside them. */
export function layoutRequest(graph: Graph, types: NodeTypes, ids: readonly string[] = []): LayoutRequest {
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
    edges: graph.edges.map(({ source, target }) => ({ source, target })),
    origin: chosen && around ? { x: around.x, y: around.y } : { x: 0, y: 0 },
    laneWidth: LANE_WIDTH,
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
