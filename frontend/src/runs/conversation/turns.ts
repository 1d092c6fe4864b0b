/**
 * What an agent's step said and did, in order: messages it was given, rounds with the model, and in each round the
 * calls the model asked for with what became of them. Pure.
 *
 * The log holds each thing once, in its own place: what the model asked for in LLM_RESPONSE, what was called in
 * TOOL_REQUEST, what a person said in a question, and what the model then read in the messages of the next request.
 * Here they come together, so nothing is shown twice.
 */

import { type FileValue, isFileValue } from '@/api/files'
import { isRef, type Ref } from '@/api/run-types'
import type {
  BudgetHit,
  CallRetry,
  LlmCall,
  Question,
  RequestedCall,
  RunFold,
  Step,
  ToolCall,
} from '@/live/fold'
import type { RunStatus } from '@/live/run-status'
import { visible } from '@/ui/display/visible'

/** One call: as the model asked for it, as it was made (again, where it was), and what the model heard of it. */
export interface Called {
  readonly id: string
  readonly name: string
  readonly status: RunStatus
  readonly requested: RequestedCall | null
  readonly calls: readonly ToolCall[]
  readonly questions: readonly Question[]
  /** As it was called, or would be. */
  readonly arguments: unknown
  /** A person changed the arguments. */
  readonly changed: boolean
  /** What the model was told, where no tool answered: declined, refused, unknown. */
  readonly modelText: string | null
  /** The step ended without an answer. */
  readonly lost: boolean
}

export interface MessageTurn {
  readonly kind: 'message'
  readonly id: string
  readonly role: string
  /** Text, parts, or where the messages are stored. */
  readonly content: unknown
}

export interface RoundTurn {
  readonly kind: 'round'
  readonly id: string
  readonly call: LlmCall
  /** Tries that failed before. */
  readonly tries: readonly LlmCall[]
  readonly retries: readonly CallRetry[]
  readonly called: readonly Called[]
  /** It failed and nothing came after it. */
  readonly failed: boolean
}

export type Turn =
  | MessageTurn
  | RoundTurn
  | { readonly kind: 'call'; readonly id: string; readonly called: Called }
  | { readonly kind: 'question'; readonly id: string; readonly question: Question }
  | { readonly kind: 'budget'; readonly id: string; readonly hit: BudgetHit }

interface Timed {
  readonly at: number
  readonly turn: Turn
}

/** The turns of a step. `wanted` = which rounds, where not all. */
export function turnsOf(step: Step, run: RunFold, keeps: (call: LlmCall) => boolean = () => true): Turn[] {
  const groups = triesOf(step).filter(({ call }) => keeps(call))
  const questions = [...run.questions.values()].filter((question) => question.step === step.id)
  const used = new Set<ToolCall | Question>()
  const timed: Timed[] = []
  groups.forEach(({ call, tries }, position) => {
    const before = groups[position - 1]?.call
    freshMessages(call, before).forEach((message, index) => {
      timed.push({ at: call.from, turn: messageTurn(message, `${keyOf(call)} m${index}`) })
    })
    const messages = resultsSeenBy(call, groups[position + 1]?.call)
    const newest = position === groups.length - 1
    const called = Array.from({ length: callsOf(step, questions, call) }, (_, index) => {
      const requested = call.toolCalls[index] ?? null
      const results = callFor(step, call, index)
      return calledOf(step, requested, results, questionsFor(questions, call, index), messages[index], newest)
    })
    for (const entry of called) for (const thing of [...entry.calls, ...entry.questions]) used.add(thing)
    timed.push({
      at: call.from,
      turn: {
        kind: 'round',
        id: keyOf(call),
        call,
        tries,
        retries: step.retries.filter((retry) => retry.call === call.call),
        called,
        failed: call.error !== null,
      },
    })
  })
  const whole = groups.length === triesOf(step).length
  if (whole) timed.push(...loose(step, questions, used))
  return timed.sort((timed, other) => timed.at - other.at).map(({ turn }) => turn)
}

/** The turn that a row of the timeline is about (`<step>/llm/2`, `<step>/tool/0`); null for the step as a whole. */
export function turnOfRow(step: Step, turns: readonly Turn[], row: string): string | null {
  const [id, kind, time] = row.split('/')
  if (id !== step.id || time === undefined) return null
  if (kind === 'llm') {
    const call = step.llmCalls[Number(time)]
    return call ? keyOf(call) : null
  }
  const toolCall = step.toolCalls[Number(time)]
  if (!toolCall) return null
  const holds = (turn: Turn) =>
    turn.kind === 'call'
      ? turn.called.calls.includes(toolCall)
      : turn.kind === 'round' && turn.called.some((call) => call.calls.includes(toolCall))
  return turns.find(holds)?.id ?? null
}

