/** What comes before a node: the nodes whose outputs its expressions may use. */
import { edgesInto, nodesById } from './lookup'
import type { Graph, GraphNode } from './types'

/** The frames around a node, innermost first. */
export function framesOf(graph: Graph, id: string): GraphNode[] {
  const byId = nodesById(graph)
  const frames: GraphNode[] = []
  let parent = byId.get(id)?.parent
  while (parent) {
    const frame = byId.get(parent)
    if (!frame || frames.includes(frame)) break
    frames.push(frame)
    parent = frame.parent
  }
  return frames
}

/**
 * The nodes upstream of a node, nearest first, across the borders of its frames. Frames around it are not in the list
 * (`framesOf` gives them: inside they lend `item`, `index` and `loop`), nor is the node itself.
 */
export function upstreamOf(graph: Graph, id: string): GraphNode[] {
  const byId = nodesById(graph)
  const into = edgesInto(graph)
  const around = new Set(framesOf(graph, id).map((frame) => frame.id))
  const seen = new Set<string>([id])
  const matches: GraphNode[] = []
  let level = [id]
  while (level.length > 0) {
    const next: string[] = []
    for (const text of level) {
      const parent = byId.get(text)?.parent
      const before = [
        ...(into.get(text) ?? []).map((edge) => edge.source),
        ...(parent && around.has(parent) ? [parent] : []),
      ]
      for (const source of before) {
        if (seen.has(source)) continue
        seen.add(source)
        const node = byId.get(source)
        if (!node) continue
        if (!around.has(source)) matches.push(node)
        next.push(source)
      }
    }
    level = next
  }
  return matches
}

/** The nodes that a node leads to, nearest first. */
function downstreamOf(graph: Graph, id: string): GraphNode[] {
  const byId = nodesById(graph)
  const targets = new Map<string, string[]>()
  for (const edge of graph.edges) {
    const list = targets.get(edge.source)
    if (list) list.push(edge.target)
    else targets.set(edge.source, [edge.target])
  }
  const seen = new Set<string>([id])
  const matches: GraphNode[] = []
  for (let level = [id]; level.length > 0; ) {
    const next: string[] = []
    for (const text of level) {
      for (const target of targets.get(text) ?? []) {
        const node = byId.get(target)
        if (seen.has(target) || !node) continue
        seen.add(target)
        matches.push(node)
        next.push(target)
      }
    }
    level = next
  }
  return matches
}

/** Whether an edge from `source` to `target` would close a circle. */
export function wouldCycle(graph: Graph, source: string, target: string): boolean {
  return source === target || downstreamOf(graph, target).some((node) => node.id === source)
}
