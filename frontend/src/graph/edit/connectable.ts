/** What a node may be connected to, for people who connect with the keyboard. */

import { nodesById } from '@/graph/lookup'
import { inPorts, outPorts } from '@/graph/nodes/ports'
import type { Graph, GraphNode, NodeTypes } from '@/graph/types'
import { upstreamOf } from '@/graph/upstream'
import type { Ends } from './edits'

export interface Connectable {
  readonly ends: Ends
  readonly target: GraphNode
}

/** Every connection from a node that would be taken: not twice, no circle, inside one frame. Document order. */
export function connectable(graph: Graph, types: NodeTypes, id: string): Connectable[] {
  const source = nodesById(graph).get(id)
  if (!source) return []
  const before = new Set(upstreamOf(graph, id).map((node) => node.id))
  const ports = outPorts(source, types.get(source.type))
  const taken = new Set(
    graph.edges.filter((edge) => edge.source === id).map((edge) => `${edge.source_port} ${edge.target}`),
  )
  const matches: Connectable[] = []
  for (const target of graph.nodes) {
    if (target.id === id || before.has(target.id) || (target.parent ?? null) !== (source.parent ?? null))
      continue
    const into = inPorts(target, types.get(target.type))[0]
    if (!into) continue
    for (const port of ports) {
      if (taken.has(`${port.name} ${target.id}`)) continue
      const ends = { source: id, source_port: port.name, target: target.id, target_port: into.name }
      matches.push({ ends, target })
    }
  }
  return matches
}
