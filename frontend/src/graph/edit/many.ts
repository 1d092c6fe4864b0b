/** Changing several nodes at once: the fields that all of them have, as one edit. */

import type { Graph, GraphNode } from '@/graph/types'

/** What several nodes have in one place: the value where it is the same, `mixed` where it is not. */
export type Shared<T> = { readonly mixed: false; readonly value: T } | { readonly mixed: true }

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

export function shared<T>(nodes: readonly GraphNode[], read: (node: GraphNode) => T): Shared<T> | null {
  const [first, ...others] = nodes
  if (!first) return null
  const value = read(first)
  return others.every((node) => same(read(node), value)) ? { mixed: false, value } : { mixed: true }
}

type Patch = (node: GraphNode) => Partial<GraphNode>

/** Change several nodes; keys set to undefined are removed from them. */
export function patchNodes(graph: Graph, ids: readonly string[], patch: Patch): Graph {
  const chosen = new Set(ids)
  const nodes = graph.nodes.map((node) => {
    if (!chosen.has(node.id)) return node
    const change = patch(node)
    if (Object.entries(change).every(([key, value]) => same(node[key], value))) return node
    const next = { ...node, ...change } as GraphNode
    for (const [key, value] of Object.entries(change)) if (value === undefined) delete next[key]
    return next
  })
  return nodes.every((node, index) => node === graph.nodes[index]) ? graph : { ...graph, nodes }
}

/** Settings of a configuration that all nodes have as text, a number or a switch: `model`, `server`, `temperature`. */
export function commonConfig(nodes: readonly GraphNode[]): readonly string[] {
  const [first, ...others] = nodes
  if (!first) return []
  const plain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
  return Object.keys(first.config).filter(
    (key) =>
      plain(first.config[key]) &&
      others.every((node) => typeof node.config[key] === typeof first.config[key]),
  )
}
