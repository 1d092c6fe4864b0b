/** Everything that can be done on the canvas, for keys, menus, the command palette and the palette panel alike. */
import type { ReactFlowInstance } from '@xyflow/react'
import { type Alignment, type Axis, align, distribute } from '@/graph/edit/arrange'
import { copyText, duplicate, parseClip, paste } from '@/graph/edit/clipboard'
import { addNote, groupAround, nudge, replaceNode, toggleDisabled } from '@/graph/edit/edits'
import { removeAndHeal } from '@/graph/edit/heal'
import { leaveFrame, moveInto } from '@/graph/edit/moving'
import { isEmpty } from '@/graph/layout/frames'
import { isFrame, NODE, snapPoint } from '@/graph/layout/geometry'
import { applyPlaces, layoutRequest, runLayout } from '@/graph/layout/tidy'
import { nodesById } from '@/graph/lookup'
import {
  branchPort,
  edgeAfter,
  freePlace,
  giveTool,
  insertAfter,
  insertAt,
  insertBetween,
  insertDropped,
  insertInside,
  type NodeTemplate,
} from '@/graph/nodes/templates'
import { takesTools } from '@/graph/nodes/tool-choice'
import type { GraphStore } from '@/graph/store'
import type { Point } from '@/graph/types'
import { fetchCode } from '@/loading/fetch-code'
import type { FlowEdge, FlowNode } from './project'
import { type CanvasStore, type QuickAdd, wishesFollow } from './state'
import { CanvasView } from './view'
import { nextNode } from './walk'

export class CanvasController {
  readonly view: CanvasView

  constructor(
    readonly graph: GraphStore,
    readonly canvas: CanvasStore,
    readonly flow: ReactFlowInstance<FlowNode, FlowEdge>,
  ) {
    this.view = new CanvasView(graph, canvas, flow)
  }

  private get state() {
    return this.graph.getState()
  }

  get readOnly(): boolean {
    return this.state.readOnly
  }

  /** Select the next node along the edges (or the one before). Gives false at the end of the way. */
  step(direction: 1 | -1): boolean {
    const { graph, types, selection } = this.state
    const next = nextNode(graph, types, selection.nodes.at(-1), direction)
    if (next === undefined) return false
    this.view.reveal(next)
    this.view.focusNode(next)
    return true
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

  // Adding

  /** Put a template where a person would expect it: into an empty frame, behind the selected node, where there is room. */
  insert(template: NodeTemplate, options: Omit<QuickAdd, 'screen'> = {}): string | null {
    const { graph, types, selection, commit } = this.state
    if (options.give !== undefined) {
      const { give } = options
      return commit('add', (now) => giveTool(now, give, template)) ? give : null
    }
    const { replace } = options
    if (replace !== undefined) {
      return commit('replace', (now) => replaceNode(now, types, replace, template)) ? replace : null
    }
    const only = selection.nodes.length === 1 ? selection.nodes[0] : undefined
    const into = options.into ?? (options.after || options.flow ? undefined : this.emptyFrame(only))
    const lonely =
      graph.nodes.length === 1 && graph.nodes[0]?.type === 'start' ? graph.nodes[0].id : undefined
    const source =
      options.after ?? (only ? { node: only } : lonely && !options.flow ? { node: lonely } : undefined)
    const seen = this.view.visible()
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
    this.view.ensureInsertedVisible(inserted.id)
    this.view.focusNode(inserted.id)
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
    this.view.focusNode(inserted.id)
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
    const { x, y, width, height } = this.view.box()
    const screen = add?.screen ?? { x: x + width / 2 - 160, y: y + Math.min(120, height / 4) }
    this.canvas.setState({ quickAdd: { ...add, screen } })
  }

  /** Add beside what goes on from the selected node: at a port without an edge, else parallel to what is there. */
  addBranch(): void {
    const { graph, types, selection } = this.state
    const [node] = selection.nodes
    if (node !== undefined) this.openQuickAdd({ after: { node, port: branchPort(graph, types, node) } })
  }

  /** Choose tools for the model of the selected node, one after the other. */
  chooseTools(): void {
    const [give] = this.state.selection.nodes
    if (give !== undefined) this.openQuickAdd({ give })
  }

  /** Whether one node is selected whose model takes tools. */
  get takesTools(): boolean {
    const { graph, types, selection } = this.state
    const [id, ...more] = selection.nodes
    const node = id === undefined || more.length > 0 ? undefined : nodesById(graph).get(id)
    return node !== undefined && takesTools(types, node.type)
  }

  addNote(): void {
    const seen = this.view.visible()
    const point =
      this.view.pointer && this.view.isOver(this.view.pointer)
        ? this.view.toFlow(this.view.pointer)
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
    const point = this.pointed()
    const pasted = paste(this.state.graph, clip, point)
    this.state.commit('paste', () => pasted.graph, { select: pasted.selection })
    if (!point) this.view.showSelectionIfHidden()
    return true
  }

  /** Where the pointer is over the canvas, on the grid of the document. */
  private pointed(): Point | undefined {
    const { pointer } = this.view
    return pointer && this.view.isOver(pointer) ? snapPoint(this.view.toFlow(pointer)) : undefined
  }

  /** The same; a curl command becomes a node, and of other text it is said what it is. Gives true when something was done. */
  pasteOrSay(text: string): boolean {
    if (this.readOnly || !text.trim()) return false
    if (this.pasteText(text)) return true
    const point = this.pointed()
    const put = (template: NodeTemplate) =>
      (point ? this.drop(template, point) : this.insert(template)) !== null
    void fetchCode(() => import('./input/foreign')).then(({ takeForeign }) => takeForeign(text, put))
    return true
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
    this.view.focusCanvas()
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
    const request = layoutRequest(graph, types, selection.nodes, this.view.laneWidth())
    if (request.nodes.length === 0) return
    const places = await runLayout(request)
    this.state.commit('tidy', (now) => applyPlaces(now, places))
    if (selection.nodes.length < 2) this.view.fit()
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
