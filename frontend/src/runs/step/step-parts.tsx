/** Pieces that every kind of step shows alike: its error, its progress, earlier attempts, its output. */

import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useT } from '@/i18n'
import type { Step } from '@/live/fold'
import { ErrorFacts, type Shape, ShapeChoice, ValueView } from '@/results'
import { useFold } from '@/runs/conversation/unfolded'
import { CodeBlock, duration, ErrorBox, number } from '@/ui'
import { ChildRun } from './ChildRun'
import './step.css'

export function Section({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="grid gap-1 min-w-0">
      <div className="flex items-center gap-2 min-h-5">
        <h3 className="section-title flex-1">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  )
}

export function StepError({ error }: { error: NonNullable<Step['error']> }) {
  return (
    <ErrorBox
      error={error}
      tone={error.code === 'MCP_TIMEOUT' || error.code === 'WORKER_LOST' ? 'waiting' : 'failed'}
    >
      <ErrorFacts error={error} />
    </ErrorBox>
  )
}

export function ProgressLine({ progress }: { progress: NonNullable<Step['progress']> }) {
  const { total, message } = progress
  const share = total ? Math.min(1, progress.progress / total) : null
  const counts = total !== null || progress.progress > 0
  return (
    <div className="grid gap-1">
      <div className="flex gap-2 text-sm">
        <span className={counts ? 'truncate flex-1' : 'flex-1'}>{message ?? ''}</span>
        {counts ? (
          <span className="text-muted tabular-nums">
            {number(progress.progress)}
            {total ? ` / ${number(total)}` : ''}
          </span>
        ) : null}
      </div>
      {share === null ? null : (
        <progress className="meter" value={share} max={1} aria-label={message ?? undefined} />
      )}
    </div>
  )
}

/** Attempts of the whole step that failed before. */
export function Attempts({ step }: { step: Step }) {
  const t = useT()
  const tried = step.attempts.filter((attempt) => attempt.code !== null && attempt.attempt < step.attempt)
  if (tried.length === 0) return null
  return (
    <Section title={t('runs.step_attempts')}>
      <ul className="grid gap-0.5 text-sm">
        {tried.map((attempt) => (
          <li key={attempt.attempt} data-tone="waiting">
            {t('runs.attempt_ended', {
              n: attempt.attempt,
              code: attempt.code ?? '',
              time: duration((attempt.to ?? attempt.from) - attempt.from),
            })}
          </li>
        ))}
      </ul>
    </Section>
  )
}

export function Logs({ step }: { step: Step }) {
  const t = useT()
  if (step.logs.length === 0) return null
  return (
    <Section title={t('runs.step_logs')}>
      <CodeBlock
        code={step.logs.map((log) => `${log.level.padEnd(7)} ${log.text}`).join('\n')}
        small
        maxHeight={160}
        label={t('runs.step_logs')}
      />
    </Section>
  )
}

/** Runs that the step started, besides those that a call names. */
export function ChildRuns({ step }: { step: Step }) {
  const t = useT()
  const named = new Set(step.toolCalls.map((call) => call.run))
  const others = step.runs.filter((run) => !named.has(run))
  if (others.length === 0) return null
  return (
    <Section title={t('talk.child_runs')}>
      {others.map((run) => (
        <ChildRun key={run} run={run} />
      ))}
    </Section>
  )
}

/** What came out, once it did; `folded` where it repeats what stands above. */
export function Output({ step, folded = false }: { step: Step; folded?: boolean }) {
  const t = useT()
  const [shape, setShape] = useState<Shape>('tree')
  const [open, setOpen] = useFold('output', !folded)
  if (step.state !== 'SUCCESS') return null
  const Chevron = open ? ChevronDown : ChevronRight
  const choice = open ? <ShapeChoice value={shape} onChange={setShape} /> : null
  const value = open ? (
    <ValueView value={step.output} shape={shape} label={t('runs.step_output')} maxHeight={320} />
  ) : null
  if (!folded) {
    return (
      <Section title={t('runs.step_output')} aside={choice}>
        {value}
      </Section>
    )
  }
  return (
    <div className="talk-why">
      <div className="flex items-center gap-2 min-h-5">
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Chevron aria-hidden />
          <span>{t('runs.step_output')}</span>
        </button>
        <span className="flex-1" />
        {choice}
      </div>
      {value}
    </div>
  )
}
