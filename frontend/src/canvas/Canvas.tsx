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
  type NodeChange,
  ReactFlow,
  type ReactFlowProps,
  SelectionMode,
  ViewportPortal,
} from '@xyflow/react'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useGraph } from '@/graph/context'
import { useT } from '@/i18n'
import { ContextMenu } from '@/ui'
import { markFirstPaint } from '@/ui/first-paint'
import { useNarrow, usePhone } from '@/ui/media'
import { useCanvasActions } from './actions-context'
import { useController } from './CanvasProvider'
import { ConnectionLine, FlowEdge } from './cards/FlowEdge'
import { FrameNode } from './cards/FrameNode'
import { NodeCard } from './cards/NodeCard'
import { Group, Note } from './cards/NoteNode'
import type { CanvasController } from './controller'
import { EmptyHint, Overlay } from './drag/Overlay'
import { useClipboardEvents } from './input/useClipboardEvents'
import { useConnectionHandlers } from './input/useConnectionHandlers'
import { useEdgeHover } from './input/useEdgeHover'
import { useCanvasDoubleClick, useCanvasKeyDown, usePaneHandlers } from './input/usePaneHandlers'
import { useSelectionHandlers } from './input/useSelectionHandlers'
import { type CanvasTools, loadTools, useTools } from './load-tools'
import { Toolbar } from './menus/Toolbar'
import { FarLayer } from './overview/FarLayer'
import type { FlowEdge as FlowEdgeType, FlowNode } from './project'
import { useCanvas } from './state'
import { useFlowElements, useLanes } from './useFlowElements'
import { ZOOM } from './view'

const nodeTypes = { card: NodeCard, frame: FrameNode, note: Note, group: Group }
const edgeTypes = { flow: FlowEdge }
const PAN_WITH_MIDDLE = [1]
/** What never changes: our own keys, our own sizes. */
const FIXED: Partial<ReactFlowProps<FlowNode, FlowEdgeType>> = {
  connectionLineComponent: ConnectionLine,
  connectionRadius: 24,
  reconnectRadius: 16,
  minZoom: ZOOM.min,
  maxZoom: ZOOM.max,
  onlyRenderVisibleElements: true,
  elementsSelectable: true,
  selectNodesOnDrag: true,
  selectionMode: SelectionMode.Partial,
  zoomOnDoubleClick: false,
  deleteKeyCode: null,
  selectionKeyCode: null,
  multiSelectionKeyCode: ['Shift', 'Meta', 'Control'],
  panActivationKeyCode: 'Space',
  disableKeyboardA11y: true,
  elevateNodesOnSelect: false,
  elevateEdgesOnSelect: false,
  proOptions: { hideAttribution: true },
}

/** Keeps the graph fitted while panels find their sizes, until somebody looks around or is led to a node. */
function useFitting(controller: CanvasController) {
  const box = useRef<HTMLDivElement>(null)
  const ready = useRef(false)
  const touched = useRef(false)
  useEffect(() => {
    const element = box.current
    controller.view.element = element
    const observer = new ResizeObserver(() => {
      if (!ready.current) return
      if (touched.current || controller.view.moves > 0) controller.view.resized()
      else controller.view.fit(false)
    })
    if (element) observer.observe(element)
    return () => {
      observer.disconnect()
      controller.view.element = null
    }
  }, [controller])
  const touch = () => {
    touched.current = true
    controller.view.looksAround()
  }
  const onInit = () => {
    ready.current = true
    controller.view.fit(false)
    markFirstPaint()
  }
  return { box, touch, onInit }
}

interface FlowGraphProps {
  readonly tools: CanvasTools | null
  readonly locked: boolean
  /** A finger pans where the mouse chooses. */
  readonly finger: boolean
  readonly onInit: () => void
}

/** React Flow, with our nodes and edges in it and our hands on it. */
function FlowGraph({ tools, locked, finger, onInit }: FlowGraphProps) {
  const t = useT()
  const small = usePhone()
  const controller = useController()
  const drag = useMemo(() => (tools ? new tools.Drag(controller) : null), [tools, controller])
  const { nodes, edges, far } = useFlowElements()
  const changed = useCallback((changes: NodeChange<FlowNode>[]) => drag?.changed(changes), [drag])
  const select = useSelectionHandlers(changed)
  const connection = useConnectionHandlers()
  const pane = usePaneHandlers()
  const hover = useEdgeHover()
  return (
    <ReactFlow<FlowNode, FlowEdgeType>
      aria-label={t('canvas.label')}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      onNodesChange={select.onNodesChange}
      onEdgesChange={select.onEdgesChange}
      onNodeClick={select.chooseClicked}
      onNodeContextMenu={select.chooseFirst}
      onEdgeContextMenu={select.chooseEdge}
      onPaneContextMenu={select.chooseNothing}
      onNodeDragStop={drag?.stop}
      onInit={onInit}
      {...connection}
      {...pane}
      {...hover}
      {...FIXED}
      nodesDraggable={!locked && !small && drag !== null}
      nodesConnectable={!locked}
      edgesReconnectable={!locked}
      selectionOnDrag={!locked && !far && !finger}
      panOnDrag={locked || far || finger ? true : PAN_WITH_MIDDLE}
      panOnScroll={!small}
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
  )
}

export interface CanvasProps {
  /** Enter or a double click on a node. */
  readonly onOpen: () => void
  /** No editing and no marquee: a phone, a viewer. */
  readonly fixed?: boolean
  readonly children?: ReactNode
}

export function Canvas({ onOpen, fixed = false, children }: CanvasProps) {
  const controller = useController()
  const readOnly = useGraph((state) => state.readOnly)
  const minimap = useCanvas((state) => state.minimap)
  const lod = useCanvas((state) => state.lod)
  const narrow = useNarrow()
  const [finger, setFinger] = useState(() => window.matchMedia('(pointer: coarse)').matches)
  const locked = readOnly || fixed
  const { box, touch, onInit } = useFitting(controller)
  const t = useT()
  const { menu: more } = useCanvasActions()
  const tools = useTools()
  const menuOf = (file: CanvasTools) => file.canvasMenu(controller, t, onOpen, more)
  const menu = () => (tools ? menuOf(tools) : loadTools().then(menuOf))
  const onKeyDown = useCanvasKeyDown(locked)
  const onDoubleClick = useCanvasDoubleClick(locked, onOpen)
  useLanes()
  useClipboardEvents(controller)

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
          controller.view.pointer = { x: event.clientX, y: event.clientY }
        }}
        onPointerLeave={() => {
          controller.view.pointer = null
        }}
        onDoubleClick={onDoubleClick}
      >
        <FlowGraph tools={tools} locked={locked} finger={finger} onInit={onInit} />
        <Toolbar />
        {tools ? <tools.Follow /> : null}
        {minimap && !narrow && tools ? <tools.MiniMap /> : null}
        {children}
      </div>
    </ContextMenu>
  )
}
