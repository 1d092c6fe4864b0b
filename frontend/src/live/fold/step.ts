/** Events of a step's own life: STEP_*, and the questions it asks. */

import type { DataOf, Risk, RunEvent, StepState } from '@/api/run-types'
import { llmRetry } from './calls'
import { type Draft, type DraftStep, endWaits, startedRun } from './draft'
import { errorOf, nameOf, number, text } from './read'

/** Gives whether the event was one of a step's life. */
export function applyStep(draft: Draft, step: DraftStep, event: RunEvent, ts: number): boolean {
  const { data } = event
  switch (event.type) {
    case 'STEP_INIT':
      beginAttempt(step, data, ts)
      return true
    case 'STEP_INPUT':
      takeInput(step, data, ts)
      return true
    case 'STEP_WAITING_FOR_START':
    case 'STEP_WAITING_FOR_PARAM':
    case 'STEP_WAITING_FOR_INPUT':
      ask(draft, step, event, ts)
      return true
    case 'STEP_ANSWERED':
      answered(draft, step, data, ts)
      return true
    case 'STEP_RETRY':
      retry(step, data, ts)
      return true
    case 'STEP_PROGRESS':
      takeProgress(step, data)
      return true
    case 'STEP_LOG':
      takeLog(step, data, event.seq, ts)
      return true
    case 'BUDGET_EXCEEDED':
      usedUp(step, data, ts)
      return true
    case 'STEP_OUTPUT':
      takeOutput(step, data)
      endStep(draft, step, 'SUCCESS', ts)
      return true
    case 'STEP_ERROR':
      step.error = { ...errorOf(data), node: step.node }
      endStep(draft, step, 'ERROR', ts)
      return true
    case 'STEP_SKIP':
      endStep(draft, step, 'SKIPPED', ts)
      return true
    case 'STEP_CANCEL':
      endStep(draft, step, 'CANCELLED', ts)
      return true
    default:
      return false
  }
}

function takeProgress(step: DraftStep, data: DataOf<'STEP_PROGRESS'>): void {
  step.progress = {
    progress: number(data.progress) ?? 0,
    total: number(data.total),
    message: text(data.message),
  }
}

function takeLog(step: DraftStep, data: DataOf<'STEP_LOG'>, seq: number, ts: number): void {
  if (Array.isArray(data.facts)) step.facts.push(...data.facts.map(String))
  else step.logs.push({ seq, ts, level: text(data.level) ?? 'info', text: text(data.text) ?? '' })
  startedRun(step, data)
}

function usedUp(step: DraftStep, data: DataOf<'BUDGET_EXCEEDED'>, ts: number): void {
  step.budgets.push({
    budget: text(data.budget) ?? '',
    limit: number(data.limit),
    used: number(data.used),
    at: ts,
  })
}

function takeOutput(step: DraftStep, data: DataOf<'STEP_OUTPUT'>): void {
  step.output = data.output
}

function beginAttempt(step: DraftStep, data: DataOf<'STEP_INIT'>, ts: number): void {
  step.attempt = number(data.attempt) ?? 1
  step.name = text(data.name) ?? step.name
  if (text(data.tool) !== null)
    step.planned = {
      server: nameOf(data.server),
      tool: text(data.tool) ?? '',
      description: text(data.description) ?? '',
    }
  step.state = 'INIT'
  step.endedAt = null
  step.error = null
  step.text = ''
  step.reasoning = ''
  endWaits(step, ts, 'retry')
  endAttempt(step, ts, null)
  step.attempts.push({ attempt: step.attempt, from: ts, to: null, code: null })
}

/** A planner's step is tried again without a beginning of its own. */
function takeInput(step: DraftStep, data: DataOf<'STEP_INPUT'>, ts: number): void {
  step.input = data.input
  step.state = 'RUNNING'
  endWaits(step, ts, 'retry')
  const last = step.attempts.at(-1)
  if (!last || last.to === null) return
  step.attempt = last.attempt + 1
  step.attempts.push({ attempt: step.attempt, from: ts, to: null, code: null })
}

function endAttempt(step: DraftStep, ts: number, code: string | null): void {
  const last = step.attempts.at(-1)
  if (last && last.to === null) step.attempts[step.attempts.length - 1] = { ...last, to: ts, code }
}

/** With a `call` it is a round that is asked again; without, the whole step begins again. */
function retry(step: DraftStep, data: DataOf<'STEP_RETRY'>, ts: number): void {
  step.state = 'RUNNING'
  step.waits.push({ kind: 'retry', from: ts, to: null, interaction: null })
  if (text(data.call) === null) endAttempt(step, ts, text(data.code))
  else llmRetry(step, data, ts)
}

const WAITING_FOR: Record<string, string> = {
  STEP_WAITING_FOR_START: 'approval',
  STEP_WAITING_FOR_PARAM: 'params',
  STEP_WAITING_FOR_INPUT: 'form',
}

/** Questions about a call are asked under its key with this after it. */
const ASKS = /\/ask(:\d+)?$/

function ask(draft: Draft, step: DraftStep, event: RunEvent, ts: number): void {
  const data: DataOf<'STEP_WAITING_FOR_START' | 'STEP_WAITING_FOR_PARAM' | 'STEP_WAITING_FOR_INPUT'> =
    event.data
  const kind = text(data.kind) ?? WAITING_FOR[event.type] ?? 'form'
  const id = text(data.interaction) ?? `${step.id}:${event.seq}`
  const key = text(data.key)
  step.state = event.type === 'STEP_WAITING_FOR_PARAM' ? 'PARAM' : 'WAITING'
  step.interaction = id
  step.waits.push({ kind, from: ts, to: null, interaction: id })
  draft.ask({
    id,
    kind,
    node: step.node,
    step: step.id,
    call: key !== null && ASKS.test(key) ? key.replace(ASKS, '') : null,
    attempt: step.attempt,
    title: text(data.title),
    tool: data.tool ?? null,
    arguments: data.arguments ?? data.params ?? null,
    risk: (data.risk as Risk | null | undefined) ?? null,
    ...(text(data.approvers) === null ? {} : { others: true }),
    message: text(data.message),
    schema: data.schema ?? null,
    openedAt: ts,
    closedAt: null,
    state: 'open',
    action: null,
    by: null,
    reason: null,
  })
}

function answered(draft: Draft, step: DraftStep, data: DataOf<'STEP_ANSWERED'>, ts: number): void {
  const id = text(data.interaction)
  if (id === null) return
  draft.question(id, {
    state: 'answered',
    action: text(data.action),
    by: text(data.by),
    reason: text(data.reason),
    closedAt: ts,
  })
  endWaits(step, ts, undefined, id)
  const open = step.waits.findLast((wait) => wait.to === null && wait.interaction !== null)
  step.interaction = open?.interaction ?? null
  if (!open && (step.state === 'WAITING' || step.state === 'PARAM')) step.state = 'RUNNING'
}

function endStep(draft: Draft, step: DraftStep, end: StepState, ts: number): void {
  step.state = end
  step.endedAt = ts
  step.interaction = null
  endAttempt(step, ts, step.error?.code ?? null)
  for (const wait of step.waits) {
    const question = wait.interaction ? draft.state.questions.get(wait.interaction) : undefined
    if (question?.state === 'open') draft.question(question.id, { state: 'cancelled', closedAt: ts })
  }
  endWaits(step, ts)
}
