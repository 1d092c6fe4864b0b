/** A state under work: what a batch of events touches is copied first, and only that; a map when it is written to. */

import type { DataOf, RunEvent } from '@/api/run-types'
import { text } from './read'
import {
  type Attempt,
  type BudgetHit,
  type CallRetry,
  type LlmCall,
  NO_USAGE,
  type Question,
  type RunFold,
  type Step,
  type StepLog,
  type ToolCall,
  type Wait,
} from './state'

export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

type Lists = 'waits' | 'attempts' | 'toolCalls' | 'llmCalls' | 'retries' | 'logs' | 'budgets' | 'runs'

export type DraftStep = Mutable<Omit<Step, Lists>> & {
  waits: Wait[]
  attempts: Attempt[]
  toolCalls: ToolCall[]
  llmCalls: LlmCall[]
  retries: CallRetry[]
  logs: StepLog[]
  facts: string[]
  budgets: BudgetHit[]
  runs: string[]
}

export class Draft {
  readonly state: Mutable<RunFold>
  readonly touched = new Set<string>()
  private readonly own = new Map<string, DraftStep>()
  /** Lists of steps that were copied already: a loop adds thousands to one. */
  private readonly lists = new Map<string, string[]>()
  private steps: Map<string, Step> | null = null
  private byNode: Map<string, readonly string[]> | null = null
  private inside: Map<string, readonly string[]> | null = null
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
    const copied = event.seq <= (this.state.origin?.copied ?? 0)
    const step = known ? copyStep(known) : { ...newStep(event, node, id, this.parentOf(event), ts), copied }
    this.own.set(id, step)
    if (!this.steps) this.state.steps = this.steps = new Map(this.state.steps)
    this.steps.set(id, step)
    if (!known) this.begun(step)
    return step
  }

  /** The step around this one, which began before it. */
  private parentOf({ data }: RunEvent): string | null {
    const parent = text(data.parent)
    return parent !== null && this.state.steps.has(parent) ? parent : null
  }

  private begun({ id, node, parent }: DraftStep): void {
    if (!this.byNode) this.state.byNode = this.byNode = new Map(this.state.byNode)
    this.listed(this.byNode, 'node', node).push(id)
    if (parent === null) return
    if (!this.inside) this.state.inside = this.inside = new Map(this.state.inside)
    this.listed(this.inside, 'step', parent).push(id)
  }

  private listed(map: Map<string, readonly string[]>, kind: string, key: string): string[] {
    const mine = this.lists.get(`${kind} ${key}`)
    if (mine) return mine
    const list = [...(map.get(key) ?? [])]
    this.lists.set(`${kind} ${key}`, list)
    map.set(key, list)
    return list
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

function newStep(event: RunEvent, node: string, id: string, parent: string | null, ts: number): DraftStep {
  return {
    id,
    node,
    path: event.path,
    parent,
    name: null,
    planned: null,
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
    retries: [],
    text: '',
    reasoning: '',
    logs: [],
    progress: null,
    budgets: [],
    plan: null,
    facts: [],
    runs: [],
    interaction: null,
    usage: NO_USAGE,
    copied: false,
  }
}

function copyStep(step: Step): DraftStep {
  return {
    ...step,
    waits: [...step.waits],
    attempts: [...step.attempts],
    toolCalls: [...step.toolCalls],
    llmCalls: [...step.llmCalls],
    retries: [...step.retries],
    logs: [...step.logs],
    facts: [...step.facts],
    budgets: [...step.budgets],
    runs: [...step.runs],
  }
}

/** A run that a step started: named once, by a log line or by a call. */
export function startedRun(
  step: DraftStep,
  data: DataOf<'STEP_LOG' | 'TOOL_REQUEST' | 'TOOL_RESPONSE'>,
): void {
  const run = text(data.run)
  if (run !== null && !step.runs.includes(run)) step.runs.push(run)
}

/** Close the open waits: those of one kind, those of one question, or all. */
export function endWaits(step: DraftStep, ts: number, kind?: string, interaction?: string): void {
  step.waits.forEach((wait, index) => {
    if (wait.to !== null) return
    if (kind !== undefined && wait.kind !== kind) return
    if (interaction !== undefined && wait.interaction !== interaction) return
    step.waits[index] = { ...wait, to: ts }
  })
}
