/** What is seen of the document: which part of it is in view, and how another part comes into view. */
import type { ReactFlowInstance, Viewport } from '@xyflow/react'
import { graphBounds, nodeRects, union } from '@/graph/layout/geometry'
import type { GraphStore } from '@/graph/store'
import type { Point, Rect } from '@/graph/types'
import { READABLE, viewOf } from './overview/view-of'
import type { FlowEdge, FlowNode } from './project'
import { type CanvasStore, lodAt } from './state'

const MIN_ZOOM = 0.05
const MAX_ZOOM = 2
const SLOW_MS = 240
const PHONE = 700
const PHONE_ZOOM = 0.5
const PHONE_TOP = 56
/** What stays free around a graph that is shown whole. */
const FIT_MARGIN = 48
/** Where an empty canvas says what to do. */
const NOTHING_YET: Rect = { x: -150, y: 0, width: 420, height: 120 }
/** The same on a phone, where the lines are shorter so that they can be read. */
const NOTHING_YET_SMALL: Rect = { x: -80, y: 0, width: 280, height: 150 }

export const ZOOM = { min: MIN_ZOOM, max: MAX_ZOOM }

const prefersReducedMotion = (): boolean =>
  window.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? false
const transition = (): { duration: number } => ({ duration: prefersReducedMotion() ? 0 : SLOW_MS })

export class CanvasView {
  /** The element of the canvas, while it is on the page. */
  element: HTMLElement | null = null
  /** Where the pointer is over the canvas, in the window. */
  pointer: Point | null = null

  constructor(
    private readonly graph: GraphStore,
    private readonly canvas: CanvasStore,
    private readonly flow: ReactFlowInstance<FlowNode, FlowEdge>,
  ) {}

  private get state() {
    return this.graph.getState()
  }

  /** Where the view is on its way to, until it is there. */
  private goal: { viewport: Viewport; until: number } | null = null
  private fittedAt = Number.NEGATIVE_INFINITY
  /** How often a person has moved the view. */
  moves = 0
  private scheduledFrame = 0

  private get viewport(): Viewport {
    return this.goal && performance.now() < this.goal.until ? this.goal.viewport : this.flow.getViewport()
  }

  /** Where the canvas lies in the window. */
  box(): Rect {
    const rect = this.element?.getBoundingClientRect()
    return rect
      ? { x: rect.x, y: rect.y, width: rect.width, height: rect.height }
      : { x: 0, y: 0, width: 800, height: 600 }
  }

  /** The part of the document that is in view, or comes into view just now. */
  visible(): Rect {
    const { x, y, zoom } = this.viewport
    const { width, height } = this.box()
    return { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom }
  }

  toFlow(screen: Point): Point {
    return this.flow.screenToFlowPosition(screen, { snapToGrid: false })
  }

  isOver(screen: Point): boolean {
    const { x, y, width, height } = this.box()
    return screen.x >= x && screen.y >= y && screen.x <= x + width && screen.y <= y + height
  }

  private fitRect(rect: Rect, most: number, padding = FIT_MARGIN): void {
    const { width, height } = this.box()
    const fits = Math.min((width - 2 * padding) / rect.width, (height - 2 * padding) / rect.height, most)
    const zoom = Math.max(MIN_ZOOM, fits)
    const x = width / 2 - (rect.x + rect.width / 2) * zoom
    const y = height / 2 - (rect.y + rect.height / 2) * zoom
    this.setView({ x, y, zoom }, true)
  }

  /** Show this part; where it is far away the cards go first, so that they are not all mounted for one frame. */
  private setView(viewport: Viewport, animate: boolean): void {
    const { lod } = this.canvas.getState()
    const next = lodAt(viewport.zoom, lod)
    if (next === 'far' && lod !== 'far') this.canvas.setState({ lod: next })
    this.setViewport(viewport, animate ? transition() : undefined)
    if (!animate && next !== 'far') this.canvas.setState({ lod: next })
  }

