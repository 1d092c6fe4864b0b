/**
 * What a card says below its title while a run goes on: the question, what streams or is called, a planner's steps,
 * tokens and cost. Its parts have fixed heights, so a card grows once when it begins to talk and then stands still.
 * Fetched with the first run that needs it.
 */
import { Brain, Wrench } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/client'
import { useCanvasActions } from '@/canvas/actions-context'
import { useT } from '@/i18n'
import { type NodeRun, useOpenInteractions } from '@/live/run-store'
import type { PlanLine } from '@/live/run-view'
import { Button, compact, cost, cx, RiskBadge, StatusIcon, useStatusWord, visible } from '@/ui'
import { argumentsOf, RequestedCall } from './RequestedCall'

const GOING = new Set<NodeRun['status']>(['running', 'waiting', 'retrying', 'paused', 'person', 'client'])

export function CardRun({ node, run }: { node: string; run: NodeRun }) {
  const going = GOING.has(run.status)
  const speaks = run.talks || run.plan !== null
  return (
    <>
      {run.status === 'person' ? <Question node={node} run={run} /> : null}
      {going && run.status !== 'person' ? <Activity run={run} /> : null}
      {speaks && (going || run.tokens !== null) ? <Meta run={run} /> : null}
    </>
  )
}

function Activity({ run }: { run: NodeRun }) {
  if (run.plan !== null) return run.text ? <Stream run={run} tall /> : <PlanLines plan={run.plan} />
  return run.talks || run.text ? <Stream run={run} /> : null
}

/** Lines of a plan that a card shows: the newest. */
const PLAN_LINES = 3

function PlanLines({ plan }: { plan: readonly PlanLine[] }) {
  const t = useT()
  const word = useStatusWord()
  const shown = plan.slice(-PLAN_LINES)
  return (
    <ol className="card-plan" aria-label={t('talk.plan_steps')}>
      {shown.map((line) => (
        <li key={line.id} data-tip={`${line.name} · ${word(line.status)}`}>
          <StatusIcon status={line.status} label={word(line.status)} size={12} />
          <span className="truncate">{line.name}</span>
          {line.risk === 'HIGH' ? <RiskBadge level="HIGH" /> : null}
        </li>
      ))}
    </ol>
  )
}

/** Where the words shown begin: moved only now and then, so that lines do not break anew with every word. */
const STRIDE = 160

function tail(text: string): string {
  return text.slice(Math.floor(Math.max(0, text.length - STRIDE) / STRIDE) * STRIDE).replace(MARKS, '')
}

/** Signs of Markdown, for which a card has no room. */
const MARKS = /\*\*|__|`+|^#{1,6} |^[-*+] (?=\S)/gm

function Stream({ run, tall = false }: { run: NodeRun; tall?: boolean }) {
  const t = useT()
  const text = run.text ?? run.thinking
  return (
    <div className="card-stream" data-tall={tall || undefined}>
      {text ? (
        <p data-thinks={run.text === null || undefined}>
          {run.text === null ? <Brain aria-label={t('talk.thinking')} /> : null}
          <span>{tail(text)}</span>
        </p>
      ) : run.calling ? null : (
        <p data-thinks>
          <span>{t('talk.waits_for_model')}</span>
        </p>
      )}
      {run.calling ? (
        <div className="card-call">
          <Wrench aria-label={t('talk.card_calls', { tool: visible(run.calling) })} />
          <code className="truncate">{visible(run.calling)}</code>
          {run.calls > 1 ? <span>+{run.calls - 1}</span> : null}
        </div>
      ) : null}
    </div>
  )
}

/** Tokens and cost so far; a planner's steps too. The row stands from the beginning. */
function Meta({ run }: { run: NodeRun }) {
  const t = useT()
  const ended = run.plan?.filter((line) => line.status === 'succeeded').length
  return (
    <div className="card-meta">
      <span className="truncate">
        {run.plan && run.plan.length > 0
          ? t('talk.plan_progress', { done: ended ?? 0, all: run.plan.length })
          : ''}
      </span>
      <span>{run.tokens === null ? '' : t('talk.card_tokens', { tokens: compact(run.tokens) })}</span>
      <span>{run.cost === null ? '' : cost(run.cost)}</span>
    </div>
  )
}

function toolOf(tool: unknown): string {
  if (typeof tool === 'string') return tool
  if (typeof tool !== 'object' || tool === null) return ''
  const { name, tool: other } = tool as { name?: unknown; tool?: unknown }
  return String(name ?? other ?? '')
}

function Question({ node, run }: { node: string; run: NodeRun }) {
  const t = useT()
  const actions = useCanvasActions()
  const questions = useOpenInteractions()
  const [sent, setSent] = useState<string | null>(null)
  const [refused, setRefused] = useState<{ readonly id: string; readonly why: string } | null>(null)
  const question =
    questions.find((question) => question.id === run.interaction) ??
    questions.find((question) => question.node === node)
  if (!question) return null
  const tool = toolOf(question.tool)
  const name = visible(tool || question.title || '')
  const { id, risk } = question
  const approval = question.kind === 'approval'
  const requested = approval ? argumentsOf(question.arguments ?? question.message) : []
  const high = risk?.level === 'HIGH'
  // What may do most harm is approved only where the whole question stands; so is what takes other people.
  const seen = question.others !== true && !high && requested !== null
  const approve = async () => {
    setSent(id)
    try {
      await actions.approve?.(id)
    } catch (error) {
      const { code, message } = asApiError(error)
      setRefused({ id, why: code === 'ALREADY_ANSWERED' ? t('talk.beaten') : message })
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only keeps a click on its buttons from selecting the card
    // biome-ignore lint/a11y/useKeyWithClickEvents: the same
    <div className="card-ask nodrag nopan" onClick={(event) => event.stopPropagation()}>
      {name || risk ? (
        <div>
          <span className={cx('min-w-0 flex-1 truncate text-xs', tool && 'font-mono')}>{name}</span>
          {risk ? (
            <RiskBadge
              level={risk.level}
              reasons={risk.reasons.filter((reason) => typeof reason === 'string')}
            />
          ) : null}
        </div>
      ) : null}
      {requested ? <RequestedCall requested={requested} call={approval && tool !== ''} /> : null}
      {approval && !seen && question.others !== true ? (
        <p className="text-xs text-muted">{t(high ? 'canvas.review_high' : 'canvas.review_first')}</p>
      ) : null}
      {refused?.id === id ? (
        <p className="text-xs" data-tone="waiting" role="alert">
          {refused.why}
        </p>
      ) : null}
      <div>
        {approval && seen && actions.approve && refused?.id !== id ? (
          <Button size="small" variant="primary" busy={sent === id} onClick={() => void approve()}>
            {t('canvas.approve')}
          </Button>
        ) : null}
        <Button
          size="small"
          variant={approval && high ? 'primary' : 'plain'}
          onClick={() => actions.review?.(node, id)}
        >
          {approval ? t('canvas.review') : t('canvas.answer')}
        </Button>
      </div>
    </div>
  )
}
