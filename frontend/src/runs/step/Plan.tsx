/**
 * A planner at work: what it calls its flow and how risky it finds it, its steps with their states, the summary as it
 * streams. A step unfolds into what the model was asked about it, the call with its arguments and what came of it.
 */

import { ChevronDown, ChevronRight } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import type { StepState } from '@/api/run-types'
import { useT } from '@/i18n'
import { type LlmCall, type Question, type RunFold, type Step, stepsInside } from '@/live/fold'
import { riskOfStep } from '@/live/node-run'
import { statusOfStep } from '@/live/run-status'
import { Prose } from '@/prose/Prose'
import { ValueView } from '@/results'
import { CallCard } from '@/runs/conversation/CallCard'
import { PeopleProvider } from '@/runs/conversation/people'
import { useStreamed } from '@/runs/conversation/streamed'
import { QuestionLine, TurnRow } from '@/runs/conversation/TalkRows'
import { turnsOf } from '@/runs/conversation/turns'
import { FoldsProvider, useFold } from '@/runs/conversation/unfolded'
import { CopyButton, duration, RiskBadge, StatusIcon, visible } from '@/ui'
import { ChildRuns, Logs, Output, Section, StepError } from './step-parts'
import '@/runs/conversation/call.css'

/** How a planner names its rounds. */
const SUMMARY = 'summary'
const keyOfStep = (number: number) => `step:${number}/`

export function Plan({ step, fold, row }: { step: Step; fold: RunFold; row: string | null }) {
  const t = useT()
  const steps = stepsInside(fold, step.id)
  const family = new Set([step.id, ...steps.map((step) => step.id)])
  const hasQuestion = [...fold.questions.values()].some(
    (question) => family.has(question.step) && question.state === 'answered',
  )
  return (
    <FoldsProvider>
      <PeopleProvider run={fold.run} enabled={hasQuestion}>
        <PlanHead step={step} fold={fold} />
        {step.error ? <StepError error={step.error} /> : null}
        {steps.length === 0 && step.endedAt === null ? (
          <p className="text-muted">{t('talk.plan_none')}</p>
        ) : (
          <ol className="plan" aria-label={t('talk.plan_steps')}>
            {steps.map((entry, index) => (
              <PlanStep
                key={entry.id}
                number={index + 1}
                step={entry}
                planner={step}
                fold={fold}
                chosen={row?.split('/')[0] === entry.id}
              />
            ))}
          </ol>
        )}
        <Facts step={step} />
        <Summary step={step} />
        <Rounds step={step} fold={fold} />
        <ChildRuns step={step} />
        <Logs step={step} />
        <Output step={step} folded />
      </PeopleProvider>
    </FoldsProvider>
  )
}

function PlanHead({ step, fold }: { step: Step; fold: RunFold }) {
  const t = useT()
  const { plan } = step
  const own = turnsOf(step, fold, () => false)
  const questions = [...fold.questions.values()].filter((question) => question.step === step.id)
  if (!plan) return null
  return (
    <div className="grid gap-1">
      <div className="flex items-center gap-2 min-w-0">
        <h3 className="flex-1 truncate font-semibold" data-tip={plan.name}>
          {plan.name}
        </h3>
        {plan.risk ? <RiskBadge level={plan.risk} reasons={[plan.reason].filter(Boolean)} /> : null}
      </div>
      {plan.reason ? (
        <p className="text-sm text-muted">
          <span className="sr-only">{t('talk.plan_why')} </span>
          {plan.reason}
        </p>
      ) : null}
      {plan.error ? (
        <p className="text-sm" data-tone="failed">
          {plan.error.message || plan.error.code}
        </p>
      ) : null}
      {questions.map((question) => (
        <QuestionLine key={question.id} question={question} />
      ))}
      {own
        .filter((turn) => turn.kind === 'budget')
        .map((turn) => (
          <TurnRow key={turn.id} turn={turn} step={step} newest={false} />
        ))}
    </div>
  )
}

/** What it learned and goes by. */
function Facts({ step }: { step: Step }) {
  const t = useT()
  if (step.facts.length === 0) return null
  return (
    <Section title={t('talk.plan_facts')}>
      <ul className="list-disc pl-5 grid gap-0.5">
        {step.facts.map((fact) => (
          <li key={fact} className="break-words">
            {visible(fact)}
          </li>
        ))}
      </ul>
    </Section>
  )
}

const WORDS = {
  INIT: 'talk.plan_state_init',
  RUNNING: 'talk.plan_state_running',
  WAITING: 'talk.plan_state_waiting',
  PARAM: 'talk.plan_state_param',
  SUCCESS: 'talk.plan_state_success',
  ERROR: 'talk.plan_state_error',
  CANCELLED: 'talk.plan_state_cancelled',
  SKIPPED: 'talk.plan_state_skipped',
} as const satisfies Record<StepState, string>

interface PlanStepProps {
  readonly number: number
  readonly step: Step
  readonly planner: Step
  readonly fold: RunFold
}

