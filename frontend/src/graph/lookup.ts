/** Nodes by id and edges by target, made once per graph value: graphs are never changed in place. */
import type { Graph, GraphEdge, GraphNode } from './types'

const known = new WeakMap<readonly GraphNode[], ReadonlyMap<string, GraphNode>>()

export function nodesById(graph: Graph): ReadonlyMap<string, GraphNode> {
  let map = known.get(graph.nodes)
  if (!map) {
    map = new Map(graph.nodes.map((node) => [node.id, node]))
    known.set(graph.nodes, map)
  }
  return map
}

const knownEdges = new WeakMap<readonly GraphEdge[], ReadonlyMap<string, readonly GraphEdge[]>>()

/** The edges that end at each node. */
export function edgesInto(graph: Graph): ReadonlyMap<string, readonly GraphEdge[]> {
  const knownEdge = knownEdges.get(graph.edges)
  if (knownEdge) return knownEdge
  const into = new Map<string, GraphEdge[]>()
  for (const edge of graph.edges) {
    const list = into.get(edge.target)
    if (list) list.push(edge)
    else into.set(edge.target, [edge])
  }
  knownEdges.set(graph.edges, into)
  return into
}
