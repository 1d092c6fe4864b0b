/** Dragging cards: snapping to neighbours, frames and groups taking along what is in them, one undo step at the end. */
import type { NodeChange } from '@xyflow/react'
import type { CanvasController } from '@/canvas/controller'
import { type FlowNode, noteFlowId, noteIdOf } from '@/canvas/project'
import { endDrag, NO_DROP_PARENTS } from '@/canvas/state'
import { snapTo } from '@/graph/edit/arrange'
import { BESIDE, duplicate } from '@/graph/edit/clipboard'
import { insideGroup, nudge, place } from '@/graph/edit/edits'
import { canRehang, rehang } from '@/graph/edit/heal'
import { moveInto } from '@/graph/edit/moving'
import { frameAt, homeOf, isEmpty, makeRoom, outermost, setParent } from '@/graph/layout/frames'
import {
  childrenOf,
  contains,
  type DropParents,
  descendants,
  nodeRects,
  overlap,
  snap,
} from '@/graph/layout/geometry'
import { nodesById } from '@/graph/lookup'
import { type Way, waysOf, wayUnder } from '@/graph/nodes/templates'
import type { Graph, NodeTypes, Point, Rect } from '@/graph/types'

interface Moving {
  /** Positions at the start: nodes by id, annotations by their flow id. */
  from: Map<string, Point>
  lead: { id: string; rect: Rect }
  /** What may be snapped to: cards in view that do not move. */
  others: Rect[]
  dragged: string[]
  /** What goes into a frame or out of one by this drag, and the frame of what the pointer holds. */
  movers: ReadonlySet<string>
  home: string | null
  /** Frames that are empty without the movers, and where they stay. */
  left: ReadonlyMap<string, Point>
  dropParents: DropParents
  /** The edges that what is dragged may be put into, as they are drawn. */
  ways: readonly Way[]
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
    const seen = this.controller.view.visible()
    const others: Rect[] = []
    for (const [id, other] of rects) {
      if (nodes.has(id) || others.length >= MOST_OTHERS || !overlap(other, seen)) continue
      others.push(other)
    }
    const movers = new Set(
      outermost(graph, ids).filter((id) => byId.has(id) && byId.get(id)?.type !== 'start'),
    )
    const pointer = this.pointer()
    const held = [...movers].find((id) => {
      const mine = rects.get(id)
      return mine !== undefined && pointer !== null && contains(mine, pointer)
    })
    const left = new Map<string, Point>()
    for (const [frame, children] of childrenOf(graph)) {
      const corner = rects.get(frame)
      if (corner && !nodes.has(frame) && children.every((child) => movers.has(child.id)))
        left.set(frame, { x: corner.x, y: corner.y })
    }
    return {
      from,
      lead: { id: leadId, rect },
      others,
      dragged: ids,
      movers,
      home: homeOf(graph, held ?? movers.values().next().value),
      left,
      dropParents: NO_DROP_PARENTS,
      ways: this.waysFor(graph, types, leadId, movers, rects),
    }
  }

  /** The edges that the one node dragged may be put into; none for several, or for one that cannot be between others. */
  private waysFor(
    graph: Graph,
    types: NodeTypes,
    lead: string,
    movers: ReadonlySet<string>,
    rects: ReadonlyMap<string, Rect>,
  ): readonly Way[] {
    if (movers.size !== 1 || !movers.has(lead) || !canRehang(graph, types, lead)) return []
    return waysOf(graph, types, movers, rects, this.controller.canvas.getState().lanes)
  }

  /** Where the pointer is in the document. */
  private pointer(): Point | null {
    const { pointer } = this.controller.view
    return pointer && this.controller.view.toFlow(pointer)
  }

  /** The frames of the movers if they were dropped now: those they have, while what is held stays in its own. */
  private dropParentsAt(moving: Moving, lead: Rect): DropParents {
    if (moving.movers.size === 0) return NO_DROP_PARENTS
    const { graph, types } = this.controller.graph.getState()
    const point = this.pointer() ?? { x: lead.x + lead.width / 2, y: lead.y + lead.height / 2 }
    const into = frameAt(graph, types, point, moving.movers)
    if (into === moving.home) return NO_DROP_PARENTS
    if (moving.dropParents.values().next().value === into) return moving.dropParents
    return new Map([...moving.movers].map((id) => [id, into]))
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
    for (const [id, point] of moving.from) places.set(id, { x: point.x + dx, y: point.y + dy })
    moving.dropParents = this.dropParentsAt(moving, { ...moving.lead.rect, ...point })
    if (moving.dropParents.size > 0) for (const [id, point] of moving.left) places.set(id, point)
    const into = moving.dropParents.values().next().value
    const parent = into === undefined ? moving.home : into
    const onto = wayUnder(moving.ways, { ...moving.lead.rect, ...point }, parent)
    canvas.setState({ places, guides, dropParents: moving.dropParents, into: into ?? null, onto })
  }

  /** The end of a drag: put things where they are now, into frames and onto edges. */
  stop = (event?: { altKey?: boolean }): void => {
    const { moving } = this
    this.moving = null
    const { graph: store, canvas } = this.controller
    const { places, onto } = canvas.getState()
    if (!moving || places.size === 0) {
      endDrag(canvas)
      return
    }
    const { types } = store.getState()
    const nodes = new Map<string, Point>()
    const notes = new Map<string, Point>()
    for (const [id, point] of places) {
      const note = noteIdOf(id)
      if (note === null) nodes.set(id, point)
      else notes.set(note, point)
    }
    if (event?.altKey) {
      this.copy(moving, nodes, notes)
      endDrag(canvas)
      return
    }
    const { dropParents: homes, home, movers } = moving
    const parent = homes.size > 0 ? (homes.values().next().value ?? null) : home
    store.getState().commit('move', (graph) => {
      if (homes.size > 0 && parent && isEmpty(graph, parent))
        return moveInto(place(graph, nodes, notes), types, [...movers], parent)
      const next = place(homes.size > 0 ? setParent(graph, movers, parent) : graph, nodes, notes)
      const [only] = movers
      const hung = onto !== null && only !== undefined ? rehang(next, types, onto, only) : next
      return makeRoom(graph, hung, types, parent)
    })
    endDrag(canvas)
  }

  /** With Alt the things stay where they were, and their copies lie where they were dropped. */
  private copy(moving: Moving, nodes: ReadonlyMap<string, Point>, notes: ReadonlyMap<string, Point>): void {
    const { graph, commit } = this.controller.graph.getState()
    const annotations = [...notes.keys()]
    const pasted = duplicate(graph, { nodes: [...nodes.keys()], edges: [], annotations })
    if (!pasted) return
    const from = moving.from.values().next().value
    const [first] = moving.from.keys()
    const to = first === undefined ? undefined : (nodes.get(first) ?? notes.get(noteIdOf(first) ?? ''))
    if (!from || !to) return
    const by = { x: to.x - from.x - BESIDE, y: to.y - from.y - BESIDE }
    commit('duplicate', () => nudge(pasted.graph, pasted.selection, by.x, by.y), { select: pasted.selection })
  }
}
