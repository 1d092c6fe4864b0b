/** Edges: orthogonal with round corners; in a run they show where it went and what flowed. */
import { BaseEdge, type ConnectionLineComponentProps, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react'
import { Plus } from 'lucide-react'
import { memo, useMemo } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import type { FlowEdge as FlowEdgeType } from '@/canvas/project'
import { useCanvas } from '@/canvas/state'
import { useGraph } from '@/graph/context'
import { labelPoint, roundedPath, routePoints } from '@/graph/layout/routes'
import { nodesById } from '@/graph/lookup'
import { outPorts } from '@/graph/nodes/ports'
import { useT } from '@/i18n'
import { type NodeRun, useNodeRun, useStepValues } from '@/live/run-store'
import { bytes } from '@/ui'
import './edges.css'

type Flow = 'idle' | 'done' | 'live' | 'dead'

/** How an edge fares: by what became of its two ends. */
export function flowOf(source: NodeRun | null, target: NodeRun | null, branches: boolean): Flow {
  if (!source) return 'idle'
  if (source.status === 'skipped') return 'dead'
  const ended = source.status === 'succeeded' || source.status === 'failed'
  if (target?.status === 'skipped') return ended ? 'dead' : 'idle'
  if (source.status === 'running' && target) return 'live'
  if (!ended) return 'idle'
  if (target) return target.status === 'running' && target.ms === null && source.total > 1 ? 'live' : 'done'
  return branches || source.status === 'failed' ? 'idle' : 'done'
}

/** What an output is, in a few words: `4 items`, `12 KB`, a short value. Null when there is nothing to say. */
export function summary(output: unknown, t: ReturnType<typeof useT>): string | null {
  if (output === null || typeof output !== 'object') return null
  const record = output as Record<string, unknown>
  const keys = ['structured', 'result', 'items', 'text', 'value']
  const value =
    keys.map((key) => record[key]).find((entry) => entry !== null && entry !== undefined) ??
    Object.values(record)[0]
  if (Array.isArray(value)) return t('canvas.items', { n: value.length })
  if (typeof value === 'string') {
    if (!value) return null
    return value.length <= 18 && !value.includes('\n') ? `“${value}”` : bytes(new Blob([value]).size)
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null || typeof value !== 'object') return null
  const { $file, size } = value as { $file?: unknown; size?: unknown }
  if ($file && typeof size === 'number') return bytes(size)
  return t('canvas.fields', { n: Object.keys(value).length })
}

const LABEL_ROOM = 90

function FlowLabel({
  source,
  port,
  branches,
  at,
}: {
  source: string
  port: string
  branches: boolean
  at: { x: number; y: number }
}) {
  const t = useT()
  const values = useStepValues(source)
  const text = branches ? port : summary(values?.output, t)
  if (!text) return null
  return (
    <EdgeLabelRenderer>
      <div
        className="edge-label"
        style={{ transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}
      >
        {text}
      </div>
    </EdgeLabelRenderer>
  )
}

/** A button in the middle of the edge that is pointed at or selected. */
function AddHere({ edge, at }: { edge: string; at: { x: number; y: number } }) {
  const t = useT()
  const controller = useController()
  return (
    <EdgeLabelRenderer>
      <button
        type="button"
        className="edge-add nodrag nopan"
        aria-label={t('canvas.add_into_edge')}
        data-tip={t('canvas.add_into_edge')}
        style={{ transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect()
          controller.openQuickAdd({ screen: { x: box.left, y: box.bottom + 8 }, on: edge })
        }}
      >
        <Plus size={14} aria-hidden />
      </button>
    </EdgeLabelRenderer>
  )
}

export const FlowEdge = memo(function FlowEdge({
  id,
  source,
  target,
  sourceX,
  sourceY,
  targetX,
  targetY,
  selected,
  data,
}: EdgeProps<FlowEdgeType>) {
  const lanes = useCanvas((state) => state.lanes)
  const pointed = useCanvas((state) => state.edge === id)
  const takes = useCanvas((state) => state.onto === id)
  const readOnly = useGraph((state) => state.readOnly)
  const from = useNodeRun(source)
  const to = useNodeRun(target)
  const branches = useGraph((state) => {
    const node = nodesById(state.graph).get(source)
    return node !== undefined && outPorts(node, state.types.get(node.type)).length > 1
  })
  const flow = flowOf(from, to, branches)
  const drawn = useMemo(() => {
    const points = routePoints({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, lanes)
    const longest = Math.max(
      ...points.slice(1).map((point, index) => Math.abs(point.x - (points[index]?.x ?? point.x))),
    )
    return { path: roundedPath(points), label: labelPoint(points), roomy: longest > LABEL_ROOM }
  }, [sourceX, sourceY, targetX, targetY, lanes])
  return (
    <>
      <BaseEdge
        id={id}
        path={drawn.path}
        className="edge-path"
        interactionWidth={16}
        data-flow={flow}
        data-moving={flow === 'live'}
        data-takes={takes || undefined}
      />
      {(pointed || selected) && !readOnly ? (
        <AddHere edge={id} at={drawn.label} />
      ) : flow === 'done' && drawn.roomy ? (
        <FlowLabel source={source} port={data?.edge.source_port ?? ''} branches={branches} at={drawn.label} />
      ) : null}
    </>
  )
})

/** The line while a connection is dragged. */
export function ConnectionLine({ fromX, fromY, toX, toY }: ConnectionLineComponentProps) {
  const lanes = useCanvas((state) => state.lanes)
  const path = roundedPath(routePoints({ x: fromX, y: fromY }, { x: toX, y: toY }, lanes))
  return <path className="connection-path" d={path} />
}
