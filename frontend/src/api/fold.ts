/**
 * From the events of a run to what the screen shows.
 *
 * Pure: a state and the events that follow it go in, the next state comes out; nothing given in is changed. Steps are
 * replaced, never mutated, so a component that holds a step knows by identity whether it changed. A state folded up to
 * event n plus the events after n equals the state folded from the whole log, for every n (fold.test.ts); live view,
 * reload and scrubbing therefore are the same thing. Events of unknown type are kept in the log and change nothing.
 */

import type {
  Frame,
  InteractionState,
  Risk,
  RunError,
  RunEvent,
  RunState,
  StepState,
  Usage,
  Waiting,
} from './run-types'

export interface Wait {
  /** What is waited for: a kind of question, or `retry`. */
  readonly kind: string
  readonly from: number
  readonly to: number | null
  readonly interaction: string | null
}

export interface Attempt {
  readonly attempt: number
  readonly from: number
  readonly to: number | null
  /** Why it was tried again. */
  readonly code: string | null
}

export interface ToolCall {
  readonly call: string
  readonly server: string
  readonly tool: string
  readonly attempt: number
  readonly arguments: unknown
  readonly from: number
  readonly to: number | null
  readonly ms: number | null
  readonly content: unknown
  readonly structured: unknown
  readonly isError: boolean
}

export interface LlmCall {
  readonly call: string
  readonly model: string
  readonly messages: unknown
  readonly from: number
  readonly to: number | null
  readonly ms: number | null
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: unknown
  readonly usage: Usage | null
}

export interface StepLog {
  readonly seq: number
  readonly ts: number
  readonly level: string
  readonly text: string
}

export interface Progress {
  readonly progress: number
  readonly total: number | null
  readonly message: string | null
}

/** One step: a node at a path, all its attempts. Times are epoch milliseconds. */
export interface Step {
  readonly id: string
  readonly node: string
  readonly path: readonly Frame[]
  readonly parent: string | null
  readonly state: StepState
  readonly attempt: number
  readonly startedAt: number
  readonly endedAt: number | null
  readonly waits: readonly Wait[]
  readonly attempts: readonly Attempt[]
  readonly input: unknown
  readonly output: unknown
  readonly error: RunError | null
  readonly toolCalls: readonly ToolCall[]
  readonly llmCalls: readonly LlmCall[]
  /** Text outside an LLM call, as far as it is stored. */
  readonly text: string
  readonly reasoning: string
  readonly logs: readonly StepLog[]
  readonly progress: Progress | null
  /** The open question, if one is. */
  readonly interaction: string | null
  readonly usage: Usage
}

/** A question as the log tells it; the inbox row (GET /api/interactions) holds schema, proposal and assignees. */
export interface Question {
  readonly id: string
  readonly kind: string
  readonly node: string
  readonly step: string
  readonly tool: unknown
  readonly arguments: unknown
  readonly risk: Risk | null
  readonly message: string | null
  readonly schema: unknown
  readonly openedAt: number
  readonly closedAt: number | null
  readonly state: InteractionState
  readonly action: string | null
  readonly by: string | null
}

export interface RunWait {
  readonly from: number
  readonly to: number | null
  readonly waiting: readonly Waiting[]
}

export interface RunFold {
  readonly run: string
  readonly seq: number
  readonly state: RunState
  readonly version: number | null
  readonly inputs: unknown
  readonly outputs: unknown
  readonly error: RunError | null
  readonly waiting: readonly Waiting[]
  readonly waits: readonly RunWait[]
  readonly queuedAt: number | null
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly lastAt: number | null
  readonly cancelledBy: string | null
  readonly usage: Usage
  readonly steps: ReadonlyMap<string, Step>
  /** Steps of a node in the order in which they began. */
  readonly byNode: ReadonlyMap<string, readonly string[]>
  readonly questions: ReadonlyMap<string, Question>
}

export interface Folded {
  readonly state: RunFold
  /** Nodes whose steps or questions changed. */
  readonly touched: ReadonlySet<string>
}

const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, cost: 0 }

