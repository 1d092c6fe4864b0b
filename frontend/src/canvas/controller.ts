/** Everything that can be done on the canvas, for keys, menus, the command palette and the palette panel alike. */
import type { ReactFlowInstance, Viewport } from '@xyflow/react'
import { type Alignment, type Axis, align, distribute } from '@/graph/edit/arrange'
import { copyText, duplicate, parseClip, paste } from '@/graph/edit/clipboard'
import { addNote, groupAround, nudge, toggleDisabled } from '@/graph/edit/edits'
import { removeAndHeal } from '@/graph/edit/heal'
import { leaveFrame, moveInto } from '@/graph/edit/moving'
import { isEmpty } from '@/graph/layout/frames'
import { graphBounds, isFrame, NODE, nodeRects, snapPoint, union } from '@/graph/layout/geometry'
import { applyPlaces, layoutRequest, runLayout } from '@/graph/layout/tidy'
import { nodesById } from '@/graph/lookup'
import {
  edgeAfter,
  freePlace,
  insertAfter,
  insertAt,
  insertBetween,
  insertDropped,
  insertInside,
  type NodeTemplate,
} from '@/graph/nodes/templates'
import type { GraphStore } from '@/graph/store'
import type { Point, Rect } from '@/graph/types'
import { READABLE, viewOf } from './overview/view-of'
import type { FlowEdge, FlowNode } from './project'
import { type CanvasStore, lodAt, type QuickAdd, wishesFollow } from './state'

const MIN_ZOOM = 0.05
const MAX_ZOOM = 2
const SLOW_MS = 240
const PHONE = 700
const PHONE_ZOOM = 0.5
const PHONE_TOP = 56
/** What stays free around a graph that is shown whole. */
const FIT_MARGIN = 48

export const ZOOM = { min: MIN_ZOOM, max: MAX_ZOOM }

const prefersReducedMotion = (): boolean =>
  window.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? false
const transition = (): { duration: number } => ({ duration: prefersReducedMotion() ? 0 : SLOW_MS })

export class CanvasController {
  /** The element of the canvas, while it is on the page. */
  element: HTMLElement | null = null
  /** Where the pointer is over the canvas, in the window. */
  pointer: Point | null = null

  constructor(
    readonly graph: GraphStore,
    readonly canvas: CanvasStore,
    readonly flow: ReactFlowInstance<FlowNode, FlowEdge>,
  ) {}

  private get state() {
    return this.graph.getState()
  }

  get readOnly(): boolean {
    return this.state.readOnly
  }

  /** Where the view is on its way to, until it is there. */
  private goal: { viewport: Viewport; until: number } | null = null
  private fittedAt = Number.NEGATIVE_INFINITY
  private scheduledFrame = 0

  private get viewport(): Viewport {
    return this.goal && performance.now() < this.goal.until ? this.goal.viewport : this.flow.getViewport()
  }

