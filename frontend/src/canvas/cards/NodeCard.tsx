/** One card: 200×64, what it is and how it fares. It reads its own run state, so an event redraws one card. */
import { Handle, type NodeProps, Position } from '@xyflow/react'
import { Ban, CircleAlert, Pin } from 'lucide-react'
import { memo, Suspense, useEffect, useRef } from 'react'
import type { CardNode } from '@/canvas/project'
import { useFresh, useGraph, useNodeProblems, useNodeType } from '@/graph/context'
import { isPill, portY } from '@/graph/layout/geometry'
import { shownSubtitle, subtitleOf, titleOf, toolServers } from '@/graph/nodes/describe'
import { nodeIcon } from '@/graph/nodes/icons'
import { inPorts, outPorts, type Port } from '@/graph/nodes/ports'
import type { GraphNode } from '@/graph/types'
import { useT } from '@/i18n'
import { type NodeRun, useNodeRun, useNow } from '@/live/run-store'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { duration, StatusIcon, toneOf, useStatusWord } from '@/ui'
import './card.css'
import './edges.css'

const CardRun = lazily(async () => ({ default: (await fetchCode(() => import('./CardRun'))).CardRun }))

const ACTIVE = new Set(['running', 'waiting', 'retrying', 'person', 'client'])

/** State and time of a card in a run. */
export function RunMark({ run }: { run: NodeRun }) {
  const t = useT()
  const going = run.ms === null && run.still === null && ACTIVE.has(run.status)
  const now = useNow(going && run.still === null)
  const word = useStatusWord()
  const ms = run.ms ?? Math.max(0, (run.still ?? now) - run.since)
  // beside the cross stands how many failed, else how many are through
  const rounds =
    run.total > 1
      ? t('canvas.rounds', { done: run.status === 'failed' ? run.failed : run.done, total: run.total })
      : null
  const words =
    run.status === 'skipped' || run.status === 'cancelled' ? word(run.status) : (rounds ?? duration(ms))
  return (
    <span className="card-time" data-tone={toneOf[run.status]}>
      <StatusIcon status={run.status} label={word(run.status)} size={12} />
      {words}
    </span>
  )
}

function useWrapperName(text: string) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.closest('.react-flow__node')?.setAttribute('aria-label', text)
  }, [text])
  return box
}

function handleTone(run: NodeRun | null): string | undefined {
  if (!run) return undefined
  const tone = toneOf[run.status]
  return tone === 'idle' || tone === 'waiting' ? undefined : tone
}

/** Ports that every language has a word for; the others are named by the workflow. */
const PORT_WORDS = ['out', 'error', 'default', 'true', 'false', 'approved', 'declined'] as const
const isWord = (name: string): name is (typeof PORT_WORDS)[number] => PORT_WORDS.some((word) => word === name)

/** The ports of a card or frame. React Flow knows their places already; these are what one sees and grabs. */
export function Ports({ node, height, run }: { node: GraphNode; height: number; run: NodeRun | null }) {
  const type = useNodeType(node.type)
  const t = useT()
  const inner = inPorts(node, type)
  const outer = outPorts(node, type)
  const tone = handleTone(run)
  const label = (port: Port): string => (isWord(port.name) ? t(`canvas.port_${port.name}`) : port.label)
  return (
    <>
      {inner.map((port) => (
        <Handle
          key={port.name}
          id={port.name}
          type="target"
          position={Position.Left}
          style={{ top: height / 2 }}
          data-tone={tone}
        />
      ))}
      {outer.map((port, index) => {
        const y = portY(index, outer.length, height)
        return (
          <span key={port.name} className="contents">
            {outer.length > 1 ? (
              <span className="port-label" style={{ top: y }}>
                {label(port)}
              </span>
            ) : null}
            <Handle
              id={port.name}
              type="source"
              position={Position.Right}
              style={{ top: y }}
              data-tone={run?.status === 'succeeded' && outer.length === 1 ? tone : undefined}
            />
          </span>
        )
      })}
    </>
  )
}

