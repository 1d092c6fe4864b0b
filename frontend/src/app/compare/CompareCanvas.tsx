/** Two documents on one canvas: the editor's own cards and edges, with marks over them that need no colour. */
import '@xyflow/react/dist/base.css'
import '@/canvas/canvas.css'
import {
  Background,
  BackgroundVariant,
  EdgeLabelRenderer,
  type EdgeProps,
  ReactFlow,
  ViewportPortal,
} from '@xyflow/react'
import { createContext, memo, useContext, useEffect, useMemo, useRef } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import { FlowEdge } from '@/canvas/cards/FlowEdge'
import { FrameNode } from '@/canvas/cards/FrameNode'
import { NodeCard } from '@/canvas/cards/NodeCard'
import { Group, Note } from '@/canvas/cards/NoteNode'
import type { CanvasController } from '@/canvas/controller'
import { useCanvasKeyDown, usePaneHandlers } from '@/canvas/input/usePaneHandlers'
import { useSelectionHandlers } from '@/canvas/input/useSelectionHandlers'
import { useTools } from '@/canvas/load-tools'
import { Toolbar } from '@/canvas/menus/Toolbar'
import { FarLayer } from '@/canvas/overview/FarLayer'
import { type FlowEdge as FlowEdgeType, type FlowNode, noteFlowId } from '@/canvas/project'
import { useCanvas } from '@/canvas/state'
import { useFlowElements, useLanes } from '@/canvas/useFlowElements'
import { ZOOM } from '@/canvas/view'
import type { Outline } from '@/graph/compare/both'
import type { ChangeKind } from '@/graph/compare/compare'
import { useGraph } from '@/graph/context'
import { nodeRects } from '@/graph/layout/geometry'
import { routePoints } from '@/graph/layout/routes'
import type { Point, Rect } from '@/graph/types'
import { useT } from '@/i18n'
import { useNarrow } from '@/ui/media'
import { asideOf, type Change, kindOf, kindWord, MARKS } from '@/versions/changes'

const nodeTypes = { card: NodeCard, frame: FrameNode, note: Note, group: Group }
const edgeTypes = { flow: memo(MarkedEdge) }

/** How far along an edge its sign stands: two that begin alike keep theirs apart. */
const ALONG = { added: 0.4, removed: 0.65 } as const

/** The point of a way at a part of its length. */
function pointAlong(points: readonly Point[], part: number): Point {
  const lengths = points
    .slice(1)
    .map((point, index) => Math.hypot(point.x - (points[index]?.x ?? 0), point.y - (points[index]?.y ?? 0)))
  let left = part * lengths.reduce((sum, length) => sum + length, 0)
  for (const [index, length] of lengths.entries()) {
    const [from, to] = [points[index], points[index + 1]]
    if (from && to && left <= length && length > 0)
      return { x: from.x + ((to.x - from.x) * left) / length, y: from.y + ((to.y - from.y) * left) / length }
    left -= length
  }
  return points.at(-1) ?? { x: 0, y: 0 }
}

/** What became of edges, by id. */
const EdgeMarks = createContext<ReadonlyMap<string, 'added' | 'removed'>>(new Map())

