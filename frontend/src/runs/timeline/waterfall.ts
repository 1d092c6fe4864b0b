/** The rows of the waterfall: steps under the frames they ran in, and below each what it called. Pure. */

import {
  addUsage,
  type LlmCall,
  type RunFold,
  type Step,
  stepsInside,
  type ToolCall,
  usageWithin,
} from '@/live/fold'
import { statusWithin } from '@/live/node-run'
import type { RunStatus } from '@/live/run-status'
import { visible } from '@/ui/display/visible'

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
  /** `server/tool`, the model, a planner's name for its step; null for a step that is called by its node's title. */
  readonly label: string | null
  /** The round of the iteration around it, from 1. */
  readonly round: number | null
  readonly attempt: number
  readonly status: RunStatus
  readonly from: number
  readonly to: number | null
  readonly bars: readonly Bar[]
  readonly tokens: number | null
  readonly cost: number | null
  readonly children: number
  /** It ran in the run that this one took it over from. */
  readonly copied: boolean
}

/** All rows in order, without those under a folded one. */
export function rowsOf(run: RunFold, folded: ReadonlySet<string>): Row[] {
  const children = new Map<string | null, Step[]>()
  const owners = ownersOf(run)
  for (const step of run.steps.values()) {
    const parent = parentOf(step, run, owners)
    const siblings = children.get(parent)
    if (siblings) siblings.push(step)
    else children.set(parent, [step])
  }
  const rows: Row[] = []
  const visit = (step: Step, depth: number, aside: readonly LlmCall[]) => {
    const inner = children.get(step.id) ?? []
    const asides = asidesOf(step, run)
    const calls = callRows(step, run, depth + 1, aside, asides)
    rows.push(stepRow(step, run, depth, calls.length + inner.length, aside))
    if (folded.has(step.id)) return
    const parts: { readonly from: number; readonly add: () => void }[] = [
      ...calls.map((row) => ({ from: row.from, add: () => void rows.push(row) })),
      ...inner.map((step) => ({
        from: step.startedAt,
        add: () => visit(step, depth + 1, asides.get(step.id) ?? []),
      })),
    ]
    for (const part of parts.sort((part, other) => part.from - other.from)) part.add()
  }
  const outer = [...(children.get(null) ?? [])].sort((step, other) => step.startedAt - other.startedAt)
  for (const step of outer) visit(step, 0, [])
  return rows
}

/** A planner asks about its steps in rounds of its own: they belong to the steps, by their number. */
function asidesOf(step: Step, run: RunFold): ReadonlyMap<string, readonly LlmCall[]> {
  const asides = new Map<string, LlmCall[]>()
  const inner = stepsInside(run, step.id)
  if (inner.length === 0) return asides
  for (const call of step.llmCalls) {
    const number = /^step:(\d+)\//.exec(call.call)?.[1]
    const about = number === undefined ? undefined : inner[Number(number) - 1]
    if (about) asides.set(about.id, [...(asides.get(about.id) ?? []), call])
  }
  return asides
}

const placeOf = (node: string, path: Step['path']): string =>
  `${node} ${path.map((frame) => `${frame.node}:${frame.index}`).join(' ')}`

/** By node and path, the first step there: those that rounds ran in. */
function ownersOf(run: RunFold): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  const frames = new Set<string>()
  for (const step of run.steps.values()) for (const frame of step.path) frames.add(frame.node)
  for (const node of frames)
    for (const id of run.byNode.get(node) ?? []) {
      const place = placeOf(node, run.steps.get(id)?.path ?? [])
      if (!owners.has(place)) owners.set(place, id)
    }
  return owners
}

/** The step of the frame a step ran in, or the planner step it belongs to. */
function parentOf(step: Step, run: RunFold, owners: ReadonlyMap<string, string>): string | null {
  if (step.parent !== null && run.steps.has(step.parent)) return step.parent
  const frame = step.path.at(-1)
  return frame ? (owners.get(placeOf(frame.node, step.path.slice(0, -1))) ?? null) : null
}

function stepRow(step: Step, run: RunFold, depth: number, children: number, aside: readonly LlmCall[]): Row {
  const status = statusWithin(step, run)
  const usage = aside.reduce(
    (sum, call) => (call.usage ? addUsage(sum, call.usage) : sum),
    usageWithin(run, step),
  )
  const tokens = usage.input_tokens + usage.output_tokens
  return {
    id: step.id,
    kind: 'step',
    depth,
    node: step.node,
    step: step.id,
    call: null,
    label: step.parent === null ? null : step.planned?.description || step.name,
    round: step.path.length > 0 ? (step.path.at(-1)?.index ?? 0) + 1 : null,
    attempt: step.attempt,
    status,
    from: step.startedAt,
    to: step.endedAt ?? run.endedAt,
    bars: barsOf(step, run, status),
    tokens: tokens > 0 ? tokens : null,
    cost: usage.cost > 0 ? usage.cost : null,
    children,
    copied: step.copied,
  }
}

