/** One step: what went in, what was said and called, what came out, how often it was tried, what went wrong. */

import { X } from 'lucide-react'
import { useState } from 'react'
import { useT } from '@/i18n'
import { type RunFold, type Step, usageWithin } from '@/live/fold'
import { statusWithin } from '@/live/node-run'
import { useNow, useRunView } from '@/live/run-store'
import { CodeBlock, cost, duration, IconButton, number, Segmented, StatusIcon } from '@/ui'
import '@/runs/conversation/talk.css'
import { Conversation } from '@/runs/conversation/Conversation'
import { ForkButton } from '@/runs/rerun/buttons'
import { canSaveAsWorkflow, SaveAsWorkflowButton } from '@/runs/rerun/SaveAsWorkflowButton'
import { barsOf, spans } from '@/runs/timeline/waterfall'
import { Plan } from './Plan'
import { Story } from './Story'
import { Attempts, ChildRuns, Logs, Output, ProgressLine, StepError } from './step-parts'

export interface StepDetailProps {
  readonly step: Step
  readonly fold: RunFold
  readonly title: string
  /** The row of the timeline that was chosen: the step, one inside it, or a call; it is brought into sight. */
  readonly row?: string | null
  /** An earlier moment is shown: nothing ticks. */
  readonly still?: boolean
  readonly onClose?: () => void
}

type Kind = 'plan' | 'talk' | 'story'

/** A step that plans shows its plan, one that speaks with a model its conversation. */
function kindOf(step: Step, fold: RunFold): Kind {
  if (step.plan !== null || (fold.inside.get(step.id)?.length ?? 0) > 0) return 'plan'
  return step.llmCalls.length > 0 ? 'talk' : 'story'
}

const WORDS = { plan: 'talk.plan', talk: 'talk.conversation', story: 'runs.step_story' } as const

export function StepDetail({ step, fold, title, row = null, still = false, onClose }: StepDetailProps) {
  const t = useT()
  const [raw, setRaw] = useState(false)
  const status = statusWithin(step, fold)
  const kind = kindOf(step, fold)
  return (
    <section className="step" aria-label={title}>
      <header className="dock-head">
        <StatusIcon status={status} size={16} />
        <h2 className="truncate">{title}</h2>
        <span className="text-xs text-muted tabular-nums truncate flex-1">
          <StepMeta step={step} fold={fold} still={still} />
        </span>
        {kind !== 'story' && canSaveAsWorkflow(step, fold) ? (
          <SaveAsWorkflowButton run={fold.run} node={step.node} />
        ) : null}
        {still ? null : <ForkButton step={step} title={title} />}
        <Segmented
          label={t('runs.view')}
          small
          value={raw ? 'raw' : 'story'}
          onChange={(value) => setRaw(value === 'raw')}
          options={[
            { value: 'story', label: t(WORDS[kind]) },
            { value: 'raw', label: t('runs.step_raw') },
          ]}
        />
        {onClose ? (
          <IconButton label={t('runs.step_close')} size="small" onClick={onClose}>
            <X />
          </IconButton>
        ) : null}
      </header>
      {raw ? (
        <div className="step-body">
          <RawStep step={step} />
        </div>
      ) : kind === 'talk' ? (
        <Talk step={step} fold={fold} row={row} />
      ) : (
        <div className="step-body">
          {kind === 'plan' ? <Plan step={step} fold={fold} row={row} /> : <Story step={step} fold={fold} />}
        </div>
      )}
    </section>
  )
}

function Talk({ step, fold, row }: { step: Step; fold: RunFold; row: string | null }) {
  const progress = step.endedAt === null ? step.progress : null
  const before = step.error || step.attempt > 1 || progress
  const after = step.state === 'SUCCESS' || step.logs.length > 0 || step.runs.length > 0
  return (
    <Conversation
      step={step}
      fold={fold}
      row={row}
      before={
        before ? (
          <>
            {step.error ? <StepError error={step.error} /> : null}
            {progress ? <ProgressLine progress={progress} /> : null}
            <Attempts step={step} />
          </>
        ) : null
      }
      after={
        after ? (
          <>
            <ChildRuns step={step} />
            <Logs step={step} />
            <Output step={step} folded />
          </>
        ) : null
      }
    />
  )
}

function StepMeta({ step, fold, still }: { step: Step; fold: RunFold; still: boolean }) {
  const t = useT()
  const going = !still && step.endedAt === null && fold.endedAt === null
  const clock = useNow(going)
  const end =
    step.endedAt ??
    fold.endedAt ??
    (going ? Math.max(clock, fold.lastAt ?? 0) : (fold.lastAt ?? step.startedAt))
  const { worked, waited } = spans({ bars: barsOf(step, fold, statusWithin(step, fold)) }, end)
  const { input_tokens: input, output_tokens: output, cost: dollars } = usageWithin(fold, step)
  const rounds = new Set(step.llmCalls.map((call) => call.call)).size
  const parts = [
    step.path.length > 0 ? t('runs.row_round', { n: (step.path.at(-1)?.index ?? 0) + 1 }) : '',
    step.attempt > 1 ? t('runs.row_attempt', { n: step.attempt }) : '',
    rounds > 1 ? t('talk.rounds', { n: rounds }) : '',
    t('runs.row_worked', { time: duration(worked) }),
    waited > 0 ? t('runs.row_waited', { time: duration(waited) }) : '',
    input + output > 0 ? t('talk.tokens_in_out', { input: number(input), output: number(output) }) : '',
    dollars > 0 ? cost(dollars) : '',
  ]
  const text = parts.filter(Boolean).join(' · ')
  return <span data-tip={text}>{text}</span>
}

const MOST_RAW = 200

function RawStep({ step }: { step: Step }) {
  const t = useT()
  const view = useRunView()
  const events = (view?.events ?? []).filter((event) => event.step === step.id).slice(-MOST_RAW)
  return (
    <CodeBlock
      code={events.map((event) => JSON.stringify(event, null, 2)).join('\n')}
      small
      label={t('runs.step_raw')}
    />
  )
}
