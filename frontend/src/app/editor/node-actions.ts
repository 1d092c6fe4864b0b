/** What is done to one node: rename it, pin what it gave, run up to it, run it alone. By keys, and from its menu. */
import { useCallback, useMemo } from 'react'
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

export interface NodeActions {
  readonly rename: (node: string) => void
  /** `pinned` = it has a pin, which is taken out; null = there is nothing to pin. */
  readonly pinState: (node: string) => 'pinned' | 'pinnable' | null
  readonly pin: (node: string) => void
  /** Absent where nothing may be run. */
  readonly runTo: ((node: string) => void) | undefined
  readonly runAlone: ((node: string) => void) | undefined
}

/** Whether a node can run without those before it: the start has none, and the end only says what they gave. */
export const runsAlone = (node: GraphNode | undefined): boolean =>
  node !== undefined && node.type !== 'start' && node.type !== 'end'

export function useNodeFunctions(
  rename: (node: string) => void,
  runTo: ((node: string) => void) | undefined,
  runAlone: ((node: string) => void) | undefined,
): NodeActions {
  const store = useGraphStore()
  const view = useRunView()
  return useMemo(() => {
    const find = (id: string) => nodesById(store.getState().graph).get(id)
    const pinState = (id: string) => {
      const node = find(id)
      if (!node) return null
      if (node.pinned !== undefined && node.pinned !== null) return 'pinned'
      return pinnable(view?.stepValues(id)?.output) ? 'pinnable' : null
    }
    const pin = (id: string) => {
      const state = pinState(id)
      if (state === null) return
      const pinned = state === 'pinned' ? undefined : view?.stepValues(id)?.output
      store.getState().commit('pin', (graph) => patchNode(graph, id, { pinned } as Partial<GraphNode>))
    }
    return { rename, pinState, pin, runTo, runAlone }
  }, [store, view, rename, runTo, runAlone])
}

/** The keys for the one node that is selected. */
export function useNodeKeys({ rename, pinState, pin, runTo, runAlone }: NodeActions): void {
  const t = useT()
  const store = useGraphStore()
  const controller = useController()
  const only = useCallback((): GraphNode | undefined => {
    const { graph, selection } = store.getState()
    const [first, ...more] = selection.nodes
    return first !== undefined && more.length === 0 ? nodesById(graph).get(first) : undefined
  }, [store])
  const onCanvas = (): boolean => {
    const active = document.activeElement
    return active === null || active === document.body || Boolean(controller.view.element?.contains(active))
  }
  const withOnly = (act: ((node: string) => void) | undefined) => () => {
    const node = only()
    if (node) act?.(node.id)
  }
  useActions([
    {
      id: 'editor.rename',
      title: t('editor.rename_node'),
      group: t('canvas.group_edit'),
      keys: 'f2',
      run: withOnly(rename),
      when: () => onCanvas() && !store.getState().readOnly && only() !== undefined,
    },
    {
      id: 'editor.pin',
      title: t('editor.pin_output'),
      group: t('canvas.group_edit'),
      keys: 'p',
      run: withOnly(pin),
      when: () => onCanvas() && !store.getState().readOnly && pinState(only()?.id ?? '') !== null,
    },
    {
      id: 'runs.run_to_here',
      title: t('runs.run_to_here'),
      group: t('runs.title'),
      keys: 'mod+shift+enter',
      whileTyping: true,
      run: withOnly(runTo),
      when: () => runTo !== undefined && only() !== undefined,
    },
    {
      id: 'runs.run_alone',
      title: t('runs.run_alone'),
      group: t('runs.title'),
      keys: 'alt+enter',
      run: withOnly(runAlone),
      when: () => runAlone !== undefined && runsAlone(only()),
    },
  ])
}