export function emptyFold(run: string): RunFold {
  return {
    run,
    seq: 0,
    state: 'QUEUED',
    version: null,
    inputs: null,
    outputs: null,
    error: null,
    waiting: [],
    waits: [],
    queuedAt: null,
    startedAt: null,
    endedAt: null,
    lastAt: null,
    cancelledBy: null,
    usage: NO_USAGE,
    steps: new Map(),
    byNode: new Map(),
    questions: new Map(),
  }
}

type Data = Readonly<Record<string, unknown>>
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** A state under work: what this batch touches is copied first, and only that; a map the first time it is written to. */
class Draft {
  readonly state: Mutable<RunFold>
  readonly touched = new Set<string>()
  private readonly own = new Map<string, DraftStep>()
  private steps: Map<string, Step> | null = null
  private byNode: Map<string, readonly string[]> | null = null
  private questions: Map<string, Question> | null = null

  constructor(base: RunFold) {
    this.state = { ...base }
  }

  /** The step of an event, made if this is its first one. */
  step(event: RunEvent, node: string, id: string, ts: number): DraftStep {
    this.touched.add(node)
    const mine = this.own.get(id)
    if (mine) return mine
    const known = this.state.steps.get(id)
    const step = known ? copyStep(known) : newStep(event, node, id, ts)
    this.own.set(id, step)
    if (!this.steps) this.state.steps = this.steps = new Map(this.state.steps)
    this.steps.set(id, step)
    if (!known) this.begun(node, id)
    return step
  }

  private begun(node: string, id: string): void {
    if (!this.byNode) this.state.byNode = this.byNode = new Map(this.state.byNode)
    this.byNode.set(node, [...(this.byNode.get(node) ?? []), id])
  }

  ask(question: Question): void {
    if (!this.questions) this.state.questions = this.questions = new Map(this.state.questions)
    this.questions.set(question.id, question)
  }

  question(id: string, change: Partial<Question>): void {
    const known = this.state.questions.get(id)
    if (known) this.ask({ ...known, ...change })
  }
}

type Lists = 'waits' | 'attempts' | 'toolCalls' | 'llmCalls' | 'logs'
type DraftStep = Mutable<Omit<Step, Lists>> & {
  waits: Wait[]
  attempts: Attempt[]
  toolCalls: ToolCall[]
  llmCalls: LlmCall[]
  logs: StepLog[]
}

function newStep(event: RunEvent, node: string, id: string, ts: number): DraftStep {
  return {
    id,
    node,
    path: event.path,
    parent: text(event.data.parent),
    state: 'INIT',
    attempt: 1,
    startedAt: ts,
    endedAt: null,
    waits: [],
    attempts: [],
    input: undefined,
    output: undefined,
    error: null,
    toolCalls: [],
    llmCalls: [],
    text: '',
    reasoning: '',
    logs: [],
    progress: null,
    interaction: null,
    usage: NO_USAGE,
  }
}

function copyStep(step: Step): DraftStep {
  return {
    ...step,
    waits: [...step.waits],
    attempts: [...step.attempts],
    toolCalls: [...step.toolCalls],
    llmCalls: [...step.llmCalls],
    logs: [...step.logs],
  }
}

/**
 * The state after `events`, which must follow `base` in order. Events already folded (`seq` not above the state's) are
 * passed over, so a doubled delivery changes nothing.
 */
export function fold(base: RunFold, events: readonly RunEvent[]): Folded {
  const draft = new Draft(base)
  for (const event of events) {
    if (event.seq <= draft.state.seq) continue
    draft.state.seq = event.seq
    const ts = Date.parse(event.ts)
    draft.state.lastAt = ts
    if (event.node === null) applyToRun(draft, event, ts)
    else applyToStep(draft, event, event.node, ts)
  }
  return { state: draft.state, touched: draft.touched }
}