/** What a step called, and what was asked about it. One call in one attempt says nothing that its row does not say. */
function callRows(
  step: Step,
  run: RunFold,
  depth: number,
  aside: readonly LlmCall[],
  asides: ReadonlyMap<string, readonly LlmCall[]>,
): Row[] {
  const elsewhere = new Set([...asides.values()].flat())
  const own = step.llmCalls.filter((call) => !elsewhere.has(call))
  if (step.toolCalls.length + own.length + aside.length + asides.size < 2) return []
  const end = (call: ToolCall | LlmCall) => call.to ?? endOfCall(step, call.from) ?? run.endedAt
  const row = (
    kind: 'tool' | 'llm',
    place: number | string,
    call: ToolCall | LlmCall,
    label: string,
  ): Row => {
    const usage = 'usage' in call ? call.usage : null
    const tokens = usage ? usage.input_tokens + usage.output_tokens : 0
    const status = statusOfCall(call, step, run)
    return {
      id: `${step.id}/${kind}/${place}`,
      kind,
      depth,
      node: step.node,
      step: step.id,
      call: call.call,
      label,
      round: null,
      attempt: call.attempt,
      status,
      from: call.from,
      to: end(call),
      bars: [{ from: call.from, to: end(call), status, waiting: false }],
      tokens: tokens > 0 ? tokens : null,
      cost: usage && usage.cost > 0 ? usage.cost : null,
      children: 0,
      copied: step.copied,
    }
  }
  const tools = step.toolCalls.map((call, index) =>
    row('tool', index, call, visible(call.server ? `${call.server}/${call.tool}` : call.tool)),
  )
  const models = own.map((call, index) => row('llm', index, call, call.model))
  const about = aside.map((call, index) => row('llm', `about ${index}`, call, call.model))
  return [...tools, ...models, ...about].sort((row, other) => row.from - other.from)
}

/** A call whose answer never came ended with its attempt or its step. */
function endOfCall(step: Step, from: number): number | null {
  return step.attempts.find((attempt) => attempt.to !== null && attempt.to >= from)?.to ?? step.endedAt
}

function statusOfCall(call: ToolCall | LlmCall, step: Step, run: RunFold): RunStatus {
  if (call.to === null)
    return endOfCall(step, call.from) === null && run.endedAt === null ? 'running' : 'failed'
  if (call.error !== null) return 'failed'
  return 'isError' in call && call.isError ? 'failed' : 'succeeded'
}

/** Work and waits of a step one after the other; an attempt that was tried again is drawn as failed. */
export function barsOf(step: Step, run: RunFold, status: RunStatus): Bar[] {
  if (status === 'skipped') return []
  const end = step.endedAt ?? run.endedAt
  const bars: Bar[] = []
  let index = step.startedAt
  for (const wait of waitsOf(step, run, end)) {
    if (wait.from > index) bars.push(...workBars(step, index, wait.from, status))
    if (wait.to === null || wait.to > index)
      bars.push({ from: Math.max(index, wait.from), to: wait.to, status: wait.status, waiting: true })
    if (wait.to === null) return bars
    index = Math.max(index, wait.to)
  }
  if (end === null || end > index || bars.length === 0) bars.push(...workBars(step, index, end, status))
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
    const status: RunStatus =
      wait.kind === 'retry' ? 'retrying' : wait.kind === 'client' ? 'client' : 'person'
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
  return [...own, ...ofRun].sort((waitBar, other) => waitBar.from - other.from)
}

/** How a step looks that stands still: what it did before is drawn as work. */
const STILL: ReadonlySet<RunStatus> = new Set(['person', 'client', 'waiting', 'retrying', 'paused'])

function workBars(step: Step, from: number, to: number | null, status: RunStatus): Bar[] {
  const working: RunStatus = STILL.has(status) ? 'running' : status
  const failed = step.attempts.find(
    (attempt) =>
      attempt.code !== null && attempt.to !== null && attempt.from <= from && attempt.to >= (to ?? from),
  )
  const lastAttempt = failed?.attempt === step.attempts.at(-1)?.attempt
  const done = to !== null && step.endedAt === null
  return [
    { from, to, status: failed && !lastAttempt ? 'failed' : done ? 'succeeded' : working, waiting: false },
  ]
}

/** The time that stands beside a row's bar, ms: that of its work, or of the wait in which it is or was called off. */
export function timeOf(row: Pick<Row, 'bars' | 'status'>, now: number): number {
  const { worked, waited } = spans(row, now)
  const last = row.bars.at(-1)
  const inWait = last !== undefined && last.to === null && last.waiting
  return inWait || (row.status === 'cancelled' && waited > worked) ? waited : worked || waited
}

/** How long a row worked and how long it waited, ms; what still goes on counts up to `now`. */
export function spans(row: Pick<Row, 'bars'>, now: number): { worked: number; waited: number } {
  let worked = 0
  let waited = 0
  for (const bar of row.bars) {
    const ms = Math.max(0, (bar.to ?? now) - bar.from)
    if (bar.waiting) waited += ms
    else worked += ms
  }
  return { worked, waited }
}
