/** A step that asks no model: what went in, what it called, what came out. */

import { Suspense } from 'react'
import { useTypeOf } from '@/graph/context'
import { shownInput } from '@/graph/nodes/plumbing'
import { useT } from '@/i18n'
import type { RunFold, Step } from '@/live/fold'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { ValueView } from '@/results'
import { CallCard } from '@/runs/conversation/CallCard'
import { PeopleProvider } from '@/runs/conversation/people'
import { useStreamed } from '@/runs/conversation/streamed'
import { turnsOf } from '@/runs/conversation/turns'
import { Attempts, ChildRuns, Logs, Output, ProgressLine, Section, StepError } from './step-parts'

const Rounds = lazily(async () => ({
  default: (await fetchCode(() => import('@/runs/rounds/Rounds'))).Rounds,
}))

export function Story({ step, fold }: { step: Step; fold: RunFold }) {
  const t = useT()
  const nodeType = useTypeOf(step.node)
  const text = useStreamed(step, null, 'text')
  const calls = turnsOf(step, fold).filter((turn) => turn.kind === 'call')
  const wasAnswered = calls.some(({ called }) =>
    called.questions.some((question) => question.state === 'answered'),
  )
  // One call, as a tool node makes it: what went in stands in the call.
  const isOneCall = step.toolCalls.length === 1
  return (
    <PeopleProvider run={fold.run} enabled={wasAnswered}>
      {step.error ? <StepError error={step.error} /> : null}
      {step.progress && step.endedAt === null ? <ProgressLine progress={step.progress} /> : null}
      <Attempts step={step} />
      {isOneCall ? null : (
        <Section title={t('runs.step_input')}>
          {step.input === undefined && step.endedAt !== null ? (
            <p className="text-muted">{t('runs.step_no_input')}</p>
          ) : (
            <ValueView
              value={shownInput(nodeType, step.input)}
              shape="tree"
              label={t('runs.step_input')}
              // what came out is looked for next: it is not far below
              {...(step.endedAt === null ? {} : { maxHeight: 200 })}
            />
          )}
        </Section>
      )}
      {nodeType === 'iteration' || nodeType === 'loop' ? (
        <Suspense fallback={null}>
          <Rounds run={fold.run} step={step} />
        </Suspense>
      ) : null}
      {calls.length > 0 ? (
        <Section title={t('runs.step_calls')}>
          <div className="grid gap-1">
            {calls.map(({ called, id }, index) => (
              <CallCard
                key={id}
                called={called}
                id={id}
                opened={calls.length === 1 || index === calls.length - 1}
              />
            ))}
          </div>
        </Section>
      ) : null}
      {text ? (
        <Section title={t('runs.step_text')}>
          <p className="whitespace-pre-wrap break-words">{text}</p>
        </Section>
      ) : null}
      <ChildRuns step={step} />
      <Logs step={step} />
      <Output step={step} />
    </PeopleProvider>
  )
}