function PlanStep({ chosen, ...props }: PlanStepProps & { readonly chosen: boolean }) {
  const { number, step, fold } = props
  const t = useT()
  const matters = step.endedAt === null || step.state === 'ERROR'
  const [open, setOpen] = useFold(step.id, matters || chosen)
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (chosen) item.current?.scrollIntoView?.({ block: 'nearest' })
  }, [chosen])
  const status = statusOfStep(step, fold)
  const risk = riskOfStep(step, fold)
  const tool = step.planned
    ? [step.planned.server, step.planned.tool].filter(Boolean).join('/')
    : (step.toolCalls.at(-1)?.tool ?? '')
  const Chevron = open ? ChevronDown : ChevronRight
  return (
    <li ref={item} className="call" data-tone={status === 'person' ? 'person' : undefined}>
      <button type="button" className="plan-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <StatusIcon status={status} />
        <span className="plan-number">{number}</span>
        <span className="grid min-w-0 flex-1">
          <span className="truncate">{visible(step.planned?.description || step.name || tool)}</span>
          <code className="truncate">{visible(tool)}</code>
        </span>
        {risk ? <RiskBadge level={risk} /> : null}
        <span className="plan-state" data-tone={status === 'person' ? 'person' : undefined}>
          {fold.endedAt !== null && step.endedAt === null
            ? t('talk.plan_state_cancelled')
            : t(WORDS[step.state])}
          {step.attempt > 1 ? <span className="wf-attempt">×{step.attempt}</span> : null}
          {step.endedAt === null ? null : (
            <span className="text-muted tabular-nums">{duration(step.endedAt - step.startedAt)}</span>
          )}
        </span>
        <Chevron aria-hidden />
      </button>
      {open ? <PlanStepBody {...props} /> : null}
    </li>
  )
}

function PlanStepBody({ number, step, planner, fold }: PlanStepProps) {
  const t = useT()
  const turns = useMemo(() => turnsOf(step, fold), [step, fold])
  const rounds = useMemo(
    () => turnsOf(planner, fold, (call: LlmCall) => call.call.startsWith(keyOfStep(number))),
    [planner, fold, number],
  )
  const [open, setOpen] = useFold(`${step.id} rounds`, false)
  const requested = rounds.filter((turn) => turn.kind === 'round')
  const result = turns.some((turn) => turn.kind === 'call')
  return (
    <div className="plan-body">
      {step.error ? <StepError error={step.error} /> : null}
      {result || step.input === undefined ? null : (
        <Section title={t('talk.arguments')}>
          <ValueView value={step.input} shape="json" label={t('talk.arguments')} maxHeight={160} />
        </Section>
      )}
      {turns.map((turn, index) =>
        turn.kind === 'question' ? (
          <Needed key={turn.id} question={turn.question} />
        ) : turn.kind === 'call' ? (
          <CallCard key={turn.id} called={turn.called} id={`${step.id} ${turn.id}`} opened />
        ) : (
          <TurnRow key={turn.id} turn={turn} step={step} newest={index === turns.length - 1} />
        ),
      )}
      {requested.length > 0 ? (
        <div className="talk-why">
          <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
            <span>
              {t('talk.plan_thinks')} · {t('talk.rounds', { n: requested.length })}
            </span>
          </button>
          {open
            ? rounds.map((turn) => <TurnRow key={turn.id} turn={turn} step={planner} newest={false} />)
            : null}
        </div>
      ) : null}
    </div>
  )
}

/** What the step asked a person: an approval shows what it is about already, missing values say what is wrong. */
function Needed({ question }: { question: Question }) {
  return (
    <div className="grid gap-1">
      {question.kind === 'approval' ? null : <p className="talk-plain">{visible(question.message ?? '')}</p>}
      <QuestionLine question={question} />
    </div>
  )
}

/** The summary, as it streams and as it stands. */
function Summary({ step }: { step: Step }) {
  const t = useT()
  const call = step.llmCalls.findLast((llmCall) => llmCall.call.startsWith(SUMMARY)) ?? null
  const text = useStreamed(step, call, 'text')
  const thinking = useStreamed(step, call, 'reasoning')
  if (!call || (!text && !thinking)) return null
  return (
    <Section
      title={t('talk.plan_summary')}
      aside={text ? <CopyButton text={text} label={t('talk.copy_text')} /> : null}
    >
      {text ? <Prose text={text} /> : <p className="text-muted">{t('talk.thinking')}</p>}
    </Section>
  )
}

/** What the model was asked about the flow as a whole: its name, its risk, the next steps. */
function Rounds({ step, fold }: { step: Step; fold: RunFold }) {
  const t = useT()
  const [open, setOpen] = useFold('rounds', false)
  const turns = useMemo(
    () => turnsOf(step, fold, (call) => !/^step:\d+\//.test(call.call) && !call.call.startsWith(SUMMARY)),
    [step, fold],
  )
  const rounds = turns.filter((turn) => turn.kind === 'round').length
  if (rounds === 0) return null
  return (
    <div className="talk-why">
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
        <span>
          {t('talk.plan_thinks')} · {t('talk.rounds', { n: rounds })}
        </span>
      </button>
      {open
        ? turns
            .filter((turn) => turn.kind === 'round' || turn.kind === 'message')
            .map((turn) => <TurnRow key={turn.id} turn={turn} step={step} newest={false} />)
        : null}
    </div>
  )
}
