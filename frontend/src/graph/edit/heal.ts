/** Deleting without tearing: what led to a deleted node leads on to what came after it. */

import { descendants } from '@/graph/layout/geometry'
import { inPorts, outPorts } from '@/graph/nodes/ports'
import type { Graph, GraphEdge, NodeTypes, Selection } from '@/graph/types'
import { connect, insertOnEdge, remove } from './edits'

/** Taken only when something fails; it is not the way that went on through the node. */
const ERROR_PORT = 'error'

/** Nodes that hang together by the edges among them, in groups. */
function groupsOf(graph: Graph, ids: ReadonlySet<string>): readonly ReadonlySet<string>[] {
  const groups: Set<string>[] = []
  const seen = new Set<string>()
  for (const first of ids) {
    if (seen.has(first)) continue
    const group = new Set([first])
    for (const id of group) {
      seen.add(id)
      for (const edge of graph.edges) {
        if (edge.source === id && ids.has(edge.target)) group.add(edge.target)
        if (edge.target === id && ids.has(edge.source)) group.add(edge.source)
      }
    }
    groups.push(group)
  }
  return groups
}

/** The edges that go on from a group, where it has one way out; none where a fork leaves open which is meant. */
function waysOn(graph: Graph, group: ReadonlySet<string>): readonly GraphEdge[] {
  const out = graph.edges.filter(
    (edge) => group.has(edge.source) && !group.has(edge.target) && edge.source_port !== ERROR_PORT,
  )
  const ports = new Set(out.map((edge) => `${edge.source} ${edge.source_port}`))
  return ports.size === 1 ? out : []
}

/** Delete what is selected, and join the ends that are left open. */
export function removeAndHeal(graph: Graph, types: NodeTypes, selection: Partial<Selection>): Graph {
  const chosen = new Set(selection.nodes ?? [])
  const gone = new Set([...chosen, ...descendants(graph, chosen)])
  const cut = new Set(selection.edges ?? [])
  const kept = { ...graph, edges: graph.edges.filter((edge) => !cut.has(edge.id)) }
  let next = remove(graph, selection)
  for (const group of groupsOf(kept, gone)) {
    const into = kept.edges.filter((edge) => group.has(edge.target) && !group.has(edge.source))
    for (const before of into) {
      for (const after of waysOn(kept, group)) {
        const { source, source_port } = before
        const { target, target_port } = after
        next = connect(next, types, { source, source_port, target, target_port })
      }
    }
  }
  return next
}

/**
 * Whether a node can be taken out of where it stands and put into another edge: a fork cannot, of which nobody can say
 * which of its ways goes on.
 */
export function canRehang(graph: Graph, types: NodeTypes, id: string): boolean {
  const node = graph.nodes.find((node) => node.id === id)
  const type = node && types.get(node.type)
  if (!node || inPorts(node, type).length === 0 || outPorts(node, type).length === 0) return false
  const ways = graph.edges.filter((edge) => edge.source === id && edge.source_port !== ERROR_PORT)
  return new Set(ways.map((edge) => edge.source_port)).size < 2
}

/**
 * Put a node between the ends of an edge: what led to it leads on to what came after it, and its way for errors goes
 * with it. The same graph where that cannot be.
 */
export function rehang(graph: Graph, types: NodeTypes, edge: string, id: string): Graph {
  if (!canRehang(graph, types, id)) return graph
  const into = graph.edges.filter((edge) => edge.target === id)
  const on = waysOn(graph, new Set([id]))
  const left = new Set([...into, ...on].map((edge) => edge.id))
  if (left.has(edge)) return graph
  let open: Graph = { ...graph, edges: graph.edges.filter((edge) => !left.has(edge.id)) }
  for (const { source, source_port } of into)
    for (const { target, target_port } of on)
      open = connect(open, types, { source, source_port, target, target_port })
  const hung = insertOnEdge(open, types, edge, id)
  return hung === open ? graph : hung
}
