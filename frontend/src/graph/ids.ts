/** Ids of nodes, edges and annotations: they are the names that expressions use, so they are readable. */
import { RESERVED, renameReferences, TEMPLATE_WORDS } from './expressions'
import type { Graph } from './types'

const ID_PATTERN = /^[a-z][a-z0-9_]{0,62}$/

/** A text as an id: lower case, underscores, at most 40 characters. */
export function slug(text: string, fallback = 'node'): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 40)
    .replace(/_+$/, '')
  if (TEMPLATE_WORDS.has(plain)) return `${plain}_1`
  return plain && !RESERVED.has(plain) ? plain : fallback
}

/** `base`, or `base_2`, `base_3`, … : the first that is not taken. */
export function freeId(taken: ReadonlySet<string>, base: string): string {
  if (!taken.has(base) && !RESERVED.has(base)) return base
  const stem = base.replace(/_\d+$/, '') || base
  for (let count = 2; ; count += 1) {
    const id = `${stem}_${count}`
    if (!taken.has(id) && !RESERVED.has(id)) return id
  }
}

export function nodeIds(graph: Graph): Set<string> {
  return new Set(graph.nodes.map((node) => node.id))
}

/** An id for a new node, from its type or from the tool it calls. */
export function newNodeId(graph: Graph, base: string): string {
  // a loop's own name means its rounds in expressions, so the first one is loop_1
  return freeId(nodeIds(graph), RESERVED.has(base) ? `${base}_1` : slug(base))
}

export function newEdgeId(graph: Graph): string {
  return newIds(
    graph.edges.map((edge) => edge.id),
    'e',
  )()
}

export function newAnnotationId(graph: Graph, kind: 'note' | 'group'): string {
  return newIds(
    (graph.annotations ?? []).map((annotation) => annotation.id),
    kind,
  )()
}

/** A source of ids `<prefix><n>` that are not among the ones given. */
export function newIds(existing: readonly string[], prefix: string): () => string {
  const taken = new Set(existing)
  let count = taken.size
  return () => {
    do count += 1
    while (taken.has(`${prefix}${count}`))
    return `${prefix}${count}`
  }
}

export type RenameRefusal = 'pattern' | 'reserved' | 'taken'

/** Why a node may not be called so; null when it may. */
export function refuseId(graph: Graph, id: string, name: string): RenameRefusal | null {
  if (!ID_PATTERN.test(name)) return 'pattern'
  if (RESERVED.has(name)) return 'reserved'
  if (name !== id && graph.nodes.some((node) => node.id === name)) return 'taken'
  return null
}

/** Rename a node's id: its edges, its children and every expression that speaks of it follow. */
export function renameNode(graph: Graph, id: string, name: string): Graph {
  if (id === name || refuseId(graph, id, name) !== null) return graph
  const names = new Map([[id, name]])
  return {
    ...graph,
    nodes: graph.nodes.map((node) => {
      let next = renameReferences(node, names)
      if (next.id === id) next = { ...next, id: name }
      if (next.parent === id) next = { ...next, parent: name }
      return next
    }),
    edges: graph.edges.map((edge) =>
      edge.source === id || edge.target === id
        ? {
            ...edge,
            source: edge.source === id ? name : edge.source,
            target: edge.target === id ? name : edge.target,
          }
        : edge,
    ),
  }
}
