/** What is done to the selected node with what its run gave: pin its output, run up to it. */
import { useCallback } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import { useGraphStore } from '@/graph/context'
import { patchNode } from '@/graph/edit/edits'
import { nodesById } from '@/graph/lookup'
import type { GraphNode } from '@/graph/types'
import { useT } from '@/i18n'
import { useRunView } from '@/live/run-store'
import { useActions } from '@/ui'

/** An output that draft runs can use instead of running the node: an object that is here, not elsewhere. */
function pinnable(output: unknown): boolean {
  return typeof output === 'object' && output !== null && !Array.isArray(output) && !('$ref' in output)
}

/** The keys P and ⇧⌘Enter, for the one node that is selected. */
export function useNodeActions(onRunTo: (node: string) => void, mayRun: boolean): void {
  const t = useT()
  const store = useGraphStore()
  const controller = useController()
  const view = useRunView()
  const only = useCallback((): GraphNode | undefined => {
    const { graph, selection } = store.getState()
    const [first, ...more] = selection.nodes
    return first !== undefined && more.length === 0 ? nodesById(graph).get(first) : undefined
  }, [store])
  /** What P would write into the node: undefined takes the pin out, null = nothing to pin. */
  const next = (): unknown => {
    const node = only()
    if (!node) return null
    if (node.pinned !== undefined && node.pinned !== null) return undefined
    const output = view?.stepValues(node.id)?.output
    return pinnable(output) ? output : null
  }
  useActions([
    {
      id: 'editor.pin',
      title: t('editor.pin_output'),
      group: t('canvas.group_edit'),
      keys: 'p',
      run: () => {
        const node = only()
        const pinned = next()
        if (!node || pinned === null) return
        store.getState().commit('pin', (graph) => patchNode(graph, node.id, { pinned } as Partial<GraphNode>))
      },
      when: () => {
        const active = document.activeElement
        const here = active === null || active === document.body || controller.element?.contains(active)
        return Boolean(here) && !store.getState().readOnly && next() !== null
      },
    },
    {
      id: 'runs.run_to_here',
      title: t('runs.run_to_here'),
      group: t('runs.title'),
      keys: 'mod+shift+enter',
      whileTyping: true,
      run: () => {
        const node = only()
        if (node) onRunTo(node.id)
      },
      when: () => mayRun && only() !== undefined,
    },
  ])
}