  private box(): Rect {
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

  // Looking

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

  /** The canvas has another size: what was fitted a moment ago is fitted to it. */
  resized(): void {
    if (performance.now() - this.fittedAt < 2 * SLOW_MS) this.fit()
  }

  /** Show everything: by key, by button. */
  fitAll(): void {
    this.letGo()
    this.fit()
  }

  // Following a run

  /** A run begins to be shown: it is followed as the switch was set last. */
  wishFollow(): void {
    this.canvas.setState({ follow: wishesFollow() })
  }

  /** The switch. */
  toggleFollow(): void {
    const follow = !this.canvas.getState().follow
    localStorage.setItem('flag:follow', follow ? '1' : '0')
    this.canvas.setState({ follow })
  }

  /** A person moved the view: until they say otherwise it stays where they look. */
  letGo(): void {
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

  fit(animate = true): void {
    const bounds = graphBounds(this.state.graph, this.state.types)
    if (!bounds) return
    this.fittedAt = performance.now()
    if (animate) this.fitRect(bounds, 1)
    else {
      const { width, height } = this.box()
      const whole = Math.max(
        MIN_ZOOM,
        Math.min((width - 2 * FIT_MARGIN) / bounds.width, (height - 2 * FIT_MARGIN) / bounds.height, 1),
      )
      // On a phone the whole graph would be dots: begin at its upper left, large enough to read titles.
      const phone = width <= PHONE && whole < PHONE_ZOOM
      const zoom = phone ? PHONE_ZOOM : whole
      const x = phone ? 20 - bounds.x * zoom : width / 2 - (bounds.x + bounds.width / 2) * zoom
      const y = phone ? PHONE_TOP - bounds.y * zoom : height / 2 - (bounds.y + bounds.height / 2) * zoom
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
  private ensureInsertedVisible(id: string): void {
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

  /** Select the next node along the edges (or the one before). Gives false at the end of the way. */
  step(direction: 1 | -1): boolean {
    const { graph, types, selection } = this.state
    const time = selection.nodes[selection.nodes.length - 1]
    const rects = nodeRects(graph, types)
    const order = (ids: string[]): string | undefined =>
      ids.sort((left, right) => (rects.get(left)?.y ?? 0) - (rects.get(right)?.y ?? 0))[0]
    let next: string | undefined
    if (time === undefined) {
      next = graph.nodes.find((node) => node.type === 'start')?.id ?? graph.nodes[0]?.id
    } else if (direction === 1) {
      next = order(graph.edges.filter((edge) => edge.source === time).map((edge) => edge.target))
      next ??= order(graph.nodes.filter((node) => node.parent === time).map((node) => node.id))
      next ??= this.sibling(time)
    } else {
      next = order(graph.edges.filter((edge) => edge.target === time).map((edge) => edge.source))
      next ??= nodesById(graph).get(time)?.parent ?? undefined
    }
    if (next === undefined) return false
    this.reveal(next)
    this.focusNode(next)
    return true
  }

  /** The next branch where a way ends: the nearest fork above that has a branch below the one we came from. */
  private sibling(time: string): string | undefined {
    const { graph } = this.state
    const seen = new Set<string>()
    for (let here = time; !seen.has(here); ) {
      seen.add(here)
      const into = graph.edges.find((edge) => edge.target === here)
      if (!into) return undefined
      const branches = graph.edges.filter((edge) => edge.source === into.source).map((edge) => edge.target)
      const later = branches.slice(branches.indexOf(here) + 1).find((id) => !seen.has(id))
      if (later) return later
      here = into.source
    }
    return undefined
  }

  // Adding

  /** Put a template where a person would expect it: into an empty frame, behind the selected node, where there is room. */
  insert(
    template: NodeTemplate,
    options: Pick<QuickAdd, 'flow' | 'after' | 'into' | 'on'> = {},
  ): string | null {
    const { graph, types, selection, commit } = this.state
    const only = selection.nodes.length === 1 ? selection.nodes[0] : undefined
    const into = options.into ?? (options.after || options.flow ? undefined : this.emptyFrame(only))
    const lonely =
      graph.nodes.length === 1 && graph.nodes[0]?.type === 'start' ? graph.nodes[0].id : undefined
    const source =
      options.after ?? (only ? { node: only } : lonely && !options.flow ? { node: lonely } : undefined)
    const seen = this.visible()
    const middle = {
      x: seen.x + seen.width / 2 - NODE.width / 2,
      y: seen.y + seen.height / 2 - NODE.height / 2,
    }
    const between = this.edgeFor(options, into === undefined ? only : undefined)
    const put = between === null ? null : insertBetween(graph, types, template, between)
    const inserted = put
      ? put
      : into
        ? insertInside(graph, types, template, into, options.flow)
        : source
          ? insertAfter(graph, types, template, source, options.flow && snapPoint(options.flow))
          : insertAt(
              graph,
              types,
              template,
              freePlace(graph, types, template, snapPoint(options.flow ?? middle), null),
            )
    if (!commit('add', () => inserted.graph, { select: { nodes: [inserted.id] } })) return null
    this.ensureInsertedVisible(inserted.id)
    this.focusNode(inserted.id)
    return inserted.id
  }

  /** The edge that something is added into: the one named, else the selected one, else what goes on from a node. */
  private edgeFor(
    options: Pick<QuickAdd, 'flow' | 'after' | 'into' | 'on'>,
    node: string | undefined,
  ): string | null {
    if (options.on !== undefined) return options.on
    if (options.flow || options.after || options.into) return null
    const { graph, types, selection } = this.state
    if (node !== undefined) return edgeAfter(graph, types, node)
    const [edge, ...more] = selection.edges
    const alone = more.length + selection.nodes.length + selection.annotations.length === 0
    return alone ? (edge ?? null) : null
  }

  /** Put a template at a place of the document: dropped there. */
  drop(template: NodeTemplate, point: Point): string | null {
    const { graph, types, commit } = this.state
    const inserted = insertDropped(graph, types, template, point)
    if (!commit('add', () => inserted.graph, { select: { nodes: [inserted.id] } })) return null
    this.focusNode(inserted.id)
    return inserted.id
  }

  /** The id, when it is that of a frame with nothing in it. */
  private emptyFrame(id: string | undefined): string | undefined {
    const { graph } = this.state
    const node = id === undefined ? undefined : nodesById(graph).get(id)
    return node && isFrame(node) && isEmpty(graph, node.id) ? node.id : undefined
  }

  openQuickAdd(add?: Partial<QuickAdd>): void {
    if (this.readOnly) return
    const { x, y, width, height } = this.box()
    const screen = add?.screen ?? { x: x + width / 2 - 160, y: y + Math.min(120, height / 4) }
    this.canvas.setState({ quickAdd: { ...add, screen } })
  }

  /** Add beside what goes on from the selected node: at a port without an edge, else parallel to what is there. */
  addBranch(): void {
    const [node] = this.state.selection.nodes
    if (node !== undefined) this.openQuickAdd({ after: { node } })
  }

  addNote(): void {
    const seen = this.visible()
    const point =
      this.pointer && this.isOver(this.pointer)
        ? this.toFlow(this.pointer)
        : { x: seen.x + seen.width / 2 - 110, y: seen.y + seen.height / 2 - 60 }
    const result = addNote(this.state.graph, snapPoint(point))
    if (this.state.commit('note', () => result.graph, { select: { annotations: [result.id] } })) {
      this.canvas.setState({ editing: result.id })
    }
  }

  group(): void {
    const { graph, types, selection, commit } = this.state
    const result = groupAround(graph, types, selection.nodes, '')
    if (result && commit('group', () => result.graph, { select: { annotations: [result.id] } })) {
      this.canvas.setState({ editing: result.id })
    }
  }

  // Clipboard

  copyText(): string | null {
    return copyText(this.state.graph, this.state.selection)
  }

  /** Paste a clip at the pointer, else beside the original. Gives false when the text is no clip. */
  pasteText(text: string): boolean {
    const clip = parseClip(text)
    if (!clip || this.readOnly) return false
    const point = this.pointer && this.isOver(this.pointer) ? snapPoint(this.toFlow(this.pointer)) : undefined
    const pasted = paste(this.state.graph, clip, point)
    this.state.commit('paste', () => pasted.graph, { select: pasted.selection })
    if (!point) this.showSelectionIfHidden()
    return true
  }

  /** The same, and where the text is no nodes of ours it is said what it is. Gives true when something was done. */
  pasteOrSay(text: string): boolean {
    if (this.readOnly || !text.trim()) return false
    if (!this.pasteText(text)) void import('./input/foreign').then(({ sayForeign }) => sayForeign(text))
    return true
  }

  private showSelectionIfHidden(): void {
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

  async copy(): Promise<void> {
    const text = this.copyText()
    if (text) await navigator.clipboard.writeText(text)
  }

  async cut(): Promise<void> {
    await this.copy()
    this.removeSelection('cut')
  }

  async paste(): Promise<void> {
    this.pasteOrSay(await navigator.clipboard.readText())
  }

  duplicate(): void {
    const pasted = duplicate(this.state.graph, this.state.selection)
    if (pasted) this.state.commit('duplicate', () => pasted.graph, { select: pasted.selection })
  }

  removeSelection(label: 'delete' | 'cut' = 'delete'): void {
    const { selection, commit } = this.state
    commit(label, (graph) => removeAndHeal(graph, this.state.types, selection))
    this.focusCanvas()
  }

  // Changing

  selectAll(): void {
    const { graph, select } = this.state
    select({
      nodes: graph.nodes.map((node) => node.id),
      annotations: (graph.annotations ?? []).map((item) => item.id),
    })
  }

  nudge(dx: number, dy: number): boolean {
    return this.state.commit('move', (graph) => nudge(graph, this.state.selection, dx, dy), {
      merge: 'nudge',
    })
  }

  align(how: Alignment): void {
    this.state.commit('align', (graph) => align(graph, this.state.types, this.state.selection.nodes, how))
  }

  distribute(axis: Axis): void {
    this.state.commit('distribute', (graph) =>
      distribute(graph, this.state.types, this.state.selection.nodes, axis),
    )
  }

  toggleDisabled(): void {
    this.state.commit('disable', (graph) => toggleDisabled(graph, this.state.selection.nodes))
  }

  leaveFrame(): void {
    const { types, selection, commit } = this.state
    commit('move', (graph) => leaveFrame(graph, types, selection.nodes))
  }

  moveInto(frame: string): void {
    const { types, selection, commit } = this.state
    commit('move', (graph) => moveInto(graph, types, selection.nodes, frame))
  }

  /** Lay out everything, or what is selected when that is more than one node. */
  async tidy(): Promise<void> {
    if (this.readOnly) return
    const { graph, types, selection } = this.state
    const request = layoutRequest(graph, types, selection.nodes, this.laneWidth())
    if (request.nodes.length === 0) return
    const places = await runLayout(request)
    this.state.commit('tidy', (now) => applyPlaces(now, places))
    if (selection.nodes.length < 2) this.fit()
  }

  /** How wide what is tidied may become and still be read without panning. */
  private laneWidth(): number {
    const { width } = this.box()
    return width <= PHONE ? width / PHONE_ZOOM - 2 * FIT_MARGIN : width - 2 * FIT_MARGIN
  }

  toggleMinimap(): void {
    const minimap = !this.canvas.getState().minimap
    localStorage.setItem('flag:minimap', minimap ? '1' : '0')
    this.canvas.setState({ minimap })
  }

  /** Enter on something: write a note; the inspector takes the focus for a node. */
  enter(openInspector: () => void): void {
    const { selection } = this.state
    const [note] = selection.annotations
    if (note && selection.nodes.length === 0) this.canvas.setState({ editing: note })
    else if (selection.nodes.length === 1) openInspector()
  }
}
