/** What the editor puts around everything that speaks to the canvas: its state, React Flow's, and the controller. */
import { ReactFlowProvider, useReactFlow } from '@xyflow/react'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { useGraphStore } from '@/graph/context'
import { CanvasController } from './controller'
import type { FlowEdge, FlowNode } from './project'
import { CanvasContext, createCanvasStore } from './state'

const ControllerContext = createContext<CanvasController | null>(null)

function WithController({ children }: { children: ReactNode }) {
  const graph = useGraphStore()
  const flow = useReactFlow<FlowNode, FlowEdge>()
  const canvas = useMemo(() => createCanvasStore(graph.getState().graph.nodes.length), [graph])
  const controller = useMemo(() => new CanvasController(graph, canvas, flow), [graph, canvas, flow])
  return (
    <CanvasContext value={canvas}>
      <ControllerContext value={controller}>{children}</ControllerContext>
    </CanvasContext>
  )
}

export function CanvasProvider({ children }: { children: ReactNode }) {
  return (
    <ReactFlowProvider>
      <WithController>{children}</WithController>
    </ReactFlowProvider>
  )
}

export function useController(): CanvasController {
  const controller = useContext(ControllerContext)
  if (!controller) throw new Error('useController is used outside of a CanvasProvider')
  return controller
}
