/**
 * The canvas: React Flow for what can be read, one canvas element for what is too small to be read.
 *
 * React Flow is controlled: the graph store holds the document, `state.ts` what is being dragged. Sizes are fixed, so
 * nothing is measured; far away it is given no nodes at all.
 */
import '@xyflow/react/dist/base.css'
import './canvas.css'
import {
  Background,
  BackgroundVariant,
  type Connection,
  type EdgeChange,
  type FinalConnectionState,
  type NodeChange,
  ReactFlow,
  SelectionMode,
  ViewportPortal,
} from '@xyflow/react'
import {
  type KeyboardEvent,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useGraph, useGraphStore } from '@/graph/context'
import { connect, type Ends, reconnect, refuseEdge } from '@/graph/edit/edits'
import { contains, nodeRects, snapPoint } from '@/graph/layout/geometry'
import { findLanes } from '@/graph/layout/routes'
import { inPorts } from '@/graph/nodes/ports'
import { NOTHING, type Point, type Selection } from '@/graph/types'
import { useT } from '@/i18n'
import { ContextMenu, type MenuEntry } from '@/ui'
import { later, settle, soon, whenSettled } from '@/ui/first-paint'
import { useNarrow, usePhone } from '@/ui/media'
import { useCanvasActions } from './actions-context'
import { useController } from './CanvasProvider'
import { ConnectionLine, FlowEdge } from './cards/FlowEdge'
import { FrameNode } from './cards/FrameNode'
import { NodeCard } from './cards/NodeCard'
import { Group, Note } from './cards/NoteNode'
import { type CanvasController, ZOOM } from './controller'
import type { Drag } from './drag/drag'
import { EmptyHint, Overlay } from './drag/Overlay'
import type { canvasMenu } from './menus/menu'
import { Toolbar } from './menus/Toolbar'
import { FarLayer } from './overview/FarLayer'
import { type FlowEdge as FlowEdgeType, type FlowNode, noteIdOf, Projection } from './project'
import { lodAt, useCanvas, useCanvasStore } from './state'
import { useClipboardEvents } from './useClipboardEvents'

/** The overview comes after what it is an overview of. */
const MiniMap = later(async () => {
  await whenSettled()
  return (await import('./overview/MiniMap')).MiniMap
})

const loadDrag = soon(async () => (await import('./drag/drag')).Drag)

const nodeTypes = { card: NodeCard, frame: FrameNode, note: Note, group: Group }
const edgeTypes = { flow: FlowEdge }
const NO_NODES: FlowNode[] = []
const NO_EDGES: FlowEdgeType[] = []
const proOptions = { hideAttribution: true }
const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}
const PAN_WITH_MIDDLE = [1]
const LEAVE_MS = 600

/** A selection with React Flow's select changes applied; the old one when nothing changed. */
export function selectionWith(
  old: Selection,
  changes: readonly { id: string; selected: boolean }[],
  kind: 'node' | 'edge',
): Selection {
  if (changes.length === 0) return old
  const nodes = new Set(old.nodes)
  const edges = new Set(old.edges)
  const notes = new Set(old.annotations)
  for (const { id, selected } of changes) {
    const note = kind === 'node' ? noteIdOf(id) : null
    const set = kind === 'edge' ? edges : note === null ? nodes : notes
    if (selected) set.add(note ?? id)
    else set.delete(note ?? id)
  }
  return { nodes: [...nodes], edges: [...edges], annotations: [...notes] }
}

const endsOf = (connection: Connection | FlowEdgeType): Ends => ({
  source: connection.source,
  source_port: connection.sourceHandle ?? 'out',
  target: connection.target,
  target_port: connection.targetHandle ?? 'in',
})

const isSelect = <T extends { type: string }>(change: T): change is Extract<T, { type: 'select' }> =>
  change.type === 'select'

function useFlowElements() {
  const graph = useGraph((state) => state.graph)
  const types = useGraph((state) => state.types)
  const selection = useGraph((state) => state.selection)
  const readOnly = useGraph((state) => state.readOnly)
  const places = useCanvas((state) => state.places)
  const sizes = useCanvas((state) => state.sizes)
  const homes = useCanvas((state) => state.dropParents)
  const far = useCanvas((state) => state.lod === 'far')
  const projection = useMemo(() => new Projection(), [])
  const nodes = useMemo(
    () =>
      far
        ? NO_NODES
        : projection.projectNodes(graph, types, selection, { places, sizes, dropParents: homes }, readOnly),
    [far, projection, graph, types, selection, places, sizes, homes, readOnly],
  )
  const edges = useMemo(
    () => (far ? NO_EDGES : projection.projectEdges(graph, selection)),
    [far, projection, graph, selection],
  )
  return { nodes, edges, far }
}