function applyToRun(draft: Draft, event: RunEvent, ts: number): void {
  const { state } = draft
  const { data } = event
  switch (event.type) {
    case 'FLOW_QUEUED':
      state.queuedAt = ts
      return
    case 'FLOW_START':
      state.state = 'RUNNING'
      state.startedAt ??= ts
      state.inputs = data.inputs ?? null
      state.version = number(data.version)
      return
    case 'FLOW_STOP': {
      const waiting = (Array.isArray(data.waiting) ? data.waiting : []) as Waiting[]
      state.state = waiting.some((one) => one.kind === 'pause') ? 'PAUSED' : 'WAITING'
      state.waiting = waiting
      state.waits = [...state.waits, { from: ts, to: null, waiting }]
      return
    }
    case 'FLOW_RESUME':
      state.state = 'RUNNING'
      state.waiting = []
      endRunWait(state, ts)
      return
    case 'FLOW_SUCCESS':
      state.outputs = data.outputs ?? {}
      endRun(draft, 'SUCCESS', ts)
      return
    case 'FLOW_FAILED':
      state.error = errorOf(data)
      endRun(draft, 'ERROR', ts)
      return
    case 'FLOW_CANCEL':
      state.cancelledBy = text(data.by)
      endRun(draft, 'CANCELLED', ts)
      return
  }
}

function endRunWait(state: Mutable<RunFold>, ts: number): void {
  const last = state.waits.at(-1)
  if (last && last.to === null) state.waits = [...state.waits.slice(0, -1), { ...last, to: ts }]
}

function endRun(draft: Draft, end: RunState, ts: number): void {
  draft.state.state = end
  draft.state.endedAt = ts
  draft.state.waiting = []
  endRunWait(draft.state, ts)
  for (const question of [...draft.state.questions.values()]) {
    if (question.state !== 'open') continue
    draft.question(question.id, { state: 'cancelled', closedAt: ts })
    draft.touched.add(question.node)
  }
}

const WAITING_FOR: Record<string, string> = {
  STEP_WAITING_FOR_START: 'approval',
  STEP_WAITING_FOR_PARAM: 'params',
  STEP_WAITING_FOR_INPUT: 'form',
}

function applyToStep(draft: Draft, event: RunEvent, node: string, ts: number): void {
  if (!event.step || event.type.startsWith('FLOW_')) return // a planner's own FLOW_ events end nothing
  const { data } = event
  const step = draft.step(event, node, event.step, ts)
  switch (event.type) {
    case 'STEP_INIT':
      beginAttempt(step, number(data.attempt) ?? 1, ts)
      return
    case 'STEP_INPUT':
      step.input = data.input
      step.state = 'RUNNING'
      endWaits(step, ts, 'retry')
      return
    case 'STEP_WAITING_FOR_START':
    case 'STEP_WAITING_FOR_PARAM':
    case 'STEP_WAITING_FOR_INPUT':
      ask(draft, step, event, ts)
      return
    case 'STEP_ANSWERED':
      answered(draft, step, data, ts)
      return
    case 'STEP_RETRY':
      retry(step, data, ts)
      return
    case 'STEP_PROGRESS':
      step.progress = {
        progress: number(data.progress) ?? 0,
        total: number(data.total),
        message: text(data.message),
      }
      return
    case 'STEP_LOG':
      step.logs.push({ seq: event.seq, ts, level: text(data.level) ?? 'info', text: text(data.text) ?? '' })
      return
    case 'TOOL_REQUEST':
      toolRequest(step, data, ts)
      return
    case 'TOOL_RESPONSE':
      toolResponse(step, data, ts)
      return
    case 'LLM_REQUEST':
      llmRequest(step, data, ts)
      return
    case 'LLM_RESPONSE':
      llmResponse(draft, step, data, ts)
      return
    case 'TEXT_ADD':
      addText(step, data)
      return
    case 'STEP_OUTPUT':
      step.output = data.output
      endStep(draft, step, 'SUCCESS', ts)
      return
    case 'STEP_ERROR':
      step.error = { ...errorOf(data), node }
      endStep(draft, step, 'ERROR', ts)
      return
    case 'STEP_SKIP':
      endStep(draft, step, 'SKIPPED', ts)
      return
    case 'STEP_CANCEL':
      endStep(draft, step, 'CANCELLED', ts)
      return
  }
}

function beginAttempt(step: DraftStep, attempt: number, ts: number): void {
  step.attempt = attempt
  step.state = 'INIT'
  step.endedAt = null
  step.error = null
  step.text = ''
  step.reasoning = ''
  endWaits(step, ts, 'retry')
  endAttempt(step, ts, null)
  step.attempts.push({ attempt, from: ts, to: null, code: null })
}

