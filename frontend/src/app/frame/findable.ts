/** What a page adds to the command palette besides actions: the nodes of the open workflow. */
import { create } from 'zustand'

export interface Findable {
  readonly id: string
  readonly title: string
  readonly about: string
  readonly run: () => void
}

/** Lists are made when the palette opens, so that a page costs nothing before. */
type Source = () => readonly Findable[]

const useSources = create<{ readonly nodes: Source | null }>(() => ({ nodes: null }))

/** Offers the nodes of a workflow while it is open; call the result to take them away again. */
export function offerNodes(nodes: Source): () => void {
  useSources.setState({ nodes })
  return () => {
    if (useSources.getState().nodes === nodes) useSources.setState({ nodes: null })
  }
}

export function useOfferedNodes(): readonly Findable[] {
  const nodes = useSources((state) => state.nodes)
  return nodes ? nodes() : []
}
