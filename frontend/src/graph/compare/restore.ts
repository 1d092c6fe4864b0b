/** Going back to another document: whole, or one node of it. Each is one edit, whose undo step holds only what differs. */
import { remove } from '@/graph/edit/edits'
import { newEdgeId } from '@/graph/ids'
import type { Graph, GraphEdge, GraphNode } from '@/graph/types'
import { endsOf } from './compare'

/** Whether two values are written alike, so that either may stand for the other. */
const alike = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

function keptItems<T extends { id: string }>(now: readonly T[], target: readonly T[]): T[] {
  const known = new Map(now.map((item) => [item.id, item]))
  return target.map((item) => {
    const old = known.get(item.id)
    return old !== undefined && alike(old, item) ? old : item
  })
}

/** `target` in place of `graph`; what both have alike stays the same object. */
export function restoreGraph(graph: Graph, target: Graph): Graph {
  const next: Graph = {
    ...target,
    nodes: keptItems(graph.nodes, target.nodes),
    edges: keptItems(graph.edges, target.edges),
  }
  if (target.annotations || graph.annotations)
    next.annotations = keptItems(graph.annotations ?? [], target.annotations ?? [])
  for (const key of Object.keys(next))
    if (key in graph && alike(next[key], graph[key])) next[key] = graph[key]
  return next
}

/** The edges of `other` between nodes that are there, where they are missing, under free ids. */
function withEdges(graph: Graph, edges: readonly GraphEdge[]): Graph {
  const there = new Set(graph.nodes.map((node) => node.id))
  let next = graph
  for (const edge of edges) {
    if (!there.has(edge.source) || !there.has(edge.target)) continue
    const ends = endsOf(edge)
    if (next.edges.some((known) => endsOf(known) === ends)) continue
    const id = next.edges.some((known) => known.id === edge.id) ? newEdgeId(next) : edge.id
    next = { ...next, edges: [...next.edges, { ...edge, id }] }
  }
  return next
}

/** The nodes that edges lead to and from. */
const neighbours = (graph: Graph, id: string): ReadonlySet<string> =>
  new Set(
    graph.edges.flatMap(({ source, target }) => (source === id ? [target] : target === id ? [source] : [])),
  )

/** Take a node out that `other` does not have; what it stood between is joined as it was there. */
function takenOut(graph: Graph, other: Graph, id: string): Graph {
  const beside = neighbours(graph, id)
  const known = new Map(other.nodes.map((node) => [node.id, node]))
  const inside = graph.nodes.filter((node) => node.parent === id && known.has(node.id))
  const free: Graph = {
    ...graph,
    nodes: graph.nodes.map((node) =>
      inside.includes(node) ? { ...node, parent: known.get(node.id)?.parent ?? null } : node,
    ),
  }
  return withEdges(
    remove(free, { nodes: [id] }),
    other.edges.filter(({ source, target }) => beside.has(source) && beside.has(target)),
  )
}

/** One node as `other` has it: changed back, put back with its edges, or taken out. */
export function takeNode(graph: Graph, other: Graph, id: string): Graph {
  const original = other.nodes.find((node) => node.id === id)
  if (!original) return takenOut(graph, other, id)
  const ids = new Set(graph.nodes.map((node) => node.id))
  const node: GraphNode =
    original.parent && !ids.has(original.parent) ? { ...original, parent: null } : original
  if (ids.has(id)) return { ...graph, nodes: graph.nodes.map((known) => (known.id === id ? node : known)) }
  return withEdges(
    { ...graph, nodes: [...graph.nodes, node] },
    other.edges.filter(({ source, target }) => source === id || target === id),
  )
}