function endAttempt(step: DraftStep, ts: number, code: string | null): void {
  const last = step.attempts.at(-1)
  if (last && last.to === null) step.attempts[step.attempts.length - 1] = { ...last, to: ts, code }
}

function retry(step: DraftStep, data: Data, ts: number): void {
  endAttempt(step, ts, text(data.code))
  step.state = 'RUNNING'
  step.waits.push({ kind: 'retry', from: ts, to: null, interaction: null })
}

/** Close the open waits: those of one kind, those of one question, or all. */
function endWaits(step: DraftStep, ts: number, kind?: string, interaction?: string): void {
  step.waits.forEach((wait, at) => {
    if (wait.to !== null) return
    if (kind !== undefined && wait.kind !== kind) return
    if (interaction !== undefined && wait.interaction !== interaction) return
    step.waits[at] = { ...wait, to: ts }
  })
}

function ask(draft: Draft, step: DraftStep, event: RunEvent, ts: number): void {
  const { data } = event
  const kind = text(data.kind) ?? WAITING_FOR[event.type] ?? 'form'
  const id = text(data.interaction) ?? `${step.id}:${event.seq}`
  step.state = event.type === 'STEP_WAITING_FOR_PARAM' ? 'PARAM' : 'WAITING'
  step.interaction = id
  step.waits.push({ kind, from: ts, to: null, interaction: id })
  draft.ask({
    id,
    kind,
    node: step.node,
    step: step.id,
    tool: data.tool ?? null,
    arguments: data.arguments ?? data.params ?? null,
    risk: (data.risk as Risk | null | undefined) ?? null,
    message: text(data.message),
    schema: data.schema ?? null,
    openedAt: ts,
    closedAt: null,
    state: 'open',
    action: null,
    by: null,
  })
}

function answered(draft: Draft, step: DraftStep, data: Data, ts: number): void {
  const id = text(data.interaction)
  if (id === null) return
  draft.question(id, { state: 'answered', action: text(data.action), by: text(data.by), closedAt: ts })
  endWaits(step, ts, undefined, id)
  const open = step.waits.findLast((wait) => wait.to === null && wait.interaction !== null)
  step.interaction = open?.interaction ?? null
  if (!open && (step.state === 'WAITING' || step.state === 'PARAM')) step.state = 'RUNNING'
}

function toolRequest(step: DraftStep, data: Data, ts: number): void {
  endWaits(step, ts, 'retry')
  if (step.state === 'INIT') step.state = 'RUNNING'
  step.toolCalls.push({
    call: text(data.call) ?? '',
    server: nameOf(data.server),
    tool: text(data.tool) ?? '',
    attempt: step.attempt,
    arguments: data.arguments,
    from: ts,
    to: null,
    ms: null,
    content: undefined,
    structured: undefined,
    isError: false,
  })
}

function toolResponse(step: DraftStep, data: Data, ts: number): void {
  const at = step.toolCalls.findLastIndex((call) => call.call === (text(data.call) ?? '') && call.to === null)
  const request = step.toolCalls[at]
  if (!request) return
  step.toolCalls[at] = {
    ...request,
    to: ts,
    ms: number(data.ms),
    content: data.content,
    structured: data.structured,
    isError: data.is_error === true,
  }
}

function llmRequest(step: DraftStep, data: Data, ts: number): void {
  endWaits(step, ts, 'retry')
  if (step.state === 'INIT') step.state = 'RUNNING'
  step.llmCalls.push({
    call: text(data.call) ?? '',
    model: text(data.model) ?? '',
    messages: data.messages,
    from: ts,
    to: null,
    ms: null,
    text: '',
    reasoning: '',
    toolCalls: null,
    usage: null,
  })
}

function llmResponse(draft: Draft, step: DraftStep, data: Data, ts: number): void {
  const at = openLlmCall(step, text(data.call))
  const request = step.llmCalls[at]
  if (!request) return
  const usage = usageOf(data.usage)
  step.llmCalls[at] = {
    ...request,
    to: ts,
    ms: number(data.ms),
    text: text(data.text) ?? request.text,
    reasoning: text(data.reasoning) ?? request.reasoning,
    toolCalls: data.tool_calls ?? null,
    usage,
  }
  step.usage = addUsage(step.usage, usage)
  draft.state.usage = addUsage(draft.state.usage, usage)
}

