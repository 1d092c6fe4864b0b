/** Which edge the pointer is at: its button stays long enough to be reached. */
import { useCallback, useRef } from 'react'
import type { FlowEdge } from '@/canvas/project'
import { useCanvasStore } from '@/canvas/state'

const LEAVE_MS = 600

export function useEdgeHover() {
  const canvas = useCanvasStore()
  /** Long enough to reach the button on the edge, which is not part of it. */
  const leaving = useRef(0)
  const onEdgeMouseEnter = useCallback(
    (_: unknown, edge: FlowEdge) => {
      window.clearTimeout(leaving.current)
      canvas.setState({ edge: edge.id })
    },
    [canvas],
  )
  const onEdgeMouseLeave = useCallback(() => {
    window.clearTimeout(leaving.current)
    leaving.current = window.setTimeout(function leave() {
      if (document.querySelector('.edge-add:is(:hover, :focus-visible)'))
        leaving.current = window.setTimeout(leave, LEAVE_MS)
      else canvas.setState({ edge: null })
    }, LEAVE_MS)
  }, [canvas])
  return { onEdgeMouseEnter, onEdgeMouseLeave }
}