/** An edge with its sign in the middle. */
function MarkedEdge(props: EdgeProps<FlowEdgeType>) {
  const kind = useContext(EdgeMarks).get(props.id)
  const lanes = useCanvas((state) => state.lanes)
  const { sourceX, sourceY, targetX, targetY } = props
  if (!kind) return <FlowEdge {...props} />
  const points = routePoints({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, lanes)
  const sign = pointAlong(points, ALONG[kind])
  return (
    <>
      <FlowEdge {...props} />
      <EdgeLabelRenderer>
        <span
          className="edge-sign"
          data-kind={kind}
          aria-hidden
          style={{ transform: `translate(-50%, -50%) translate(${sign.x}px, ${sign.y}px)` }}
        >
          {MARKS[kind]}
        </span>
      </EdgeLabelRenderer>
    </>
  )
}

interface Mark {
  readonly kind: ChangeKind
  readonly words: string
}

/** What stands on nodes and notes, by React Flow's ids. */
function useMarks(changes: readonly Change[]): ReadonlyMap<string, Mark> {
  const t = useT()
  return useMemo(() => {
    const marks = new Map<string, Mark>()
    for (const change of changes) {
      if (change.of !== 'node' && change.of !== 'note') continue
      const kind = kindOf(change)
      const more = kind === 'changed' ? asideOf(change, t) : ''
      marks.set(change.of === 'node' ? change.item.id : noteFlowId(change.item.id), {
        kind,
        words: [kindWord(kind, t), more].filter(Boolean).join(', '),
      })
    }
    return marks
  }, [changes, t])
}

/** The rectangles of everything that is marked and in the document that is shown. */
function useMarkedRects(marks: ReadonlyMap<string, Mark>): readonly (readonly [string, Mark, Rect])[] {
  const graph = useGraph((state) => state.graph)
  const types = useGraph((state) => state.types)
  return useMemo(() => {
    const rects = new Map<string, Rect>(nodeRects(graph, types))
    for (const note of graph.annotations ?? [])
      rects.set(noteFlowId(note.id), { ...note.position, ...note.size })
    return [...marks].flatMap(([id, mark]) => {
      const rect = rects.get(id)
      return rect ? [[id, mark, rect] as const] : []
    })
  }, [graph, types, marks])
}

const middle = (rect: Rect) => ({ x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 })

/** Badges on what changed, and the old outlines of what moved, each with a line to where it is now. */
function Marks({
  marks,
  outlines,
  titleOf,
}: {
  readonly marks: ReadonlyMap<string, Mark>
  readonly outlines: readonly Outline[]
  readonly titleOf: (node: string) => string
}) {
  const t = useT()
  const marked = useMarkedRects(marks)
  const place = ({ x, y, width, height }: Rect) => ({ left: x, top: y, width, height })
  return (
    <div aria-hidden>
      <svg className="compare-lines" aria-hidden>
        {outlines.map(({ id, from, to }) => {
          const [start, end] = [middle(from), middle(to)]
          return <line key={id} x1={start.x} y1={start.y} x2={end.x} y2={end.y} />
        })}
      </svg>
      {outlines.map(({ id, from }) => (
        <div key={id} className="compare-outline" style={place(from)}>
          <span>{t('versions.was_here', { node: titleOf(id) })}</span>
        </div>
      ))}
      {marked.map(([id, mark, rect]) => (
        <div key={id} className="compare-mark" data-kind={mark.kind} style={place(rect)}>
          <span className="compare-badge">
            {MARKS[mark.kind]} {mark.words}
          </span>
        </div>
      ))}
    </div>
  )
}

/** Shows the whole as long as nobody has looked around. */
function useWhole(controller: CanvasController) {
  const box = useRef<HTMLDivElement>(null)
  const touched = useRef(false)
  useEffect(() => {
    const element = box.current
    controller.view.element = element
    const observer = new ResizeObserver(() => {
      if (!touched.current) controller.view.fit(false)
    })
    if (element) observer.observe(element)
    return () => {
      observer.disconnect()
      controller.view.element = null
    }
  }, [controller])
  const touch = () => {
    touched.current = true
  }
  return { box, touch }
}

const NO_CHANGES = undefined

export interface CompareCanvasProps {
  readonly changes: readonly Change[]
  readonly outlines: readonly Outline[]
  readonly titleOf: (node: string) => string
}

export function CompareCanvas({ changes, outlines, titleOf }: CompareCanvasProps) {
  const t = useT()
  const controller = useController()
  const lod = useCanvas((state) => state.lod)
  const minimap = useCanvas((state) => state.minimap)
  const narrow = useNarrow()
  const tools = useTools()
  const { nodes, edges, far } = useFlowElements()
  const select = useSelectionHandlers(NO_CHANGES)
  const pane = usePaneHandlers()
  const onKeyDown = useCanvasKeyDown(true)
  const { box, touch } = useWhole(controller)
  const marks = useMarks(changes)
  useLanes()
  const edgeMarks = useMemo(
    () =>
      new Map(
        changes.flatMap((change) => (change.of === 'edge' ? [[change.item.id, change.item.kind]] : [])),
      ),
    [changes],
  )
  const markedNodes = useMemo(
    () =>
      nodes.map((node): FlowNode => {
        const mark = marks.get(node.id)
        if (!mark) return node
        const domAttributes = { 'aria-description': mark.words }
        return { ...node, className: `compared-${mark.kind}`, domAttributes } as FlowNode
      }),
    [nodes, marks],
  )
  const markedEdges = useMemo(
    () =>
      edges.map((edge) => {
        const kind = edgeMarks.get(edge.id)
        return kind ? { ...edge, className: `compared-${kind}` } : edge
      }),
    [edges, edgeMarks],
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Tab walks along the edges; everything else is on the nodes
    <div
      ref={box}
      className="canvas compare-canvas"
      data-lod={lod}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onPointerDownCapture={touch}
      onWheelCapture={touch}
      onKeyDownCapture={touch}
    >
      <EdgeMarks value={edgeMarks}>
        <ReactFlow<FlowNode, FlowEdgeType>
          aria-label={t('versions.canvas')}
          nodes={markedNodes}
          edges={markedEdges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={select.onNodesChange}
          onEdgesChange={select.onEdgesChange}
          onNodeClick={select.chooseClicked}
          onInit={() => controller.view.fit(false)}
          {...pane}
          minZoom={ZOOM.min}
          maxZoom={ZOOM.max}
          onlyRenderVisibleElements
          nodesDraggable={false}
          nodesConnectable={false}
          edgesReconnectable={false}
          zoomOnDoubleClick={false}
          deleteKeyCode={null}
          selectionKeyCode={null}
          disableKeyboardA11y
          elevateNodesOnSelect={false}
          panOnScroll
          proOptions={{ hideAttribution: true }}
        >
          {far ? (
            <FarLayer />
          ) : (
            <Background variant={BackgroundVariant.Dots} gap={24} size={1.4} color="var(--grid-dot)" />
          )}
          <ViewportPortal>
            <Marks marks={marks} outlines={outlines} titleOf={titleOf} />
          </ViewportPortal>
        </ReactFlow>
      </EdgeMarks>
      <Toolbar />
      {minimap && !narrow && tools ? <tools.MiniMap /> : null}
    </div>
  )
}