  private setViewport(viewport: Viewport, how?: { duration: number; interpolate?: 'linear' }): void {
    cancelAnimationFrame(this.scheduledFrame)
    this.goal = { viewport, until: performance.now() + (how?.duration ?? 0) }
    void this.flow.setViewport(viewport, how)
  }

  /** Somebody looks around: what they see stays where it is, also where it was fitted just now. */
  looksAround(): void {
    this.fittedAt = Number.NEGATIVE_INFINITY
  }

  /** The canvas has another size: what was fitted a moment ago is fitted to it. */
  resized(): void {
    if (performance.now() - this.fittedAt < 2 * SLOW_MS) this.fit()
  }

  /** Show everything: by key, by button. */
  fitAll(): void {
    this.letGo()
    this.fit()
  }

  /** A person moved the view: until they say otherwise it stays where they look. */
  letGo(): void {
    this.moves += 1
    this.looksAround()
    if (this.canvas.getState().follow) this.canvas.setState({ follow: false })
  }

  /** A node on the page; not there while it is out of sight or too far away to be read. */
  cardElement(id: string): HTMLElement | null {
    return (
      this.element?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"] > .card`) ??
      null
    )
  }

  /** With what it says below its title a card is taller than its place in the document. */
  private drawn(id: string, rect: Rect): Rect {
    return { ...rect, height: Math.max(rect.height, this.cardElement(id)?.offsetHeight ?? 0) }
  }

  /** Whether a card is seen whole, near enough to be read. */
  seesCard(id: string, rect: Rect): boolean {
    return viewOf(this.drawn(id, rect), this.viewport, this.box(), true) === null
  }

  /** Bring a card into view, near enough to be read where it asks something. Gives whether the view moves. */
  showCard(id: string, rect: Rect, readable: boolean): boolean {
    const view = viewOf(this.drawn(id, rect), this.viewport, this.box(), readable)
    if (view === null) return false
    const { lod } = this.canvas.getState()
    this.setViewport(view, transition())
    if (lod === 'far' && view.zoom >= READABLE) this.canvas.setState({ lod: 'full' })
    return true
  }

  /** All there is, with cards as tall as they are drawn. */
  private whole(): Rect | null {
    const { graph, types } = this.state
    const cards = this.element?.querySelectorAll<HTMLElement>('.react-flow__node > .card') ?? []
    const rects = nodeRects(graph, types)
    const drawn = [...cards].flatMap((card) => {
      const rect = rects.get(card.parentElement?.dataset.id ?? '')
      return rect ? { ...rect, height: Math.max(rect.height, card.offsetHeight) } : []
    })
    const bounds = graphBounds(graph, types)
    return bounds && union([bounds, ...drawn])
  }

  fit(animate = true): void {
    const empty = this.box().width <= PHONE ? NOTHING_YET_SMALL : NOTHING_YET
    const bounds = this.whole() ?? empty
    this.fittedAt = performance.now()
    if (animate) this.fitRect(bounds, 1)
    else {
      const { width, height } = this.box()
      const whole = Math.max(
        MIN_ZOOM,
        Math.min((width - 2 * FIT_MARGIN) / bounds.width, (height - 2 * FIT_MARGIN) / bounds.height, 1),
      )
      // On a phone the whole graph would be dots: begin at its left, large enough to read titles; at its top where it is higher.
      const phone = width <= PHONE && whole < PHONE_ZOOM
      const zoom = phone ? PHONE_ZOOM : whole
      const x = phone ? 20 - bounds.x * zoom : width / 2 - (bounds.x + bounds.width / 2) * zoom
      const middle = height / 2 - (bounds.y + bounds.height / 2) * zoom
      const y = phone ? Math.max(PHONE_TOP - bounds.y * zoom, middle) : middle
      this.setView({ x, y, zoom }, false)
    }
  }

  fitSelection(): void {
    this.letGo()
    const { graph, types, selection } = this.state
    const rects = nodeRects(graph, types)
    const notes = new Set(selection.annotations)
    const chosen = selection.nodes.map((id) => rects.get(id)).filter((rect) => rect !== undefined)
    for (const note of graph.annotations ?? [])
      if (notes.has(note.id)) chosen.push({ ...note.position, ...note.size })
    const around = union(chosen)
    if (around) this.fitRect(around, 1.2, 96)
    else this.fit()
  }

