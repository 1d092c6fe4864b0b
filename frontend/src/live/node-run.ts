/** What a card shows of a node in a run: its steps summed up, what streams, what it calls, its plan. Pure. */

import type { RiskLevel, StepState } from '@/api/run-types'
import type { LlmCall, Progress, RunFold, Step } from './fold'
import { stepsInside, usageWithin } from './fold'
import { type RunStatus, statusOfStep } from './run-status'

/** One step of a planner as its card shows it. */
export interface PlanLine {
  readonly id: string
  readonly name: string
  readonly status: RunStatus
  readonly risk: RiskLevel | null
}

/** What a card shows of a node; several steps (rounds of an iteration) are summed up. Times are epoch ms. */
export interface NodeRun {
  readonly status: RunStatus
  readonly state: StepState
  readonly attempt: number
  readonly startedAt: number
  readonly endedAt: number | null
  /** From its first start to its last end; null while it goes on. */
  readonly ms: number | null
  /** When what it does now began: the open wait, else the start. */
  readonly since: number
  /** The moment that is shown, where it is not now: what goes on then does not tick. */
  readonly still: number | null
  readonly tokens: number | null
  readonly cost: number | null
  readonly progress: Progress | null
  /** The question that is open. */
  readonly interaction: string | null
  /** It speaks with a model. */
  readonly talks: boolean
  /** Streamed text so far, of the round that goes on or went last. */
  readonly text: string | null
  /** What the model thinks, as long as it says nothing. */
  readonly thinking: string | null
  /** `server/tool` that is being called, and how many calls are in flight. */
  readonly calling: string | null
  readonly calls: number
  readonly plan: readonly PlanLine[] | null
  readonly planName: string | null
  readonly planRisk: RiskLevel | null
  readonly code: string | null
  /** Steps that ended, of those that began. */
  readonly done: number
  readonly total: number
  /** Steps that ended with an error. */
  readonly failed: number
  /** The newest step. */
  readonly step: string
}

/** What counts most of several steps: a person's turn first, then what goes on, then what failed. */
const WEIGHT: readonly RunStatus[] = [
  'person',
  'running',
  'retrying',
  'client',
  'waiting',
  'paused',
  'queued',
  'failed',
  'cancelled',
  'succeeded',
  'skipped',
]

const heavier = (runStatus: RunStatus, other: RunStatus) => WEIGHT.indexOf(runStatus) < WEIGHT.indexOf(other)

/** The text of a round as far as it is known now. */
export type Reader = (step: Step, call: LlmCall | null, channel: 'text' | 'reasoning') => string

/** `all` = the node's steps, those inside another among them. */
export function sumUp(
  all: readonly Step[],
  run: RunFold,
  still: number | null,
  read: Reader,
): NodeRun | null {
  const steps = all.filter((step) => step.parent === null)
  const last = steps.at(-1)
  if (!last) return null
  let lead = last
  let status = statusWithin(last, run)
  for (const step of steps) {
    const other = statusWithin(step, run)
    if (!heavier(other, status)) continue
    lead = step
    status = other
  }
  const going = steps.some((step) => step.endedAt === null)
  const startedAt = Math.min(...steps.map((step) => step.startedAt))
  const endedAt = going ? run.endedAt : Math.max(...steps.map((step) => step.endedAt ?? 0))
  const family = [lead, ...stepsInside(run, lead.id)]
  const usage = steps.map((step) => usageWithin(run, step))
  const tokens = usage.reduce((sum, usage) => sum + usage.input_tokens + usage.output_tokens, 0)
  const cost = usage.reduce((sum, usage) => sum + usage.cost, 0)
  const open = family.flatMap((step) => step.waits).findLast((wait) => wait.to === null)
  return {
    status,
    state: lead.state,
    attempt: lead.attempt,
    startedAt,
    endedAt,
    ms: endedAt === null ? null : endedAt - startedAt,
    since: open?.from ?? startedAt,
    still,
    tokens: tokens > 0 ? tokens : null,
    cost: cost > 0 ? cost : null,
    progress: lead.endedAt === null ? lead.progress : null,
    interaction: family.findLast((step) => step.interaction !== null)?.interaction ?? null,
    ...saysNow(family, read),
    ...callsNow(family),
    plan: planOf(lead, run),
    planName: lead.plan?.name || null,
    planRisk: lead.plan?.risk ?? null,
    code: lead.error?.code ?? null,
    done: steps.filter((step) => step.endedAt !== null).length,
    total: steps.length,
    failed: steps.filter((step) => step.state === 'ERROR').length,
    step: lead.id,
  }
}

