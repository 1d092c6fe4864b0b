/** Dragging cards: snapping to neighbours, frames and groups taking along what is in them, one undo step at the end. */
import type { NodeChange } from '@xyflow/react'
import { snapTo } from '@/graph/arrange'
import { insertOnEdge, insideGroup, place, setParent } from '@/graph/edits'
import { descendants, nodeRects, overlap, snap } from '@/graph/geometry'
import { nodesById } from '@/graph/lookup'
import { edgeAt, frameAt } from '@/graph/templates'
import type { Point, Rect } from '@/graph/types'
import type { CanvasController } from './controller'
import { type FlowNode, noteFlowId, noteIdOf } from './project'
import { endDrag } from './state'

interface Moving {
  /** Positions at the start: nodes by id, annotations by their flow id. */
  from: Map<string, Point>
  lead: { id: string; rect: Rect }
  /** What may be snapped to: cards in view that do not move. */
  others: Rect[]
  dragged: string[]
}

/** Screen pixels within which a card snaps to a neighbour's edge. */
const REACH = 6
const MOST_OTHERS = 300

export class Drag {
  private moving: Moving | null = null

  constructor(private readonly controller: CanvasController) {}

  private start(ids: string[], leadId: string): Moving | null {
    const { graph, types } = this.controller.graph.getState()
    const rects = nodeRects(graph, types)
    const byId = nodesById(graph)
    const notes = new Map((graph.annotations ?? []).map((item) => [noteFlowId(item.id), item]))
    const nodes = new Set(ids.filter((id) => byId.has(id)))
    const marked = new Set(ids.filter((id) => notes.has(id)))
    for (const id of [...marked]) {
      const note = noteIdOf(id)
      if (note === null) continue
      const inside = insideGroup(graph, types, note)
      for (const node of inside.nodes) nodes.add(node)
      for (const other of inside.annotations) marked.add(noteFlowId(other))
    }
    for (const id of descendants(graph, nodes)) nodes.add(id)
    const from = new Map<string, Point>()
    for (const id of nodes) {
      const node = byId.get(id)
      if (node) from.set(id, node.position)
    }
    for (const id of marked) {
      const note = notes.get(id)
      if (note) from.set(id, note.position)
    }
    const note = notes.get(leadId)
    const rect = note ? { ...note.position, ...note.size } : rects.get(leadId)
    if (!rect) return null
    const seen = this.controller.visible()
    const others: Rect[] = []
    for (const [id, other] of rects) {
      if (nodes.has(id) || others.length >= MOST_OTHERS || !overlap(other, seen)) continue
      others.push(other)
    }
    return { from, lead: { id: leadId, rect }, others, dragged: ids }
  }

  /** React Flow's changes: positions while dragging, sizes while resizing. */
  changed(changes: readonly NodeChange<FlowNode>[]): void {
    const { canvas } = this.controller
    const positions = changes.filter((change) => change.type === 'position')
    const resizing = changes.some((change) => change.type === 'dimensions' && change.resizing)
    if (resizing) {
      const sizes = new Map(canvas.getState().sizes)
      const places = new Map(canvas.getState().places)
      for (const change of changes) {
        if (change.type === 'dimensions' && change.dimensions) sizes.set(change.id, change.dimensions)
        if (change.type === 'position' && change.position) places.set(change.id, change.position)
      }
      canvas.setState({ sizes, places })
      return
    }
    const [first] = positions
    if (!first?.position || !first.dragging) return
    this.moving ??= this.start(
      positions.map((change) => change.id),
      first.id,
    )
    const { moving } = this
    if (!moving) return
    const raw = { ...moving.lead.rect, x: first.position.x, y: first.position.y }
    const zoom = this.controller.flow.getZoom()
    const { point, guides } = snapTo(raw, moving.others, REACH / zoom, snap)
    const dx = point.x - moving.lead.rect.x
    const dy = point.y - moving.lead.rect.y
    const places = new Map<string, Point>()
    for (const [id, at] of moving.from) places.set(id, { x: at.x + dx, y: at.y + dy })
    canvas.setState({ places, guides })
  }

  /** The end of a drag: put things where they are now, into frames and onto edges. */
  stop = (): void => {
    const { moving } = this
    this.moving = null
    const { graph: store, canvas } = this.controller
    const { places } = canvas.getState()
    if (!moving || places.size === 0) {
      endDrag(canvas)
      return
    }
    const { types } = store.getState()
    const nodes = new Map<string, Point>()
    const notes = new Map<string, Point>()
    for (const [id, at] of places) {
      const note = noteIdOf(id)
      if (note === null) nodes.set(id, at)
      else notes.set(note, at)
    }
    store.getState().commit('move', (graph) => {
      let next = place(graph, nodes, notes)
      const [only, ...more] = moving.dragged
      const node = only === undefined ? undefined : nodesById(graph).get(only)
      if (!node || more.length > 0 || node.type === 'start') return next
      const at = places.get(node.id) ?? node.position
      const rect = { ...moving.lead.rect, x: at.x, y: at.y }
      const middle = { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 }
      const parent = frameAt(graph, types, middle, new Set([node.id]))
      if (parent !== (node.parent ?? null)) return setParent(next, [node.id], parent)
      const free = !graph.edges.some((edge) => edge.source === node.id || edge.target === node.id)
      const edge = free ? edgeAt(next, types, rect, parent, new Set([node.id])) : null
      if (edge) next = insertOnEdge(next, types, edge, node.id)
      return next
    })
    endDrag(canvas)
  }
}
