/** Our own minimap: the far painter in small, with the view as a frame that can be dragged. */
import { useStoreApi } from '@xyflow/react'
import { type PointerEvent, useEffect, useRef } from 'react'
import { useRunView } from '@/api/run-store'
import { useGraphStore } from '@/graph/context'
import { nodeRects, union } from '@/graph/geometry'
import type { Rect } from '@/graph/types'
import { useT } from '@/i18n'
import { useController } from './CanvasProvider'
import { onFrame, paint, readPalette } from './FarLayer'

const PADDING = 8

/** The transform that shows `all` inside a box. */
export function mapView(all: Rect, width: number, height: number): { x: number; y: number; zoom: number } {
  const zoom = Math.min((width - 2 * PADDING) / all.width, (height - 2 * PADDING) / all.height, 0.2)
  return {
    zoom,
    x: width / 2 - (all.x + all.width / 2) * zoom,
    y: height / 2 - (all.y + all.height / 2) * zoom,
  }
}

export function MiniMap() {
  const t = useT()
  const element = useRef<HTMLCanvasElement>(null)
  const view = useRef({ x: 0, y: 0, zoom: 1 })
  const store = useGraphStore()
  const flow = useStoreApi()
  const run = useRunView()
  const controller = useController()

  useEffect(() => {
    const canvas = element.current
    const context = canvas?.getContext('2d')
    if (!canvas || !context) return
    const colours = readPalette(canvas)
    const frame = onFrame(() => {
      const { graph, types } = store.getState()
      const scale = window.devicePixelRatio || 1
      const { clientWidth, clientHeight } = canvas
      if (canvas.width !== clientWidth * scale) {
        canvas.width = clientWidth * scale
        canvas.height = clientHeight * scale
      }
      const rects = nodeRects(graph, types)
      const seen = controller.visible()
      const all = union([...rects.values()])
      context.setTransform(1, 0, 0, 1, 0, 0)
      context.clearRect(0, 0, canvas.width, canvas.height)
      if (!all) return
      const shown = mapView(union([all, seen]) ?? all, clientWidth, clientHeight)
      view.current = shown
      const scaled = { x: shown.x * scale, y: shown.y * scale, zoom: shown.zoom * scale }
      const everything = { x: all.x - 1, y: all.y - 1, width: all.width + 2, height: all.height + 2 }
      paint(context, store, rects, run, colours, scaled, everything, false)
      context.lineWidth = 1.5 / shown.zoom
      context.strokeStyle = colours.accent
      context.strokeRect(seen.x, seen.y, seen.width, seen.height)
    })
    frame.soon()
    const leave = [flow.subscribe(frame.soon), store.subscribe(frame.soon), run?.subscribe(frame.soon)]
    return () => {
      frame.stop()
      for (const each of leave) each?.()
    }
  }, [store, flow, run, controller])

  const go = (event: PointerEvent<HTMLElement>) => {
    const rect = event.currentTarget.getBoundingClientRect()
    const { x, y, zoom } = view.current
    const at = { x: (event.clientX - rect.left - x) / zoom, y: (event.clientY - rect.top - y) / zoom }
    void controller.flow.setCenter(at.x, at.y, { zoom: controller.flow.getZoom() })
  }
  return (
    <div
      className="canvas-map"
      role="img"
      aria-label={t('canvas.minimap')}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        go(event)
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) go(event)
      }}
    >
      <canvas ref={element} aria-hidden />
    </div>
  )
}
