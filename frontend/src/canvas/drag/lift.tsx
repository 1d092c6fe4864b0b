/** Dragging from the palette panel onto the canvas: a ghost at the pointer and a snapped target in the document. */
import { type PointerEvent as ReactPointerEvent, useCallback } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import { useCanvas, useCanvasStore } from '@/canvas/state'
import { snapTo } from '@/graph/edit/arrange'
import { frameAt, isEmpty, placeInside } from '@/graph/layout/frames'
import { cardSize, nodeRects, overlap, snap } from '@/graph/layout/geometry'
import { nodeIcon } from '@/graph/nodes/icons'
import { type NodeTemplate, nodeFrom } from '@/graph/nodes/templates'
import { takerAt } from '@/graph/nodes/tool-choice'
import type { Rect } from '@/graph/types'
import './overlay.css'

/** Pixels that the pointer moves before a press is a drag. */
const THRESHOLD = 4
const REACH = 8
/** How long a finger rests before what is under it is lifted; one that moves on scrolls the palette panel. */
const HOLD_MS = 250
const SLIP = 8

/** Gives the handler for `onPointerDown` of something that can be dragged onto the canvas. */
export function useLift(): (template: NodeTemplate, event: ReactPointerEvent) => void {
  const controller = useController()
  const canvas = useCanvasStore()
  return useCallback(
    (template, event) => {
      if (event.button !== 0 || !event.isPrimary || controller.readOnly) return
      const from = { x: event.clientX, y: event.clientY }
      const { graph, types } = controller.graph.getState()
      const size = cardSize(nodeFrom(graph, types, template, from), types)
      const seen = controller.view.visible()
      const rects = nodeRects(graph, types)
      const others = [...rects.values()].filter((rect) => overlap(rect, seen))
      const finger = event.pointerType === 'touch'
      let lifted = false
      let held = !finger

      const targetAt = (pointer: { x: number; y: number }) => {
        const nothing = { target: null, guides: [], into: null, middle: undefined }
        if (!controller.view.isOver(pointer)) return nothing
        const place = controller.view.toFlow(pointer)
        const taker = template.type === 'tool' ? takerAt(graph, types, rects, place) : undefined
        const rect = taker && rects.get(taker.id)
        if (rect) return { ...nothing, target: rect, middle: place }
        const raw: Rect = { x: place.x - size.width / 2, y: place.y - size.height / 2, ...size }
        const { point, guides } = snapTo(raw, others, REACH / controller.flow.getZoom(), snap)
        const middle = { x: point.x + size.width / 2, y: point.y + size.height / 2 }
        const into = template.type === 'start' ? null : frameAt(graph, types, middle)
        if (into && isEmpty(graph, into))
          return { ...nothing, target: { ...placeInside(graph, types, into), ...size }, into }
        return { ...nothing, target: { ...point, ...size }, guides, into }
      }
      const lift = (pointer: { x: number; y: number }) => {
        lifted = true
        const { target, guides, into } = targetAt(pointer)
        canvas.setState({ ghost: { template, pointer, target, guides }, into })
      }
      const hold = finger
        ? window.setTimeout(() => {
            held = true
            lift(from)
          }, HOLD_MS)
        : 0
      const move = (next: PointerEvent) => {
        const pointer = { x: next.clientX, y: next.clientY }
        const [dx, dy] = [Math.abs(pointer.x - from.x), Math.abs(pointer.y - from.y)]
        if (!lifted && Math.hypot(dx, dy) < (held ? THRESHOLD : SLIP)) return
        // Up and down is the palette's own way; sideways leads out of it.
        if (!held && dy > dx) return end()
        window.clearTimeout(hold)
        held = true
        next.preventDefault()
        lift(pointer)
      }
      /** Once lifted, the finger no longer scrolls what it lies on. */
      const still = (touch: TouchEvent) => {
        if (lifted && touch.cancelable) touch.preventDefault()
      }
      const end = () => {
        window.clearTimeout(hold)
        window.removeEventListener('touchmove', still)
        window.removeEventListener('contextmenu', noMenu, true)
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
        const place = middle ? { x: middle.x - size.width / 2, y: middle.y - size.height / 2 } : target
        controller.drop(template, { x: place.x, y: place.y })
      }
      const abort = (key: KeyboardEvent) => {
        if (key.key !== 'Escape') return
        key.stopPropagation()
        end()
      }
      const noMenu = (menu: Event) => menu.preventDefault()
      if (finger) {
        window.addEventListener('touchmove', still, { passive: false })
        window.addEventListener('contextmenu', noMenu, true)
      }
      window.addEventListener('pointermove', move)
      window.addEventListener('pointerup', drop)
      window.addEventListener('pointercancel', end)
      window.addEventListener('keydown', abort, true)
    },
    [controller, canvas],
  )
}

/** The card at the pointer while something is dragged from the palette panel. */
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