/** Keep the lanes that edges run through in step with the document. */
function useLanes(): void {
  const canvas = useCanvasStore()
  const nodes = useGraph((state) => state.graph.nodes)
  const types = useGraph((state) => state.types)
  const store = useGraphStore()
  // biome-ignore lint/correctness/useExhaustiveDependencies: found again whenever nodes or their types change
  useEffect(() => {
    const { graph } = store.getState()
    const rects = nodeRects(graph, types)
    const outer = graph.nodes.filter((node) => !node.parent).map((node) => rects.get(node.id))
    canvas.setState({ lanes: findLanes(outer.filter((rect) => rect !== undefined)) })
  }, [canvas, store, nodes, types])
}

/** The context menu's entries, of the moment it is asked for; none before the first picture stands. */
function useMenu(onOpen: () => void): () => readonly MenuEntry[] {
  const t = useT()
  const { menu: more } = useCanvasActions()
  const controller = useController()
  const [make, setMake] = useState<typeof canvasMenu | null>(null)
  useEffect(() => {
    let here = true
    whenSettled()
      .then(() => import('./menus/menu'))
      .then((file) => {
        if (here) setMake(() => file.canvasMenu)
      })
      .catch(() => {}) // the browser's own menu stays; all that ours offers has keys
    return () => {
      here = false
    }
  }, [])
  return () => make?.(controller, t, onOpen, more) ?? []
}

/** What follows the pointer when cards are dragged; null in the moment before its code is there. */
function useDrag(controller: CanvasController): Drag | null {
  const [drag, setDrag] = useState<Drag | null>(null)
  useEffect(() => {
    let here = true
    whenSettled()
      .then(loadDrag)
      .then((Loaded) => {
        if (here) setDrag(new Loaded(controller))
      })
      .catch(() => {}) // cards stay where they are; arrows move them
    return () => {
      here = false
    }
  }, [controller])
  return drag
}

export interface CanvasProps {
  /** Enter or a double click on a node. */
  readonly onOpen: () => void
  /** No editing and no marquee: a phone, a viewer. */
  readonly fixed?: boolean
  readonly children?: ReactNode
}

