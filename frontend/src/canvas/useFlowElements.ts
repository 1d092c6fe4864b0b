/** The document as React Flow is given it, and the lanes that its edges run through. */
import { useEffect, useMemo } from 'react'
import { useGraph, useGraphStore } from '@/graph/context'
import { nodeRects } from '@/graph/layout/geometry'
import { findLanes } from '@/graph/layout/routes'
import { type FlowEdge, type FlowNode, Projection } from './project'
import { useCanvas, useCanvasStore } from './state'

const NO_NODES: FlowNode[] = []
const NO_EDGES: FlowEdge[] = []

export function useFlowElements() {
  const graph = useGraph((state) => state.graph)
  const types = useGraph((state) => state.types)
  const selection = useGraph((state) => state.selection)
  const readOnly = useGraph((state) => state.readOnly)
  const places = useCanvas((state) => state.places)
  const sizes = useCanvas((state) => state.sizes)
  const homes = useCanvas((state) => state.dropParents)
  const far = useCanvas((state) => state.lod === 'far')
  const projection = useMemo(() => new Projection(), [])
  const nodes = useMemo(
    () =>
      far
        ? NO_NODES
        : projection.projectNodes(graph, types, selection, { places, sizes, dropParents: homes }, readOnly),
    [far, projection, graph, types, selection, places, sizes, homes, readOnly],
  )
  const edges = useMemo(
    () => (far ? NO_EDGES : projection.projectEdges(graph, selection)),
    [far, projection, graph, selection],
  )
  return { nodes, edges, far }
}

/** Keep the lanes that edges run through in step with the document. */
export function useLanes(): void {
  const canvas = useCanvasStore()
  const nodes = useGraph((state) => state.graph.nodes)
  const types = useGraph((state) => state.types)
  const store = useGraphStore()
  // biome-ignore lint/correctness/useExhaustiveDependencies: found again whenever nodes or their types change
  useEffect(() => {
    const { graph } = store.getState()
    const rects = nodeRects(graph, types)
    const outer = graph.nodes.filter((node) => !node.parent).map((node) => rects.get(node.id))
    canvas.setState({ lanes: findLanes(outer.filter((rect) => rect !== undefined)) })
  }, [canvas, store, nodes, types])
}
