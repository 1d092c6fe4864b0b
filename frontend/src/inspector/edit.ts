/** How the inspector edits: everything is a commit of the graph store, and typing in one place is one undo step. */
import { useMemo } from 'react'
import { type Path, toPointer, write } from '@/forms'
import { useGraphStore } from '@/graph/context'
import { patchNode } from '@/graph/edit/edits'
import type { EditLabel, GraphNode } from '@/graph/types'

export interface NodeEdit {
  /** Set one key of the node's configuration (undefined removes it). `place` names the field for merging. */
  config: (path: Path, value: unknown, place?: Path) => void
  /** Set keys of the node itself (undefined removes one). */
  node: (patch: Partial<GraphNode>, label?: EditLabel) => void
}

export function useNodeEdit(id: string): NodeEdit {
  const store = useGraphStore()
  return useMemo(
    () => ({
      config: (path, value, place = []) =>
        void store.getState().commit(
          'config',
          (graph) => {
            const node = graph.nodes.find((node) => node.id === id)
            const config = write(node?.config ?? {}, path, value)
            return patchNode(graph, id, { config: (config ?? {}) as Record<string, unknown> })
          },
          { merge: `${id}:config${toPointer([...path, ...place])}` },
        ),
      node: (patch, label = 'settings') =>
        void store.getState().commit(label, (graph) => patchNode(graph, id, patch), {
          merge: `${id}:${Object.keys(patch).join(',')}`,
        }),
    }),
    [store, id],
  )
}