/** What belongs to no round. */
function loose(step: Step, questions: readonly Question[], used: Set<ToolCall | Question>): Timed[] {
  const timed: Timed[] = []
  step.toolCalls.forEach((call, index) => {
    if (used.has(call)) return
    const about = questions.filter(
      (question) => question.attempt === call.attempt && question.call === call.call,
    )
    for (const question of about) used.add(question)
    const called = calledOf(step, null, [call], about, undefined, false)
    timed.push({ at: call.from, turn: { kind: 'call', id: `call ${index}`, called } })
  })
  for (const question of questions) {
    if (used.has(question)) continue
    timed.push({ at: question.openedAt, turn: { kind: 'question', id: question.id, question } })
  }
  step.budgets.forEach((hit, index) => {
    timed.push({ at: hit.at, turn: { kind: 'budget', id: `budget ${index}`, hit } })
  })
  return timed
}

const keyOf = (call: LlmCall) => `${call.attempt} ${call.call}`

interface Group {
  readonly call: LlmCall
  readonly tries: readonly LlmCall[]
}

/** The rounds of a step, each with its tries; the newest try is the round. */
function triesOf(step: Step): Group[] {
  const groups = new Map<string, LlmCall[]>()
  for (const call of step.llmCalls) {
    const known = groups.get(keyOf(call))
    if (known) known.push(call)
    else groups.set(keyOf(call), [call])
  }
  return [...groups.values()].map((calls) => ({
    call: calls.at(-1) as LlmCall,
    tries: calls.slice(0, -1),
  }))
}

interface Message {
  readonly role?: unknown
  readonly content?: unknown
  readonly tool_call_id?: unknown
}

const asMessage = (value: unknown): Message => (typeof value === 'object' && value !== null ? value : {})

/** What a request says that was not said before: neither the model's own answer nor what its calls gave. */
function freshMessages(call: LlmCall, before: LlmCall | undefined): readonly unknown[] {
  if (isRef(call.messages)) return [call.messages]
  if (!Array.isArray(call.messages)) return []
  if (!before) return call.messages
  return call.messages.filter((message) => {
    const { role, tool_call_id: id, content } = asMessage(message)
    if (role === 'tool') return typeof id !== 'string'
    return role !== 'assistant' || (content !== '' && content !== before.text)
  })
}

/** What the model read of the calls of a round, in their order: an answer to each stands in the next request. */
function resultsSeenBy(call: LlmCall, next: LlmCall | undefined): readonly (string | undefined)[] {
  const messages = Array.isArray(next?.messages) ? next.messages.map(asMessage) : []
  const answers = messages.filter((message) => message.role === 'tool')
  const inOrder = answers.length === call.toolCalls.length
  return call.toolCalls.map(({ id }, index) => {
    const answer = inOrder ? answers[index] : answers.find((answer) => answer.tool_call_id === id)
    return answer && textOf(answer.content)
  })
}

function messageTurn(message: unknown, id: string): MessageTurn {
  if (isRef(message)) return { kind: 'message', id, role: 'stored', content: message }
  const { role, content } = asMessage(message)
  return { kind: 'message', id, role: typeof role === 'string' ? role : '', content }
}

/** Whether a call's key is that of the round's call number `index`, or a part of it. */
function isCall(key: string | null, round: string, index: number): boolean {
  if (key === null) return false
  const own = `${round}/call:${index + 1}`
  return key === own || key.startsWith(`${own}/`) || key.startsWith(`${own}@`)
}

/** How many calls a round has: those it asked for, or where that list is stored elsewhere, those that were made. */
function callsOf(step: Step, questions: readonly Question[], call: LlmCall): number {
  let most = call.toolCalls.length
  const own = `${call.call}/call:`
  for (const { call: key, attempt } of [...step.toolCalls, ...questions]) {
    if (attempt !== call.attempt || !key?.startsWith(own)) continue
    const number = Number.parseInt(key.slice(own.length), 10)
    if (number > most && number < MOST_CALLS) most = number
  }
  return most
}

/** Nobody asks for more at once; a key that says so is broken. */
const MOST_CALLS = 1000

const callFor = (step: Step, call: LlmCall, index: number) =>
  step.toolCalls.filter(
    (toolCall) => toolCall.attempt === call.attempt && isCall(toolCall.call, call.call, index),
  )

