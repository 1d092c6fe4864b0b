/** Our own minimap: the far painter in small, with the view as a frame that can be dragged. */
import { useStoreApi } from '@xyflow/react'
import { type PointerEvent, useEffect, useRef } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import type { CanvasController } from '@/canvas/controller'
import { useCanvas } from '@/canvas/state'
import { useGraph, useGraphStore } from '@/graph/context'
import { nodeRects, union } from '@/graph/layout/geometry'
import type { GraphStore } from '@/graph/store'
import type { Rect } from '@/graph/types'
import { useT } from '@/i18n'
import { useRunView } from '@/live/run-store'
import { onTheme } from '@/ui/theme'
import { onFrame, paint, readPalette } from './FarLayer'
import '@/canvas/menus/floating.css'

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

interface MapSources {
  readonly store: GraphStore
  readonly flow: ReturnType<typeof useStoreApi>
  readonly run: ReturnType<typeof useRunView>
  readonly controller: CanvasController
  /** The transform that the map is painted with, whenever it changes. */
  readonly onView: (view: View) => void
}

interface View {
  readonly x: number
  readonly y: number
  readonly zoom: number
}

/** Paints the map into `canvas` and again whenever graph, run or view change; gives what ends it. */
function drawMap(canvas: HTMLCanvasElement, { store, flow, run, controller, onView }: MapSources) {
  const context = canvas.getContext('2d')
  if (!context) return undefined
  const cards = document.createElement('canvas')
  const painter = cards.getContext('2d')
  if (!painter) return undefined
  let colours = readPalette(canvas)
  let rects = new Map<string, Rect>()
  let all: Rect | null = null
  let measured: unknown
  let stale = true
  let shown = { x: 0, y: 0, zoom: 0 }
  let view0 = ''

  /** The cards, painted once and kept until the graph, the run or the map's own scale changes. */
  const paintCards = (scale: number): void => {
    const { graph, types } = store.getState()
    if (measured !== graph.nodes) {
      measured = graph.nodes
      rects = nodeRects(graph, types)
      all = union([...rects.values()])
    }
    const box = all && union([all, controller.view.visible()])
    if (!all || !box) return
    const next = mapView(box, canvas.clientWidth, canvas.clientHeight)
    const moved = next.x !== shown.x || next.y !== shown.y || next.zoom !== shown.zoom
    if (!moved && !stale) return
    stale = false
    shown = next
    onView(next)
    cards.width = canvas.width
    cards.height = canvas.height
    const scaled = { x: shown.x * scale, y: shown.y * scale, zoom: shown.zoom * scale }
    const everything = { x: all.x - 1, y: all.y - 1, width: all.width + 2, height: all.height + 2 }
    paint(painter, store, rects, run, colours, scaled, everything, false)
  }
  const frame = onFrame(() => {
    const scale = window.devicePixelRatio || 1
    const { clientWidth, clientHeight } = canvas
    if (clientWidth === 0) return
    if (canvas.width !== clientWidth * scale) {
      canvas.width = clientWidth * scale
      canvas.height = clientHeight * scale
      stale = true
    }
    paintCards(scale)
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, canvas.width, canvas.height)
    if (!all) return
    context.drawImage(cards, 0, 0)
    const seen = controller.view.visible()
    const { x, y, zoom } = shown
    context.setTransform(zoom * scale, 0, 0, zoom * scale, x * scale, y * scale)
    context.lineWidth = 1.5 / zoom
    context.strokeStyle = colours.accent
    context.strokeRect(seen.x, seen.y, seen.width, seen.height)
  })
  const changed = () => {
    stale = true
    frame.soon()
  }
  const recoloured = () => {
    stale = true
    frame.eventually()
  }
  const dressed = () => {
    colours = readPalette(canvas)
    changed()
  }
  /** React Flow's store changes with every drag; only the view matters here. */
  const looked = () => {
    const { transform, width, height } = flow.getState()
    const now = `${transform} ${width} ${height}`
    if (now === view0) return
    view0 = now
    frame.soon()
  }
  frame.soon()
  const leave = [
    flow.subscribe(looked),
    store.subscribe(changed),
    run?.subscribe(recoloured),
    onTheme(dressed),
  ]
  return () => {
    frame.stop()
    for (const each of leave) each?.()
  }
}

export function MiniMap() {
  const empty = useGraph((state) => state.graph.nodes.length === 0)
  return empty ? null : <MapOfNodes />
}

function MapOfNodes() {
  const t = useT()
  const element = useRef<HTMLCanvasElement>(null)
  const view = useRef<View>({ x: 0, y: 0, zoom: 1 })
  const store = useGraphStore()
  const flow = useStoreApi()
  const run = useRunView()
  const controller = useController()
  const aside = useCanvas((state) => state.mapAside)

  useEffect(() => {
    const canvas = element.current
    if (!canvas) return
    const onView = (next: View) => {
      view.current = next
    }
    return drawMap(canvas, { store, flow, run, controller, onView })
  }, [store, flow, run, controller])

  const panTo = (event: PointerEvent<HTMLElement>) => {
    const rect = event.currentTarget.getBoundingClientRect()
    const { x, y, zoom } = view.current
    const place = { x: (event.clientX - rect.left - x) / zoom, y: (event.clientY - rect.top - y) / zoom }
    controller.view.letGo()
    void controller.flow.setCenter(place.x, place.y, { zoom: controller.flow.getZoom() })
  }
  return (
    <div
      className="canvas-map"
      data-aside={aside}
      role="img"
      aria-label={t('canvas.minimap')}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        panTo(event)
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) panTo(event)
      }}
    >
      <canvas ref={element} aria-hidden />
    </div>
  )
}
