/** From one node to the next along the edges, as the arrow keys go. */
import { nodeRects } from '@/graph/layout/geometry'
import { nodesById } from '@/graph/lookup'
import type { Graph, NodeTypes } from '@/graph/types'

/** The node after `from` (or before it); the first one where nothing is selected. Undefined at the end of the way. */
export function nextNode(
  graph: Graph,
  types: NodeTypes,
  from: string | undefined,
  direction: 1 | -1,
): string | undefined {
  if (from === undefined) return graph.nodes.find((node) => node.type === 'start')?.id ?? graph.nodes[0]?.id
  const rects = nodeRects(graph, types)
  const highest = (ids: string[]): string | undefined =>
    ids.sort((left, right) => (rects.get(left)?.y ?? 0) - (rects.get(right)?.y ?? 0))[0]
  if (direction === -1) {
    const before = highest(graph.edges.filter((edge) => edge.target === from).map((edge) => edge.source))
    return before ?? nodesById(graph).get(from)?.parent ?? undefined
  }
  return (
    highest(graph.edges.filter((edge) => edge.source === from).map((edge) => edge.target)) ??
    highest(graph.nodes.filter((node) => node.parent === from).map((node) => node.id)) ??
    sibling(graph, from)
  )
}

/** The next branch where a way ends: the nearest fork above that has a branch below the one we came from. */
function sibling(graph: Graph, from: string): string | undefined {
  const seen = new Set<string>()
  for (let here = from; !seen.has(here); ) {
    seen.add(here)
    const into = graph.edges.find((edge) => edge.target === here)
    if (!into) return undefined
    const branches = graph.edges.filter((edge) => edge.source === into.source).map((edge) => edge.target)
    const later = branches.slice(branches.indexOf(here) + 1).find((id) => !seen.has(id))
    if (later) return later
    here = into.source
  }
  return undefined
}
