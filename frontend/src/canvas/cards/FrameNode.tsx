/** A frame: an iteration or loop drawn around its children. */
import type { NodeProps } from '@xyflow/react'
import { Plus } from 'lucide-react'
import { type MouseEvent, memo, useEffect, useRef } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import type { CardNode } from '@/canvas/project'
import { useCanvas } from '@/canvas/state'
import { useGraph } from '@/graph/context'
import { EMPTY_FRAME } from '@/graph/layout/geometry'
import { shownSubtitle, titleOf } from '@/graph/nodes/describe'
import { typeIcon } from '@/graph/nodes/icons'
import { useT } from '@/i18n'
import { useNodeRun } from '@/live/run-store'
import { Ports, ProblemBadge, RunMark, useCardName } from './NodeCard'
import './frame.css'

export const FrameNode = memo(function FrameNode({ data, height }: NodeProps<CardNode>) {
  const { node } = data
  const t = useT()
  const types = useGraph((state) => state.types)
  const empty = useGraph((state) => !state.graph.nodes.some((other) => other.parent === node.id))
  const run = useNodeRun(node.id)
  const name = useCardName(node, run)
  const into = useCanvas((state) => state.into === node.id)
  const readOnly = useGraph((state) => state.readOnly)
  const controller = useController()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.closest('.react-flow__node')?.setAttribute('aria-label', name)
  }, [name])
  const Icon = typeIcon(node.type)
  const { lead, tail } = shownSubtitle(node, types)
  const add = (event: MouseEvent<HTMLButtonElement>) => {
    const domRect = event.currentTarget.getBoundingClientRect()
    controller.openQuickAdd({ screen: { x: domRect.left, y: domRect.bottom + 8 }, into: node.id })
  }
  return (
    <div
      ref={box}
      className="frame"
      data-frame={node.id}
      data-state={run?.status}
      data-disabled={node.disabled}
      data-into={into}
    >
      <div className="frame-head">
        <Icon aria-hidden />
        <span className="truncate">{titleOf(node, types)}</span>
        {lead || (node.title && tail) ? (
          <span className="muted">{[lead, tail].filter(Boolean).join(' ')}</span>
        ) : null}
        <span className="flex-1" />
        {run ? <RunMark run={run} /> : null}
        {readOnly || empty ? null : (
          <button
            type="button"
            className="frame-add nodrag nopan"
            aria-label={t('canvas.add_inside')}
            data-tip={t('canvas.add_inside')}
            onClick={add}
          >
            <Plus aria-hidden />
          </button>
        )}
      </div>
      {empty && !readOnly ? (
        <button type="button" className="frame-empty nodrag nopan" onClick={add}>
          {t('canvas.frame_empty')}
        </button>
      ) : null}
      <Ports node={node} height={height ?? EMPTY_FRAME.height} run={run} />
      <ProblemBadge node={node.id} />
    </div>
  )
})