function Marks({ node }: { node: GraphNode }) {
  const t = useT()
  if (node.disabled)
    return (
      <span className="card-mark">
        <Ban aria-hidden />
        {t('canvas.disabled')}
      </span>
    )
  if (node.pinned !== undefined && node.pinned !== null)
    return (
      <span className="card-mark">
        <Pin aria-hidden />
        {t('canvas.pinned')}
      </span>
    )
  return null
}

/** The badge with the number of problems. */
export function ProblemBadge({ node }: { node: string }) {
  const t = useT()
  const problems = useNodeProblems(node)
  const quiet = useFresh(node)
  if (problems.length === 0) return null
  const severity = problems.some((problem) => problem.severity === 'error') ? 'error' : 'warning'
  return (
    <span
      className="card-bad"
      data-severity={severity}
      data-quiet={quiet || undefined}
      data-tip={problems.map((problem) => problem.message).join(' · ')}
    >
      <CircleAlert aria-hidden />
      <span className="sr-only">{t('canvas.problems', { n: problems.length })}</span>
      <span aria-hidden>{problems.length}</span>
    </span>
  )
}

/** The name that a screen reader says for a card: title, tool, state, problems. */
export function useCardName(node: GraphNode, run: NodeRun | null): string {
  const t = useT()
  const word = useStatusWord()
  const problems = useNodeProblems(node.id).length
  const types = useGraph((state) => state.types)
  const { lead, tail } = subtitleOf(node)
  const parts = [titleOf(node, types), lead ? `${lead}/${tail}` : tail]
  if (run) parts.push(word(run.status))
  if (node.disabled) parts.push(t('canvas.disabled'))
  if (problems > 0) parts.push(t('canvas.problems', { n: problems }))
  return parts.join(', ')
}

export const NodeCard = memo(function NodeCard({ data, height }: NodeProps<CardNode>) {
  const { node } = data
  const types = useGraph((state) => state.types)
  const run = useNodeRun(node.id)
  const type = types.get(node.type)
  const box = useWrapperName(useCardName(node, run))
  const Icon = nodeIcon(node, type !== undefined || types.size === 0)
  const { lead, tail } = shownSubtitle(node, types)
  const ports = outPorts(node, type)
  const widest = Math.max(0, ...ports.map((port) => port.label.length))
  const pill = isPill(node) && ports.length < 2
  const servers = run ? [] : toolServers(node)
  return (
    <div
      ref={box}
      className="card"
      data-state={run?.status}
      data-disabled={node.disabled}
      data-pill={pill}
      data-ports={ports.length < 2 ? undefined : widest > 5 ? 3 : 2}
    >
      <div className="card-head">
        <span className="tile">
          <Icon aria-hidden />
        </span>
        <span className="card-text">
          <span className="card-title">{titleOf(node, types)}</span>
          {pill || (!run && !lead && !tail) ? null : (
            <span className="card-sub">
              <span className="name">
                {lead && !run ? <span className="lead">{lead}</span> : null}
                <span className="tail">
                  {lead && !run ? '/' : ''}
                  {tail}
                </span>
              </span>
              {run ? <RunMark run={run} /> : null}
            </span>
          )}
        </span>
        {pill && run ? <StatusIcon status={run.status} /> : null}
      </div>
      {run && (run.talks || run.text || run.plan || run.status === 'person') ? (
        <Suspense fallback={null}>
          <CardRun node={node.id} run={run} />
        </Suspense>
      ) : null}
      {servers.length > 0 ? (
        <div className="card-foot">
          {servers.slice(0, 3).map(({ server, count }) => (
            <span key={server} className="chip chip-mono">
              {server}
              {count === null ? '' : ` ${count}`}
            </span>
          ))}
        </div>
      ) : null}
      <Ports node={node} height={height ?? 64} run={run} />
      <Marks node={node} />
      <ProblemBadge node={node.id} />
    </div>
  )
})
