/** A frame: an iteration or loop drawn around its children. */
import type { NodeProps } from '@xyflow/react'
import { memo, useEffect, useRef } from 'react'
import { useNodeRun } from '@/api/run-store'
import { useGraph } from '@/graph/context'
import { subtitleOf, titleOf } from '@/graph/describe'
import { typeIcon } from '@/graph/icons'
import { useT } from '@/i18n'
import { Ports, ProblemBadge, RunMark, useCardName } from './NodeCard'
import type { CardNode } from './project'

export const FrameNode = memo(function FrameNode({ data, height }: NodeProps<CardNode>) {
  const { node } = data
  const t = useT()
  const types = useGraph((state) => state.types)
  const empty = useGraph((state) => !state.graph.nodes.some((other) => other.parent === node.id))
  const run = useNodeRun(node.id)
  const name = useCardName(node, run)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.closest('.react-flow__node')?.setAttribute('aria-label', name)
  }, [name])
  const Icon = typeIcon(node.type)
  const { lead, tail } = subtitleOf(node)
  return (
    <div ref={box} className="frame" data-state={run?.status} data-disabled={node.disabled}>
      <div className="frame-head">
        <Icon aria-hidden />
        <span className="truncate">{titleOf(node, types)}</span>
        <span className="muted">{[lead, tail].filter(Boolean).join(' ')}</span>
        <span className="flex-1" />
        {run ? <RunMark run={run} /> : null}
      </div>
      {empty ? <div className="frame-empty">{t('canvas.frame_empty')}</div> : null}
      <Ports node={node} height={height ?? 132} run={run} />
      <ProblemBadge node={node.id} />
    </div>
  )
})
