/** What the events of a run say, folded: runs, steps, calls and questions. Times are epoch milliseconds. */

import type {
  Frame,
  InteractionState,
  Risk,
  RiskLevel,
  RunError,
  RunState,
  StepState,
  Usage,
  Waiting,
} from '@/api/run-types'

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
  /** The run that answers, where the tool is a workflow. */
  readonly run: string | null
  readonly from: number
  readonly to: number | null
  readonly ms: number | null
  readonly content: unknown
  readonly structured: unknown
  readonly isError: boolean
  /** Why no answer came. */
  readonly error: RunError | null
}

/** A model's wish to call a tool; `arguments` is the text it wrote, valid JSON or not. */
export interface RequestedCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** The earlier request that a request goes on from: its first `messages`, and its tools, are the same. */
export interface Base {
  readonly call: string
  readonly messages: number
  readonly tools: boolean
}

/** One try of one round with a model; a round that is asked again has several with the same `call`. */
export interface LlmCall {
  readonly call: string
  readonly provider: string
  readonly model: string
  /** The attempt of the step it belongs to. */
  readonly attempt: number
  readonly base: Base | null
  /** Only what the base does not have: a list, or where that is stored. `messagesOf` gives all. */
  readonly messages: unknown
  readonly tools: unknown
  readonly from: number
  readonly to: number | null
  readonly ms: number | null
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: readonly RequestedCall[]
  readonly usage: Usage | null
  readonly finish: string | null
  readonly error: RunError | null
}

/** A round that failed and is asked again. */
export interface CallRetry {
  readonly call: string
  readonly attempt: number
  readonly delayMs: number
  readonly code: string
  readonly at: number
  /** The model that is asked from here on, where the first one was given up. */
  readonly fallback: string | null
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

/** A budget that was reached. */
export interface BudgetHit {
  readonly budget: string
  readonly limit: number | null
  readonly used: number | null
  readonly at: number
}

/** What a planner says of its whole flow; its steps are the steps whose `parent` is the planner's. */
export interface Plan {
  readonly name: string
  readonly risk: RiskLevel | null
  readonly reason: string
  readonly state: 'RUNNING' | 'SUCCESS' | 'ERROR' | 'CANCELLED'
  readonly error: RunError | null
  readonly from: number
  readonly to: number | null
}

/** What a planner's step is to do. */
export interface Planned {
  readonly server: string
  readonly tool: string
  readonly description: string
}

/** One step: a node at a path, all its attempts; or one step of a planner, which has a parent. */
export interface Step {
  readonly id: string
  readonly node: string
  readonly path: readonly Frame[]
  readonly parent: string | null
  /** What a planner calls its step; null where the node's title says it. */
  readonly name: string | null
  readonly planned: Planned | null
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
  readonly retries: readonly CallRetry[]
  /** Text outside a round, as far as it is stored. */
  readonly text: string
  readonly reasoning: string
  readonly logs: readonly StepLog[]
  readonly progress: Progress | null
  readonly budgets: readonly BudgetHit[]
  readonly plan: Plan | null
  /** What a planner learned from results, in its order. */
  readonly facts: readonly string[]
  /** Runs it started. */
  readonly runs: readonly string[]
  /** The open question, if one is. */
  readonly interaction: string | null
  /** Of its own rounds; a planner's steps have theirs. */
  readonly usage: Usage
  /** Taken over from the run that this one is a retry or fork of: it ran there. */
  readonly copied: boolean
}

/** A question as the log tells it; the inbox row (GET /api/interactions) holds schema, proposal and assignees. */
export interface Question {
  readonly id: string
  readonly kind: string
  readonly node: string
  readonly step: string
  /** The call it is about, as TOOL_REQUEST names it; null where it is about none. */
  readonly call: string | null
  readonly attempt: number
  readonly title: string | null
  readonly tool: unknown
  readonly arguments: unknown
  readonly risk: Risk | null
  /** Whether not anyone may approve it alone. */
  readonly others?: boolean
  readonly message: string | null
  readonly schema: unknown
  readonly openedAt: number
  readonly closedAt: number | null
  readonly state: InteractionState
  readonly action: string | null
  readonly by: string | null
  readonly reason: string | null
}

export interface RunWait {
  readonly from: number
  readonly to: number | null
  readonly waiting: readonly Waiting[]
}

/** What a run was made of, where it is a retry or a fork: the run, the step and node from which it runs anew. */
export interface Origin {
  readonly run: string
  readonly step: string | null
  readonly node: string | null
  /** Events up to this one were taken over from it. */
  readonly copied: number
}

export interface RunFold {
  readonly run: string
  readonly origin: Origin | null
  readonly seq: number
  readonly state: RunState
  readonly version: number | null
  readonly inputs: unknown
  readonly serversOff: readonly string[]
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
  /** Steps of a node in the order in which they began, those of a planner among them. */
  readonly byNode: ReadonlyMap<string, readonly string[]>
  /** Steps inside a step, in the order in which they began. */
  readonly inside: ReadonlyMap<string, readonly string[]>
  readonly questions: ReadonlyMap<string, Question>
}

export interface Folded {
  readonly state: RunFold
  /** Nodes whose steps or questions changed. */
  readonly touched: ReadonlySet<string>
}

export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
  cost: 0,
}

export function addUsage(usage: Usage, other: Usage): Usage {
  return {
    input_tokens: usage.input_tokens + other.input_tokens,
    output_tokens: usage.output_tokens + other.output_tokens,
    cached_tokens: (usage.cached_tokens ?? 0) + (other.cached_tokens ?? 0),
    reasoning_tokens: (usage.reasoning_tokens ?? 0) + (other.reasoning_tokens ?? 0),
    cost: usage.cost + other.cost,
    ...(usage.estimated || other.estimated ? { estimated: true } : {}),
  }
}

export function emptyFold(run: string): RunFold {
  return {
    run,
    origin: null,
    seq: 0,
    state: 'QUEUED',
    version: null,
    inputs: null,
    serversOff: [],
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
    inside: new Map(),
    questions: new Map(),
  }
}

/** The steps inside a step, in order. */
export function stepsInside(fold: Pick<RunFold, 'inside' | 'steps'>, step: string): readonly Step[] {
  const ids = fold.inside.get(step) ?? []
  return ids.map((id) => fold.steps.get(id)).filter((step) => step !== undefined)
}

/** The usage of a step and of all steps inside it. */
export function usageWithin(fold: Pick<RunFold, 'inside' | 'steps'>, step: Step): Usage {
  let sum = step.usage
  for (const inner of stepsInside(fold, step.id)) sum = addUsage(sum, usageWithin(fold, inner))
  return sum
}
