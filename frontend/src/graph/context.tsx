/** React's way to the graph store: a context for the open document and hooks that read it. */
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { useStore } from 'zustand'
import { nodesById } from './lookup'
import type { GraphState, GraphStore } from './store'
import type { GraphNode, NodeType, Problem } from './types'

const GraphContext = createContext<GraphStore | null>(null)

export function GraphProvider({ store, children }: { store: GraphStore; children: ReactNode }) {
  return <GraphContext value={store}>{children}</GraphContext>
}

/** The store of the open document; only inside a GraphProvider. */
export function useGraphStore(): GraphStore {
  const store = useContext(GraphContext)
  if (!store) throw new Error('useGraphStore is used outside of a GraphProvider')
  return store
}

/** A part of the graph state. The selector must return a stable value (a part of the state, not a new object). */
export function useGraph<T>(selector: (state: GraphState) => T): T {
  return useStore(useGraphStore(), selector)
}

/** The type of a node of the open document; undefined for others, and where none is open. */
export function useTypeOf(id: string | null): string | undefined {
  return useContext(GraphContext)
    ?.getState()
    .graph.nodes.find((node) => node.id === id)?.type
}

/** The description of a node type; undefined while loading or when the type is unknown. */
export function useNodeType(type: string | undefined): NodeType | undefined {
  return useGraph((state) => (type ? state.types.get(type) : undefined))
}

/** The node that the inspector shows: the only one selected. */
export function useSelectedNode(): GraphNode | undefined {
  return useGraph((state) => {
    const [only, ...more] = state.selection.nodes
    return only && more.length === 0 ? nodesById(state.graph).get(only) : undefined
  })
}

/** Whether a node was just added and nobody has left it: what it lacks is not told in red. */
export function useFresh(id: string): boolean {
  return useGraph((state) => state.fresh.has(id))
}

/** The problems of one node. */
export function useNodeProblems(id: string): Problem[] {
  const problems = useGraph((state) => state.problems)
  return useMemo(() => problems.filter((problem) => problem.node === id), [problems, id])
}