  zoomIn(): void {
    this.letGo()
    void this.flow.zoomIn(transition())
  }

  zoomOut(): void {
    this.letGo()
    void this.flow.zoomOut(transition())
  }

  zoomTo(zoom: number): void {
    this.letGo()
    void this.flow.zoomTo(zoom, transition())
  }

  /** Bring a node into view (and near enough to be read) and select it. */
  reveal(id: string): void {
    const rect = nodeRects(this.state.graph, this.state.types).get(id)
    if (!rect) return
    this.state.select({ nodes: [id] })
    const seen = this.visible()
    const { zoom } = this.viewport
    const inside =
      zoom >= 0.6 &&
      rect.x >= seen.x &&
      rect.y >= seen.y &&
      rect.x + rect.width <= seen.x + seen.width &&
      rect.y + rect.height <= seen.y + seen.height
    if (inside) return
    this.letGo()
    const near = Math.max(0.9, zoom)
    const { width, height } = this.box()
    const x = width / 2 - (rect.x + rect.width / 2) * near
    const y = height / 2 - (rect.y + rect.height / 2) * near
    this.setViewport({ x, y, zoom: near }, transition())
  }

  /** Bring a note or a group into view and select it. */
  revealAnnotation(id: string): void {
    this.state.select({ annotations: [id] })
    this.fitSelection()
  }

  /** Show a node that was just made: what it was made beside stays in sight. */
  ensureInsertedVisible(id: string): void {
    if (this.canvas.getState().lod === 'far') this.reveal(id)
    else this.ensureVisible(id)
  }

  /** `uncover` once the page has its new layout; whatever is looked at before then comes first. */
  scheduleEnsureVisible(id: string): () => void {
    const frame = requestAnimationFrame(() => this.ensureVisible(id))
    this.scheduledFrame = frame
    return () => cancelAnimationFrame(frame)
  }

  /** Pan just as far as it takes to see a node whole, at the zoom there is. */
  private ensureVisible(id: string): void {
    const rect = nodeRects(this.state.graph, this.state.types).get(id)
    if (!rect || this.canvas.getState().lod === 'far') return
    const seen = this.visible()
    const margin = 24
    const over = (start: number, length: number, from: number, room: number): number => {
      if (start + length + margin > from + room) return start + length + margin - from - room
      return start - margin < from ? start - margin - from : 0
    }
    const dx = over(rect.x, rect.width, seen.x, seen.width)
    const dy = over(rect.y, rect.height, seen.y, seen.height)
    if (dx === 0 && dy === 0) return
    const { x, y, zoom } = this.viewport
    this.setViewport({ x: x - dx * zoom, y: y - dy * zoom, zoom }, { ...transition(), interpolate: 'linear' })
  }

  focusNode(id: string): void {
    requestAnimationFrame(() => {
      this.element
        ?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)
        ?.focus({ preventScroll: true })
    })
  }

  focusCanvas(): void {
    const [only] = this.state.selection.nodes
    if (only) this.focusNode(only)
    else this.element?.focus({ preventScroll: true })
  }

  /** Pasted beside the original it may lie out of sight. */
  showSelectionIfHidden(): void {
    const { graph, types, selection } = this.state
    const [first] = selection.nodes
    const rect = first ? nodeRects(graph, types).get(first) : undefined
    const seen = this.visible()
    if (
      rect &&
      (rect.x > seen.x + seen.width || rect.y > seen.y + seen.height || rect.x < seen.x || rect.y < seen.y)
    ) {
      this.fitSelection()
    }
  }

  /** How wide what is tidied may become and still be read without panning. */
  laneWidth(): number {
    const { width } = this.box()
    return width <= PHONE ? width / PHONE_ZOOM - 2 * FIT_MARGIN : width - 2 * FIT_MARGIN
  }
}
