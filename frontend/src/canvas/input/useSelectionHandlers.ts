/** What React Flow and the mouse choose, written into the graph store's selection. */
import type { EdgeChange, NodeChange } from '@xyflow/react'
import { useCallback } from 'react'
import { type FlowEdge, type FlowNode, noteIdOf } from '@/canvas/project'
import { useGraphStore } from '@/graph/context'
import { NOTHING, type Selection } from '@/graph/types'

/** A selection with React Flow's select changes applied; the old one when nothing changed. */
export function selectionWith(
  old: Selection,
  changes: readonly { id: string; selected: boolean }[],
  kind: 'node' | 'edge',
): Selection {
  if (changes.length === 0) return old
  const nodes = new Set(old.nodes)
  const edges = new Set(old.edges)
  const notes = new Set(old.annotations)
  for (const { id, selected } of changes) {
    const note = kind === 'node' ? noteIdOf(id) : null
    const set = kind === 'edge' ? edges : note === null ? nodes : notes
    if (selected) set.add(note ?? id)
    else set.delete(note ?? id)
  }
  return { nodes: [...nodes], edges: [...edges], annotations: [...notes] }
}

const isSelect = <T extends { type: string }>(change: T): change is Extract<T, { type: 'select' }> =>
  change.type === 'select'

/** `onNodes` hears every change of the nodes, selections included. */
export function useSelectionHandlers(onNodes: ((changes: NodeChange<FlowNode>[]) => void) | undefined) {
  const store = useGraphStore()
  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      const { selection, select } = store.getState()
      const selects = changes.filter(isSelect)
      if (selects.length > 0) select(selectionWith(selection, selects, 'node'))
      onNodes?.(changes)
    },
    [store, onNodes],
  )
  const onEdgesChange = useCallback(
    (changes: EdgeChange<FlowEdge>[]) => {
      const { selection, select } = store.getState()
      const selects = changes.filter(isSelect)
      if (selects.length > 0) select(selectionWith(selection, selects, 'edge'))
    },
    [store],
  )
  const chooseFirst = useCallback(
    (_: unknown, node: FlowNode) => {
      const { selection, select } = store.getState()
      const note = noteIdOf(node.id)
      const chosen = note === null ? selection.nodes.includes(node.id) : selection.annotations.includes(note)
      if (!chosen) select(note === null ? { nodes: [node.id] } : { annotations: [note] })
    },
    [store],
  )
  const chooseClicked = useCallback(
    (event: Pick<MouseEvent, 'shiftKey' | 'ctrlKey' | 'metaKey'>, node: FlowNode) => {
      // React Flow asks what it drew last: a node deselected a moment ago is still chosen to it, and stays deselected
      if (!event.shiftKey && !event.ctrlKey && !event.metaKey) chooseFirst(event, node)
    },
    [chooseFirst],
  )
  const chooseNothing = useCallback(() => store.getState().select(NOTHING), [store])
  const chooseEdge = useCallback(
    (_: unknown, edge: FlowEdge) => {
      const { selection, select } = store.getState()
      if (!selection.edges.includes(edge.id)) select({ edges: [edge.id] })
    },
    [store],
  )

  return { onNodesChange, onEdgesChange, chooseFirst, chooseClicked, chooseNothing, chooseEdge }
}