function openLlmCall(step: DraftStep, call: string | null): number {
  return step.llmCalls.findLastIndex((one) => one.to === null && (call === null || one.call === call))
}

function addText(step: DraftStep, data: Data): void {
  const delta = text(data.text) ?? ''
  const channel = data.channel === 'reasoning' ? 'reasoning' : 'text'
  const at = openLlmCall(step, text(data.call))
  const call = step.llmCalls[at]
  const before = call ? call[channel] : step[channel]
  const after = overlay(before, number(data.offset) ?? codePoints(before), delta) ?? before
  if (call) step.llmCalls[at] = { ...call, [channel]: after }
  else step[channel] = after
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

/**
 * `text` with `delta` laid over it from `offset` on, counted in code points as the server counts; null when the text
 * does not reach to `offset` (something in between is missing).
 */
export function overlay(text: string, offset: number, delta: string): string | null {
  const from = unitIndex(text, offset)
  if (from === null) return null
  const end = unitIndex(text, offset + codePoints(delta)) ?? text.length
  return text.slice(0, from) + delta + text.slice(end)
}

const SURROGATE = /[\ud800-\udbff][\udc00-\udfff]/g

function codePoints(text: string): number {
  return text.length - (text.match(SURROGATE)?.length ?? 0)
}

/** Where code point `offset` begins in UTF-16 units; null beyond the end. */
function unitIndex(text: string, offset: number): number | null {
  if (text.search(SURROGATE) === -1) return offset <= text.length ? offset : null
  let at = 0
  for (let left = offset; left > 0; left--) {
    const point = text.codePointAt(at)
    if (point === undefined) return null
    at += point > 0xffff ? 2 : 1
  }
  return at
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function nameOf(server: unknown): string {
  if (typeof server === 'string') return server
  if (typeof server === 'object' && server !== null) return text((server as { name?: unknown }).name) ?? ''
  return ''
}

function errorOf(data: Data): RunError {
  return {
    code: text(data.code) ?? 'INTERNAL',
    message: text(data.message) ?? '',
    hint: text(data.hint),
    node: text(data.node),
    detail: data.detail ?? null,
  }
}

function usageOf(value: unknown): Usage {
  const usage = (typeof value === 'object' && value !== null ? value : {}) as Data
  return {
    input_tokens: number(usage.input_tokens) ?? 0,
    output_tokens: number(usage.output_tokens) ?? 0,
    cost: number(usage.cost) ?? 0,
  }
}

function addUsage(one: Usage, other: Usage): Usage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cost: one.cost + other.cost,
  }
}

/** The log of a run with a way to see its state at any event: a checkpoint every thousand events. */
export class RunHistory {
  readonly events: RunEvent[] = []
  private readonly checkpoints: RunFold[]
  private head: RunFold

  constructor(
    run: string,
    private readonly every = 1000,
  ) {
    this.head = emptyFold(run)
    this.checkpoints = [this.head]
  }

  get state(): RunFold {
    return this.head
  }

  /** Append events that follow without a gap; gives the nodes that changed. Events already held are passed over. */
  append(events: readonly RunEvent[]): ReadonlySet<string> {
    const fresh = events.filter((event) => event.seq > this.head.seq)
    const touched = new Set<string>()
    for (let at = 0; at < fresh.length; ) {
      const room = this.every - (this.events.length % this.every)
      const batch = fresh.slice(at, at + room)
      const folded = fold(this.head, batch)
      this.head = folded.state
      for (const event of batch) this.events.push(event)
      for (const node of folded.touched) touched.add(node)
      if (this.events.length % this.every === 0) this.checkpoints.push(this.head)
      at += batch.length
    }
    return touched
  }

  /** The state after event `seq`. */
  at(seq: number): RunFold {
    if (seq >= this.head.seq) return this.head
    const count = Math.max(0, seq)
    const base = Math.floor(count / this.every)
    const checkpoint = this.checkpoints[base] as RunFold
    return fold(checkpoint, this.events.slice(base * this.every, count)).state
  }
}
