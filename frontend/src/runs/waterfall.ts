/** The rows of the waterfall: steps under the frames they ran in, and below each what it called. Pure. */

import type { LlmCall, RunFold, Step, ToolCall } from '@/api/fold'
import { type RunStatus, statusOfStep } from '@/api/run-status'

export interface Bar {
  readonly from: number
  /** null = still growing. */
  readonly to: number | null
  readonly status: RunStatus
  /** Waiting is drawn hatched. */
  readonly waiting: boolean
}

export interface Row {
  readonly id: string
  readonly kind: 'step' | 'tool' | 'llm' | 'attempt'
  readonly depth: number
  readonly node: string
  readonly step: string
  /** The call the row is about. */
  readonly call: string | null
  /** `server/tool`, the model; null for a step, which is called by its node's title. */
  readonly label: string | null
  /** The round of the iteration around it, from 1. */
  readonly round: number | null
  readonly attempt: number
  readonly status: RunStatus
  readonly from: number
  readonly to: number | null
  readonly bars: readonly Bar[]
  readonly tokens: number | null
  readonly children: number
}

/** All rows in order, without those under a folded one. */
export function rowsOf(run: RunFold, folded: ReadonlySet<string>): Row[] {
  const children = new Map<string | null, Step[]>()
  for (const step of run.steps.values()) {
    const parent = parentOf(step, run)
    const siblings = children.get(parent)
    if (siblings) siblings.push(step)
    else children.set(parent, [step])
  }
  for (const steps of children.values()) steps.sort((one, other) => one.startedAt - other.startedAt)
  const rows: Row[] = []
  const visit = (parent: string | null, depth: number) => {
    for (const step of children.get(parent) ?? []) {
      const calls = callRows(step, run, depth + 1)
      const inner = children.get(step.id)?.length ?? 0
      rows.push(stepRow(step, run, depth, calls.length + inner))
      if (folded.has(step.id)) continue
      rows.push(...calls)
      if (inner > 0) visit(step.id, depth + 1)
    }
  }
  visit(null, 0)
  return rows
}

/** The step of the frame a step ran in, or the planner step it belongs to. */
function parentOf(step: Step, run: RunFold): string | null {
  if (step.parent !== null && run.steps.has(step.parent)) return step.parent
  const frame = step.path.at(-1)
  if (!frame) return null
  const outer = step.path.slice(0, -1)
  const owners = run.byNode.get(frame.node) ?? []
  const owner = owners.find((id) => JSON.stringify(run.steps.get(id)?.path) === JSON.stringify(outer))
  return owner ?? null
}

function stepRow(step: Step, run: RunFold, depth: number, children: number): Row {
  const status = statusOfStep(step, run)
  const tokens = step.usage.input_tokens + step.usage.output_tokens
  return {
    id: step.id,
    kind: 'step',
    depth,
    node: step.node,
    step: step.id,
    call: null,
    label: null,
    round: step.path.length > 0 ? (step.path.at(-1)?.index ?? 0) + 1 : null,
    attempt: step.attempt,
    status,
    from: step.startedAt,
    to: step.endedAt ?? run.endedAt,
    bars: barsOf(step, run, status),
    tokens: tokens > 0 ? tokens : null,
    children,
  }
}

/** What a step called, in order. One call in one attempt says nothing that the step's own row does not say. */
function callRows(step: Step, run: RunFold, depth: number): Row[] {
  if (step.toolCalls.length + step.llmCalls.length < 2) return []
  const row = (
    kind: 'tool' | 'llm',
    at: number,
    call: ToolCall | LlmCall,
    label: string,
    attempt: number,
    status: RunStatus,
  ): Row => ({
    id: `${step.id}/${kind}/${at}`,
    kind,
    depth,
    node: step.node,
    step: step.id,
    call: call.call,
    label,
    round: null,
    attempt,
    status,
    from: call.from,
    to: call.to ?? endOfCall(step, call.from) ?? run.endedAt,
    bars: [
      { from: call.from, to: call.to ?? endOfCall(step, call.from) ?? run.endedAt, status, waiting: false },
    ],
    tokens: 'usage' in call && call.usage ? call.usage.input_tokens + call.usage.output_tokens : null,
    children: 0,
  })
  const tools = step.toolCalls.map((call, at) =>
    row(
      'tool',
      at,
      call,
      call.server ? `${call.server}/${call.tool}` : call.tool,
      call.attempt,
      statusOfCall(call, step, run),
    ),
  )
  const models = step.llmCalls.map((call, at) =>
    row('llm', at, call, call.model, step.attempt, statusOfCall(call, step, run)),
  )
  return [...tools, ...models].sort((one, other) => one.from - other.from)
}

