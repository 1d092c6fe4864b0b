/** Nodes by id, made once per graph value; graphs are never changed in place, so it can be kept with them. */
import type { Graph, GraphNode } from './types'

const known = new WeakMap<readonly GraphNode[], ReadonlyMap<string, GraphNode>>()

export function nodesById(graph: Graph): ReadonlyMap<string, GraphNode> {
  let map = known.get(graph.nodes)
  if (!map) {
    map = new Map(graph.nodes.map((node) => [node.id, node]))
    known.set(graph.nodes, map)
  }
  return map
}
