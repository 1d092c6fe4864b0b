/** What the canvas itself does under the hand: zooming between near and far, clicks and double clicks on it, its keys. */
import { type KeyboardEvent, type MouseEvent, useCallback } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import { lodAt, useCanvasStore } from '@/canvas/state'
import { useGraphStore } from '@/graph/context'
import { contains, nodeRects, snapPoint } from '@/graph/layout/geometry'
import { NOTHING, type Point } from '@/graph/types'

const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/** Moving the view and clicking what is empty, as React Flow tells it. */
export function usePaneHandlers() {
  const store = useGraphStore()
  const canvas = useCanvasStore()
  const controller = useController()
  const onMove = useCallback(
    (event: unknown, viewport: { zoom: number }) => {
      if (event) controller.view.letGo()
      const before = canvas.getState().lod
      const next = lodAt(viewport.zoom, before)
      if (next !== before) canvas.setState({ lod: next })
    },
    [canvas, controller],
  )
  /** A wheel's first turn is told only here; a press that may become a drag, too, but that moves nothing yet. */
  const onMoveStart = useCallback(
    (event: { readonly type: string } | null) => {
      if (event?.type === 'wheel') controller.view.letGo()
    },
    [controller],
  )
  /** Far away there are no nodes to click: find the card under the pointer and go to it. */
  const onPaneClick = useCallback(
    (event: { clientX: number; clientY: number }) => {
      if (canvas.getState().lod !== 'far') return
      const point = controller.view.toFlow({ x: event.clientX, y: event.clientY })
      const { graph, types, select } = store.getState()
      const rects = nodeRects(graph, types)
      const hit = graph.nodes.findLast((node) => {
        const rect = rects.get(node.id)
        return rect !== undefined && contains(rect, point)
      })
      if (hit) controller.view.reveal(hit.id)
      else select(NOTHING)
    },
    [canvas, controller, store],
  )
  return { onMove, onMoveStart, onPaneClick }
}

/** Arrows move what is selected, Tab walks along the edges; only where the canvas or a node has the focus. */
export function useCanvasKeyDown(locked: boolean) {
  const controller = useController()
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = event.target as HTMLElement
    if (target !== event.currentTarget && !target.matches('.react-flow__node, .react-flow')) return
    const arrow = ARROWS[event.key]
    if (arrow && !locked) {
      const by = event.shiftKey ? 50 : 10
      if (controller.nudge(arrow.x * by, arrow.y * by)) event.preventDefault()
    }
    if (event.key !== 'Tab') return
    if (controller.step(event.shiftKey ? -1 : 1)) event.preventDefault()
  }
}

/** A double click opens a node, or adds one where nothing is. */
export function useCanvasDoubleClick(locked: boolean, onOpen: () => void) {
  const store = useGraphStore()
  const canvas = useCanvasStore()
  const controller = useController()
  return (event: MouseEvent<HTMLElement>) => {
    const target = event.target as HTMLElement
    const frame = target.classList.contains('frame') && !locked && target.dataset.frame
    const screen = { x: event.clientX, y: event.clientY }
    if (frame) {
      const point = controller.view.toFlow(screen)
      controller.openQuickAdd({ screen, flow: snapPoint({ x: point.x - 100, y: point.y - 32 }), into: frame })
    } else if (target.closest('.react-flow__node[data-id]')) {
      if (store.getState().selection.nodes.length === 1) onOpen()
    } else if (target.classList.contains('react-flow__pane') && !locked && canvas.getState().lod !== 'far') {
      const point = controller.view.toFlow(screen)
      controller.openQuickAdd({ screen, flow: snapPoint({ x: point.x - 100, y: point.y - 32 }) })
    }
  }
}