/** A call whose answer never came ended with its attempt or its step. */
function endOfCall(step: Step, from: number): number | null {
  return step.attempts.find((attempt) => attempt.to !== null && attempt.to >= from)?.to ?? step.endedAt
}

function statusOfCall(call: ToolCall | LlmCall, step: Step, run: RunFold): RunStatus {
  if (call.to === null)
    return endOfCall(step, call.from) === null && run.endedAt === null ? 'running' : 'failed'
  return 'isError' in call && call.isError ? 'failed' : 'succeeded'
}

/** Work and waits of a step one after the other; an attempt that was tried again is drawn as failed. */
export function barsOf(step: Step, run: RunFold, status: RunStatus): Bar[] {
  if (status === 'skipped') return []
  const end = step.endedAt ?? run.endedAt
  const bars: Bar[] = []
  let at = step.startedAt
  for (const wait of waitsOf(step, run, end)) {
    if (wait.from > at) bars.push(...workBars(step, at, wait.from, status))
    if (wait.to === null || wait.to > at)
      bars.push({ from: Math.max(at, wait.from), to: wait.to, status: wait.status, waiting: true })
    if (wait.to === null) return bars
    at = Math.max(at, wait.to)
  }
  if (end === null || end > at || bars.length === 0) bars.push(...workBars(step, at, end, status))
  return bars
}

interface WaitBar {
  readonly from: number
  readonly to: number | null
  readonly status: RunStatus
}

/** Its own waits, and those of the whole run where the step had none of its own. */
function waitsOf(step: Step, run: RunFold, end: number | null): WaitBar[] {
  const own = step.waits.map((wait): WaitBar => {
    const status: RunStatus = wait.kind === 'retry' ? 'retrying' : 'person'
    return { from: wait.from, to: wait.to ?? end, status }
  })
  const ofRun = run.waits
    .filter(
      (wait) => (end === null || wait.from < end) && (wait.to ?? Number.POSITIVE_INFINITY) > step.startedAt,
    )
    .map((wait): WaitBar => {
      const status: RunStatus = run.state === 'PAUSED' && wait.to === null ? 'paused' : 'waiting'
      return { from: Math.max(wait.from, step.startedAt), to: wait.to ?? end, status }
    })
    .filter(
      (wait) =>
        !own.some(
          (mine) => mine.from <= (wait.to ?? wait.from) && (mine.to ?? Number.POSITIVE_INFINITY) >= wait.from,
        ),
    )
  return [...own, ...ofRun].sort((one, other) => one.from - other.from)
}

function workBars(step: Step, from: number, to: number | null, status: RunStatus): Bar[] {
  const working: RunStatus =
    status === 'person' || status === 'waiting' || status === 'retrying' || status === 'paused'
      ? 'running'
      : status
  const failed = step.attempts.find(
    (one) => one.code !== null && one.to !== null && one.from <= from && one.to >= (to ?? from),
  )
  const lastAttempt = failed?.attempt === step.attempts.at(-1)?.attempt
  const done = to !== null && step.endedAt === null
  return [
    { from, to, status: failed && !lastAttempt ? 'failed' : done ? 'succeeded' : working, waiting: false },
  ]
}

/** How long a row worked and how long it waited, ms; what still goes on counts up to `now`. */
export function spans(row: Row, now: number): { worked: number; waited: number } {
  let worked = 0
  let waited = 0
  for (const bar of row.bars) {
    const ms = Math.max(0, (bar.to ?? now) - bar.from)
    if (bar.waiting) waited += ms
    else worked += ms
  }
  return { worked, waited }
}
