/** Drawing edges: from port to port, onto a card beside its port, or into the void, where the quick-add menu opens. */
import type { Connection, FinalConnectionState } from '@xyflow/react'
import { useCallback } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import type { FlowEdge } from '@/canvas/project'
import { useGraphStore } from '@/graph/context'
import { connect, type Ends, reconnect, refuseEdge } from '@/graph/edit/edits'
import { snapPoint } from '@/graph/layout/geometry'
import { inPorts } from '@/graph/nodes/ports'

const endsOf = (connection: Connection | FlowEdge): Ends => ({
  source: connection.source,
  source_port: connection.sourceHandle ?? 'out',
  target: connection.target,
  target_port: connection.targetHandle ?? 'in',
})

export function useConnectionHandlers() {
  const store = useGraphStore()
  const controller = useController()
  const isValidConnection = useCallback(
    (connection: Connection | FlowEdge) => {
      const { graph, types } = store.getState()
      return refuseEdge(graph, types, endsOf(connection)) === null
    },
    [store],
  )
  const onConnect = useCallback(
    (connection: Connection) => {
      const { commit, types } = store.getState()
      commit('connect', (graph) => connect(graph, types, endsOf(connection)))
    },
    [store],
  )
  const onReconnect = useCallback(
    (edge: FlowEdge, connection: Connection) => {
      const { commit, types } = store.getState()
      commit('reconnect', (graph) => reconnect(graph, types, edge.id, endsOf(connection)))
    },
    [store],
  )
  const onConnectEnd = useCallback(
    (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
      if (state.isValid || state.toNode || !state.fromNode || state.fromHandle?.type !== 'source') return
      const place = 'changedTouches' in event ? event.changedTouches[0] : event
      if (!place) return
      const screen = { x: place.clientX, y: place.clientY }
      const source = state.fromNode.id
      const source_port = state.fromHandle.id ?? 'out'
      // Dropped on a card beside its port: the card is meant.
      const card = document
        .elementFromPoint(screen.x, screen.y)
        ?.closest<HTMLElement>('.react-flow__node-card')
      const { graph, types, commit } = store.getState()
      const target = graph.nodes.find((node) => node.id === card?.dataset.id)
      if (target) {
        const into = inPorts(target, types.get(target.type))[0]
        const ends = { source, source_port, target: target.id, target_port: into?.name ?? '' }
        commit('connect', (now) => connect(now, types, ends))
        return
      }
      const flow = controller.view.toFlow(screen)
      controller.openQuickAdd({
        screen,
        flow: snapPoint({ x: flow.x, y: flow.y - 32 }),
        after: { node: source, port: source_port },
      })
    },
    [controller, store],
  )
  return { isValidConnection, onConnect, onReconnect, onConnectEnd }
}