const questionsFor = (questions: readonly Question[], call: LlmCall, index: number) =>
  questions.filter((question) => question.attempt === call.attempt && isCall(question.call, call.call, index))

function calledOf(
  step: Step,
  requested: RequestedCall | null,
  calls: readonly ToolCall[],
  questions: readonly Question[],
  message: string | undefined,
  newest: boolean,
): Called {
  const call = calls.at(-1)
  const lost =
    call !== undefined && call.to === null && (step.endedAt !== null || call.attempt < step.attempt)
  const wish = requested ? parsed(requested.arguments) : undefined
  const args = call ? call.arguments : (questions.at(-1)?.arguments ?? wish)
  const changed =
    call !== undefined &&
    wish !== undefined &&
    questions.some((question) => question.action === 'accept') &&
    !alike(call.arguments, questions[0]?.arguments ?? wish)
  return {
    id: requested?.id ?? call?.call ?? '',
    name: call ? nameOf(call) : questionTool(questions[0]) || (requested?.name ?? ''),
    status: statusOf(step, call, questions, message, lost, newest),
    requested,
    calls,
    questions,
    arguments: args,
    changed,
    modelText: call ? null : (message ?? null),
    lost,
  }
}

const nameOf = (call: ToolCall) => visible(call.server ? `${call.server}/${call.tool}` : call.tool)

function questionTool(question: Question | undefined): string {
  if (!question || typeof question.tool !== 'object' || question.tool === null) return ''
  const { server, name } = question.tool as { server?: unknown; name?: unknown }
  return visible([server, name].filter((part) => typeof part === 'string' && part !== '').join('/'))
}

function statusOf(
  step: Step,
  call: ToolCall | undefined,
  questions: readonly Question[],
  message: string | undefined,
  lost: boolean,
  newest: boolean,
): RunStatus {
  const open = questions.find((question) => question.state === 'open')
  if (open) return open.kind === 'client' ? 'client' : 'person'
  if (call) return lost ? 'waiting' : call.to === null ? 'running' : call.isError ? 'failed' : 'succeeded'
  if (questions.some((question) => question.action === 'decline' || question.state === 'expired'))
    return 'skipped'
  if (message !== undefined) return 'failed'
  return newest && step.endedAt === null ? 'queued' : 'skipped'
}

function parsed(text: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Equal as JSON, whatever the order of members. */
function alike(entry: unknown, other: unknown): boolean {
  return JSON.stringify(ordered(entry)) === JSON.stringify(ordered(other))
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([value], [other]) => (value < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, ordered(inner)]))
}

/** The text of a message's content; its other parts are left out. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content)
  return content
    .map((part) => (part as { text?: unknown } | null)?.text)
    .filter((text) => typeof text === 'string')
    .join('\n')
}

/** A picture that a message shows: from its file, as data, or as an address that is named and never loaded. */
export interface Picture {
  readonly mime: string
  readonly file: FileValue | null
  readonly data: string | null
  readonly url: string | null
}

export function picturesOf(content: unknown): readonly Picture[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part): Picture[] => {
    const { type, mime, data, url, file } = (part ?? {}) as Record<string, unknown>
    if (type !== 'image') return []
    const text = (value: unknown) => (typeof value === 'string' ? value : null)
    return [
      { mime: text(mime) ?? '', file: isFileValue(file) ? file : null, data: text(data), url: text(url) },
    ]
  })
}

/** Messages that are stored elsewhere. */
export const storedOf = (turn: MessageTurn): Ref | null => (isRef(turn.content) ? turn.content : null)

/** The whole conversation as text, to copy. */
export function transcript(turns: readonly Turn[]): string {
  return turns.map(textOfTurn).filter(Boolean).join('\n\n')
}

function textOfTurn(turn: Turn): string {
  if (turn.kind === 'message') return `## ${turn.role}\n${textOf(turn.content)}`
  if (turn.kind === 'call') return callText(turn.called)
  if (turn.kind !== 'round') return ''
  return [`## assistant\n${turn.call.text}`, ...turn.called.map(callText)].join('\n\n')
}

function callText(called: Called): string {
  const args = typeof called.arguments === 'string' ? called.arguments : JSON.stringify(called.arguments)
  const call = called.calls.at(-1)
  const answer = call
    ? textOf(call.content) || JSON.stringify(call.structured ?? '')
    : (called.modelText ?? '')
  return `### ${called.name} ${args}\n${answer}`
}
