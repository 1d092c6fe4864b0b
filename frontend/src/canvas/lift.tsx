/** Dragging from the rack onto the canvas: a ghost at the pointer and a snapped target in the document. */
import { type PointerEvent as ReactPointerEvent, useCallback } from 'react'
import { snapTo } from '@/graph/arrange'
import { frameAt, isEmpty, placeInside } from '@/graph/frames'
import { cardSize, nodeRects, overlap, snap } from '@/graph/geometry'
import { nodeIcon } from '@/graph/icons'
import { type NodeTemplate, nodeFrom } from '@/graph/templates'
import { takerAt } from '@/graph/tool-choice'
import type { Rect } from '@/graph/types'
import { useController } from './CanvasProvider'
import { useCanvas, useCanvasStore } from './state'

/** Pixels that the pointer moves before a press is a drag. */
const THRESHOLD = 4
const REACH = 8

/** Gives the handler for `onPointerDown` of something that can be dragged onto the canvas. */
export function useLift(): (template: NodeTemplate, event: ReactPointerEvent) => void {
  const controller = useController()
  const canvas = useCanvasStore()
  return useCallback(
    (template, event) => {
      if (event.button !== 0 || event.pointerType === 'touch' || controller.readOnly) return
      const from = { x: event.clientX, y: event.clientY }
      const { graph, types } = controller.graph.getState()
      const size = cardSize(nodeFrom(graph, types, template, from), types)
      const seen = controller.visible()
      const rects = nodeRects(graph, types)
      const others = [...rects.values()].filter((rect) => overlap(rect, seen))
      let lifted = false

      const targetAt = (pointer: { x: number; y: number }) => {
        const nothing = { target: null, guides: [], into: null, middle: undefined }
        if (!controller.isOver(pointer)) return nothing
        const at = controller.toFlow(pointer)
        const taker = template.type === 'tool' ? takerAt(graph, types, rects, at) : undefined
        const given = taker && rects.get(taker.id)
        if (given) return { ...nothing, target: given, middle: at }
        const raw: Rect = { x: at.x - size.width / 2, y: at.y - size.height / 2, ...size }
        const { point, guides } = snapTo(raw, others, REACH / controller.flow.getZoom(), snap)
        const middle = { x: point.x + size.width / 2, y: point.y + size.height / 2 }
        const into = template.type === 'start' ? null : frameAt(graph, types, middle)
        if (into && isEmpty(graph, into))
          return { ...nothing, target: { ...placeInside(graph, types, into), ...size }, into }
        return { ...nothing, target: { ...point, ...size }, guides, into }
      }
      const move = (next: PointerEvent) => {
        const pointer = { x: next.clientX, y: next.clientY }
        if (!lifted && Math.hypot(pointer.x - from.x, pointer.y - from.y) < THRESHOLD) return
        lifted = true
        next.preventDefault()
        const { target, guides, into } = targetAt(pointer)
        canvas.setState({ ghost: { template, pointer, target, guides }, into })
      }
      const end = () => {
        window.removeEventListener('pointermove', move)
        window.removeEventListener('pointerup', drop)
        window.removeEventListener('pointercancel', end)
        window.removeEventListener('keydown', abort, true)
        canvas.setState({ ghost: null, into: null })
      }
      const drop = (last: PointerEvent) => {
        const { target, middle } = targetAt({ x: last.clientX, y: last.clientY })
        end()
        if (!lifted || !target) return
        const at = middle ? { x: middle.x - size.width / 2, y: middle.y - size.height / 2 } : target
        controller.drop(template, { x: at.x, y: at.y })
      }
      const abort = (key: KeyboardEvent) => {
        if (key.key !== 'Escape') return
        key.stopPropagation()
        end()
      }
      window.addEventListener('pointermove', move)
      window.addEventListener('pointerup', drop)
      window.addEventListener('pointercancel', end)
      window.addEventListener('keydown', abort, true)
    },
    [controller, canvas],
  )
}

/** The card at the pointer while something is dragged from the rack. */
export function GhostLayer() {
  const ghost = useCanvas((state) => state.ghost)
  if (!ghost) return null
  const { template, pointer } = ghost
  const Icon = nodeIcon({ type: template.type, config: template.config })
  const server = typeof template.config.server === 'string' ? `${template.config.server}/` : ''
  return (
    <div className="ghost" style={{ left: pointer.x - 24, top: pointer.y - 24 }} aria-hidden>
      <div className="card-head">
        <span className="tile">
          <Icon />
        </span>
        <span className="card-text">
          <span className="card-title">{template.title}</span>
          <span className="card-sub">
            {server}
            {server ? template.title : template.type}
          </span>
        </span>
      </div>
    </div>
  )
}