export function Canvas({ onOpen, fixed = false, children }: CanvasProps) {
  const t = useT()
  const store = useGraphStore()
  const canvas = useCanvasStore()
  const controller = useController()
  const readOnly = useGraph((state) => state.readOnly)
  const minimap = useCanvas((state) => state.minimap)
  const lod = useCanvas((state) => state.lod)
  const small = usePhone()
  const narrow = useNarrow()
  /** A finger pans where the mouse chooses. */
  const [finger, setFinger] = useState(() => window.matchMedia('(pointer: coarse)').matches)
  const { nodes, edges, far } = useFlowElements()
  const locked = readOnly || fixed
  const drag = useDrag(controller)
  const box = useRef<HTMLDivElement>(null)
  const ready = useRef(false)
  const touched = useRef(false)
  const touch = () => {
    touched.current = true
  }
  const menu = useMenu(onOpen)
  useLanes()
  useClipboardEvents(controller)

  useEffect(() => {
    const element = box.current
    controller.element = element
    // Panels find their sizes after the canvas is there: until somebody looks around, the graph stays fitted.
    const observer = new ResizeObserver(() => {
      if (!ready.current) return
      if (touched.current) controller.resized()
      else controller.fit(false)
    })
    if (element) observer.observe(element)
    return () => {
      observer.disconnect()
      controller.element = null
    }
  }, [controller])

  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      const { selection, select } = store.getState()
      const selects = changes.filter(isSelect)
      if (selects.length > 0) select(selectionWith(selection, selects, 'node'))
      drag?.changed(changes)
    },
    [store, drag],
  )
  const onEdgesChange = useCallback(
    (changes: EdgeChange<FlowEdgeType>[]) => {
      const { selection, select } = store.getState()
      const selects = changes.filter(isSelect)
      if (selects.length > 0) select(selectionWith(selection, selects, 'edge'))
    },
    [store],
  )
  const isValid = useCallback(
    (connection: Connection | FlowEdgeType) => {
      const { graph, types } = store.getState()
      return refuseEdge(graph, types, endsOf(connection)) === null
    },
    [store],
  )
  const onConnect = useCallback(
    (connection: Connection) => {
      const { commit, types } = store.getState()
      commit('connect', (graph) => connect(graph, types, endsOf(connection)))
    },
    [store],
  )
  const onReconnect = useCallback(
    (edge: FlowEdgeType, connection: Connection) => {
      const { commit, types } = store.getState()
      commit('reconnect', (graph) => reconnect(graph, types, edge.id, endsOf(connection)))
    },
    [store],
  )
  const onConnectEnd = useCallback(
    (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
      if (state.isValid || state.toNode || !state.fromNode || state.fromHandle?.type !== 'source') return
      const at = 'changedTouches' in event ? event.changedTouches[0] : event
      if (!at) return
      const screen = { x: at.clientX, y: at.clientY }
      const source = state.fromNode.id
      const source_port = state.fromHandle.id ?? 'out'
      // Dropped on a card beside its port: the card is meant.
      const card = document
        .elementFromPoint(screen.x, screen.y)
        ?.closest<HTMLElement>('.react-flow__node-card')
      const { graph, types, commit } = store.getState()
      const target = graph.nodes.find((node) => node.id === card?.dataset.id)
      if (target) {
        const into = inPorts(target, types.get(target.type))[0]
        const ends = { source, source_port, target: target.id, target_port: into?.name ?? '' }
        commit('connect', (now) => connect(now, types, ends))
        return
      }
      const flow = controller.toFlow(screen)
      controller.openQuickAdd({
        screen,
        flow: snapPoint({ x: flow.x, y: flow.y - 32 }),
        after: { node: source, port: source_port },
      })
    },
    [controller, store],
  )
  const onMove = useCallback(
    (_: unknown, viewport: { zoom: number }) => {
      const before = canvas.getState().lod
      const next = lodAt(viewport.zoom, before)
      if (next !== before) canvas.setState({ lod: next })
    },
    [canvas],
  )
  /** Far away there are no nodes to click: find the card under the pointer and go to it. */
  const onPaneClick = useCallback(
    (event: { clientX: number; clientY: number }) => {
      if (canvas.getState().lod !== 'far') return
      const at = controller.toFlow({ x: event.clientX, y: event.clientY })
      const { graph, types, select } = store.getState()
      const rects = nodeRects(graph, types)
      const hit = graph.nodes.findLast((node) => {
        const rect = rects.get(node.id)
        return rect !== undefined && contains(rect, at)
      })
      if (hit) controller.reveal(hit.id)
      else select(NOTHING)
    },
    [canvas, controller, store],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = event.target as HTMLElement
    if (target !== box.current && !target.matches('.react-flow__node, .react-flow')) return
    const arrow = ARROWS[event.key]
    if (arrow && !locked) {
      const by = event.shiftKey ? 50 : 10
      if (controller.nudge(arrow.x * by, arrow.y * by)) event.preventDefault()
    }
    if (event.key !== 'Tab') return
    if (controller.step(event.shiftKey ? -1 : 1)) event.preventDefault()
  }
  const chooseFirst = useCallback(
    (_: unknown, node: FlowNode) => {
      const { selection, select } = store.getState()
      const note = noteIdOf(node.id)
      const chosen = note === null ? selection.nodes.includes(node.id) : selection.annotations.includes(note)
      if (!chosen) select(note === null ? { nodes: [node.id] } : { annotations: [note] })
    },
    [store],
  )
  const chooseClicked = useCallback(
    (event: Pick<MouseEvent, 'shiftKey' | 'ctrlKey' | 'metaKey'>, node: FlowNode) => {
      // React Flow asks what it drew last: a node deselected a moment ago is still chosen to it, and stays deselected
      if (!event.shiftKey && !event.ctrlKey && !event.metaKey) chooseFirst(event, node)
    },
    [chooseFirst],
  )
  const chooseNothing = useCallback(() => store.getState().select(NOTHING), [store])
  const chooseEdge = useCallback(
    (_: unknown, edge: FlowEdgeType) => {
      const { selection, select } = store.getState()
      if (!selection.edges.includes(edge.id)) select({ edges: [edge.id] })
    },
    [store],
  )

  /** Long enough to reach the button on the edge, which is not part of it. */
  const leaving = useRef(0)
  const pointEdge = useCallback(
    (_: unknown, edge: FlowEdgeType) => {
      window.clearTimeout(leaving.current)
      canvas.setState({ edge: edge.id })
    },
    [canvas],
  )
  const leaveEdge = useCallback(() => {
    window.clearTimeout(leaving.current)
    leaving.current = window.setTimeout(function leave() {
      if (document.querySelector('.edge-add:is(:hover, :focus-visible)'))
        leaving.current = window.setTimeout(leave, LEAVE_MS)
      else canvas.setState({ edge: null })
    }, LEAVE_MS)
  }, [canvas])

  return (
    <ContextMenu items={menu}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Tab walks along the edges; everything else is on the nodes */}
      <div
        ref={box}
        className="canvas"
        data-lod={lod}
        data-testid="canvas"
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onPointerDownCapture={(event) => {
          touch()
          setFinger(event.pointerType === 'touch')
        }}
        onPointerUpCapture={touch}
        onWheelCapture={touch}
        onKeyDownCapture={touch}
        onPointerMove={(event) => {
          controller.pointer = { x: event.clientX, y: event.clientY }
        }}
        onPointerLeave={() => {
          controller.pointer = null
        }}
        onDoubleClick={(event) => {
          const target = event.target as HTMLElement
          const frame = target.classList.contains('frame') && !locked && target.dataset.frame
          const screen = { x: event.clientX, y: event.clientY }
          if (frame) {
            const at = controller.toFlow(screen)
            controller.openQuickAdd({ screen, flow: snapPoint({ x: at.x - 100, y: at.y - 32 }), into: frame })
          } else if (target.closest('.react-flow__node[data-id]')) {
            if (store.getState().selection.nodes.length === 1) onOpen()
          } else if (target.classList.contains('react-flow__pane') && !locked && !far) {
            const at = controller.toFlow(screen)
            controller.openQuickAdd({ screen, flow: snapPoint({ x: at.x - 100, y: at.y - 32 }) })
          }
        }}
      >
        <ReactFlow<FlowNode, FlowEdgeType>
          aria-label={t('canvas.label')}
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={onNodesChange}
          onEdgesChange={onEdgesChange}
          onConnect={onConnect}
          onConnectEnd={onConnectEnd}
          onReconnect={onReconnect}
          isValidConnection={isValid}
          onNodeDragStop={drag?.stop}
          onSelectionDragStop={drag?.stop}
          onNodeClick={chooseClicked}
          onNodeContextMenu={chooseFirst}
          onEdgeContextMenu={chooseEdge}
          onPaneContextMenu={chooseNothing}
          onEdgeMouseEnter={pointEdge}
          onEdgeMouseLeave={leaveEdge}
          onPaneClick={onPaneClick}
          onMove={onMove}
          onInit={() => {
            ready.current = true
            controller.fit(false)
            settle()
          }}
          connectionLineComponent={ConnectionLine}
          connectionRadius={24}
          reconnectRadius={16}
          minZoom={ZOOM.min}
          maxZoom={ZOOM.max}
          onlyRenderVisibleElements
          nodesDraggable={!locked && !small && drag !== null}
          nodesConnectable={!locked}
          edgesReconnectable={!locked}
          elementsSelectable
          selectNodesOnDrag
          selectionOnDrag={!locked && !far && !finger}
          selectionMode={SelectionMode.Partial}
          panOnDrag={locked || far || finger ? true : PAN_WITH_MIDDLE}
          panOnScroll={!small}
          zoomOnDoubleClick={false}
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={['Shift', 'Meta', 'Control']}
          panActivationKeyCode="Space"
          disableKeyboardA11y
          elevateNodesOnSelect={false}
          elevateEdgesOnSelect={false}
          proOptions={proOptions}
        >
          {far ? (
            <FarLayer />
          ) : (
            <Background variant={BackgroundVariant.Dots} gap={24} size={1.4} color="var(--grid-dot)" />
          )}
          <ViewportPortal>
            <Overlay />
            <EmptyHint />
          </ViewportPortal>
        </ReactFlow>
        <Toolbar />
        {minimap && !narrow ? (
          <Suspense fallback={null}>
            <MiniMap />
          </Suspense>
        ) : null}
        {children}
      </div>
    </ContextMenu>
  )
}