/** A planner whose step asks somebody waits for them, whatever it says of itself. */
export function statusWithin(step: Step, run: RunFold): RunStatus {
  const own = statusOfStep(step, run)
  if (own !== 'running' && own !== 'waiting') return own
  const inner = stepsInside(run, step.id).filter((step) => step.endedAt === null)
  const asks = inner.map((step) => statusOfStep(step, run))
  return asks.includes('person') ? 'person' : asks.includes('client') ? 'client' : own
}

/** Rounds whose answer is data for the program, not words for people. */
const ASIDE = /\/json:\d+$/

function saysNow(family: readonly Step[], read: Reader): Pick<NodeRun, 'talks' | 'text' | 'thinking'> {
  let newest: { step: Step; call: LlmCall } | null = null
  let talks = false
  for (const step of family)
    for (const call of step.llmCalls) {
      talks = true
      if (ASIDE.test(call.call)) continue
      if (newest === null || call.from >= newest.call.from) newest = { step, call }
    }
  const lead = family[0]
  if (newest === null) {
    const text = lead && !talks ? read(lead, null, 'text') : ''
    return { talks, text: text || null, thinking: null }
  }
  const text = read(newest.step, newest.call, 'text')
  const thinking = text || newest.call.to !== null ? '' : read(newest.step, newest.call, 'reasoning')
  return { talks: true, text: text || null, thinking: thinking || null }
}

function callsNow(family: readonly Step[]): Pick<NodeRun, 'calling' | 'calls'> {
  const open = family.flatMap((step) =>
    step.endedAt === null
      ? step.toolCalls.filter((call) => call.to === null && call.attempt === step.attempt)
      : [],
  )
  const last = open.at(-1)
  const calling = last ? (last.server ? `${last.server}/${last.tool}` : last.tool) : null
  return { calling, calls: open.length }
}

function planOf(lead: Step, run: RunFold): readonly PlanLine[] | null {
  const inner = stepsInside(run, lead.id)
  if (lead.plan === null && inner.length === 0) return null
  return inner.map((step) => ({
    id: step.id,
    name: step.name ?? step.toolCalls.at(-1)?.tool ?? '',
    status: statusOfStep(step, run),
    risk: riskOfStep(step, run),
  }))
}

/** How risky a step is, as far as somebody was asked about it. */
export function riskOfStep(step: Step, run: RunFold): RiskLevel | null {
  let risk: RiskLevel | null = null
  for (const wait of step.waits) {
    const question = wait.interaction === null ? undefined : run.questions.get(wait.interaction)
    risk = question?.risk?.level ?? risk
  }
  return risk
}

/** Whether a card would be drawn the same. */
export function sameRun(nodeRun: NodeRun, other: NodeRun): boolean {
  return (Object.keys(nodeRun) as (keyof NodeRun)[]).every((key) =>
    key === 'plan' ? samePlan(nodeRun.plan, other.plan) : Object.is(nodeRun[key], other[key]),
  )
}

function samePlan(items: NodeRun['plan'], other: NodeRun['plan']): boolean {
  if (items === other) return true
  if (items === null || other === null || items.length !== other.length) return false
  return items.every((line, index) => {
    const twin = other[index]
    return (
      twin !== undefined &&
      line.id === twin.id &&
      line.name === twin.name &&
      line.status === twin.status &&
      line.risk === twin.risk
    )
  })
}
