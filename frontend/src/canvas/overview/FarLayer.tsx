/**
 * The whole graph on one canvas element, for zooms at which nobody reads cards: boxes in status colours and straight
 * lines, painted once per animation frame from our own store. React Flow has no nodes then.
 */
import { useStoreApi } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { useGraphStore } from '@/graph/context'
import { isFrame, nodeRects } from '@/graph/layout/geometry'
import type { GraphStore } from '@/graph/store'
import type { Rect } from '@/graph/types'
import { type RunView, useRunView } from '@/live/run-store'
import { toneOf } from '@/ui'
import { onTheme } from '@/ui/theme'
import '@/canvas/menus/floating.css'

/** Colours from the tokens; read when painting starts and whenever the theme changes. */
export interface Palette {
  surface: string
  line: string
  strong: string
  accent: string
  failed: string
  tones: Record<string, string>
}

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element)
  const get = (name: string): string => style.getPropertyValue(name).trim()
  const tones = ['running', 'ok', 'failed', 'waiting', 'person', 'idle']
  return {
    surface: get('--surface'),
    line: get('--line-mid'),
    strong: get('--line-strong'),
    accent: get('--accent'),
    failed: get('--failed'),
    tones: Object.fromEntries(tones.map((tone) => [tone, get(`--${tone}`)])),
  }
}

/** Paints boxes (and lines) through a transform; what is outside of `seen` is left out. */
export function paint(
  context: CanvasRenderingContext2D,
  store: GraphStore,
  rects: ReadonlyMap<string, Rect>,
  run: RunView | null,
  colours: Palette,
  view: { x: number; y: number; zoom: number },
  seen: Rect,
  lines: boolean,
): void {
  const { graph, selection, problems } = store.getState()
  const chosen = new Set(selection.nodes)
  const bad = new Set(
    problems.filter((problem) => problem.severity === 'error').map((problem) => problem.node),
  )
  const out = (rect: Rect): boolean =>
    rect.x > seen.x + seen.width ||
    rect.y > seen.y + seen.height ||
    rect.x + rect.width < seen.x ||
    rect.y + rect.height < seen.y
  context.setTransform(view.zoom, 0, 0, view.zoom, view.x, view.y)
  if (lines) {
    context.lineWidth = 1.2 / view.zoom
    context.strokeStyle = colours.strong
    context.beginPath()
    for (const edge of graph.edges) {
      const from = rects.get(edge.source)
      const to = rects.get(edge.target)
      if (!from || !to || (out(from) && out(to))) continue
      context.moveTo(from.x + from.width, from.y + from.height / 2)
      context.lineTo(to.x, to.y + to.height / 2)
    }
    context.stroke()
  }
  // One path per colour: thousands of single boxes are what a frame has no time for.
  const cards = new Map<string | undefined, Rect[]>()
  for (const node of graph.nodes) {
    const rect = rects.get(node.id)
    if (!rect || out(rect)) continue
    const status = run?.nodeRun(node.id)?.status
    const tone = status ? colours.tones[toneOf[status]] : undefined
    const colour = chosen.has(node.id)
      ? colours.accent
      : (tone ?? (bad.has(node.id) ? colours.failed : undefined))
    if (isFrame(node)) {
      context.lineWidth = 1.5 / view.zoom
      context.strokeStyle = colour ?? colours.strong
      context.strokeRect(rect.x, rect.y, rect.width, rect.height)
      continue
    }
    const same = cards.get(colour)
    if (same) same.push(rect)
    else cards.set(colour, [rect])
  }
  context.lineWidth = 1 / view.zoom
  for (const [colour, boxes] of cards) {
    context.beginPath()
    for (const box of boxes) context.rect(box.x, box.y, box.width, box.height)
    context.fillStyle = colour ?? (lines ? colours.surface : colours.line)
    context.fill()
    if (!lines || colour !== undefined) continue // a coloured box needs no edge of the same colour
    context.strokeStyle = colours.strong
    context.stroke()
  }
}

/** How long a change of colour may wait in an overview, ms: a run changes some in every frame. */
const COLOUR_MS = 200

/** Calls `draw` at most once per animation frame; `eventually` for what is not followed with the eye. */
export function onFrame(draw: () => void): { soon: () => void; eventually: () => void; stop: () => void } {
  let frame = 0
  let waiting: ReturnType<typeof setTimeout> | null = null
  const soon = () => {
    if (frame) return
    frame = requestAnimationFrame(() => {
      frame = 0
      draw()
    })
  }
  return {
    soon,
    eventually: () => {
      waiting ??= setTimeout(() => {
        waiting = null
        soon()
      }, COLOUR_MS)
    },
    stop: () => {
      cancelAnimationFrame(frame)
      if (waiting !== null) clearTimeout(waiting)
    },
  }
}

export function FarLayer() {
  const element = useRef<HTMLCanvasElement>(null)
  const store = useGraphStore()
  const flow = useStoreApi()
  const run = useRunView()

  useEffect(() => {
    const canvas = element.current
    const context = canvas?.getContext('2d')
    if (!canvas || !context) return
    let colours = readPalette(canvas)
    let graph = store.getState().graph
    let rects = nodeRects(graph, store.getState().types)
    const frame = onFrame(() => {
      const { transform, width, height } = flow.getState()
      const [x, y, zoom] = transform
      const scale = window.devicePixelRatio || 1
      if (canvas.width !== width * scale || canvas.height !== height * scale) {
        canvas.width = width * scale
        canvas.height = height * scale
      }
      if (store.getState().graph !== graph) {
        graph = store.getState().graph
        rects = nodeRects(graph, store.getState().types)
      }
      context.setTransform(1, 0, 0, 1, 0, 0)
      context.clearRect(0, 0, canvas.width, canvas.height)
      const seen = { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom }
      paint(
        context,
        store,
        rects,
        run,
        colours,
        { x: x * scale, y: y * scale, zoom: zoom * scale },
        seen,
        true,
      )
    })
    frame.soon()
    const dressed = () => {
      colours = readPalette(canvas)
      frame.soon()
    }
    const leave = [
      flow.subscribe(frame.soon),
      store.subscribe(frame.soon),
      run?.subscribe(frame.eventually),
      onTheme(dressed),
    ]
    return () => {
      frame.stop()
      for (const each of leave) each?.()
    }
  }, [store, flow, run])

  return <canvas ref={element} className="canvas-far" aria-hidden />
}
