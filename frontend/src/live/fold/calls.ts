/** What a step calls: tools (TOOL_*) and models (LLM_*, TEXT_ADD). */

import { type DataOf, isRef, type RunEvent } from '@/api/run-types'
import { type Draft, type DraftStep, endWaits, startedRun } from './draft'
import {
  baseOf,
  errorOf,
  nameOf,
  number,
  object,
  requestedCallsOf,
  text,
  textOrPreview,
  usageOf,
} from './read'
import { addUsage, type LlmCall, type Step } from './state'
import { codePoints, replaceFrom } from './text'

/** Gives whether the event was one of a call. */
export function applyCall(draft: Draft, step: DraftStep, event: RunEvent, ts: number): boolean {
  const { data } = event
  switch (event.type) {
    case 'TOOL_REQUEST':
      toolRequest(step, data, ts)
      return true
    case 'TOOL_RESPONSE':
      toolResponse(step, data, ts)
      return true
    case 'LLM_REQUEST':
      llmRequest(step, data, ts)
      return true
    case 'LLM_RESPONSE':
      llmResponse(draft, step, data, ts)
      return true
    case 'TEXT_ADD':
      addText(step, data)
      return true
    default:
      return false
  }
}

function begun(step: DraftStep, ts: number): void {
  endWaits(step, ts, 'retry')
  if (step.state === 'INIT') step.state = 'RUNNING'
}

/** The error of a call; what it carries stands beside it, where it can be stored elsewhere. */
function failureOf(data: DataOf<'TOOL_RESPONSE' | 'LLM_RESPONSE'>) {
  if (data.error === undefined || data.error === null) return null
  const error = errorOf(object(data.error))
  return data.detail === undefined ? error : { ...error, detail: data.detail }
}

function toolRequest(step: DraftStep, data: DataOf<'TOOL_REQUEST'>, ts: number): void {
  begun(step, ts)
  startedRun(step, data)
  step.toolCalls.push({
    call: text(data.call) ?? '',
    server: nameOf(data.server),
    tool: text(data.tool) ?? '',
    attempt: step.attempt,
    arguments: data.arguments,
    run: text(data.run),
    from: ts,
    to: null,
    ms: null,
    content: undefined,
    structured: undefined,
    isError: false,
    error: null,
  })
}

function toolResponse(step: DraftStep, data: DataOf<'TOOL_RESPONSE'>, ts: number): void {
  const call = text(data.call) ?? ''
  const index = step.toolCalls.findLastIndex((toolCall) => toolCall.call === call && toolCall.to === null)
  const request = step.toolCalls[index]
  if (!request) return
  startedRun(step, data)
  step.toolCalls[index] = {
    ...request,
    run: text(data.run) ?? request.run,
    to: ts,
    ms: number(data.ms),
    content: data.content,
    structured: data.structured,
    isError: data.is_error === true,
    error: failureOf(data),
  }
}

function llmRequest(step: DraftStep, data: DataOf<'LLM_REQUEST'>, ts: number): void {
  begun(step, ts)
  step.llmCalls.push({
    call: text(data.call) ?? '',
    provider: text(data.provider) ?? '',
    model: text(data.model) ?? '',
    attempt: step.attempt,
    base: baseOf(data.base),
    messages: data.messages,
    tools: data.tools ?? null,
    from: ts,
    to: null,
    ms: null,
    text: '',
    reasoning: '',
    toolCalls: [],
    usage: null,
    finish: null,
    error: null,
  })
}

function llmResponse(draft: Draft, step: DraftStep, data: DataOf<'LLM_RESPONSE'>, ts: number): void {
  const index = openLlmCall(step, text(data.call))
  const request = step.llmCalls[index]
  if (!request) return
  const usage = usageOf(data.usage)
  step.llmCalls[index] = {
    ...request,
    to: ts,
    ms: number(data.ms),
    text: textOrPreview(data.text, request.text),
    reasoning: textOrPreview(data.reasoning, request.reasoning),
    toolCalls: requestedCallsOf(data.tool_calls),
    usage: data.usage === undefined ? null : usage,
    finish: text(data.finish),
    error: failureOf(data),
  }
  step.usage = addUsage(step.usage, usage)
  if (!step.copied) draft.state.usage = addUsage(draft.state.usage, usage)
}

/** A round that is asked again. The try that failed may have had no answer of its own: then it ends here. */
export function llmRetry(step: DraftStep, data: DataOf<'STEP_RETRY'>, ts: number): void {
  const call = text(data.call) ?? ''
  const code = text(data.code) ?? ''
  step.retries.push({
    call,
    attempt: number(data.attempt) ?? 0,
    delayMs: number(data.delay_ms) ?? 0,
    code,
    fallback: text(object(data.fallback).model),
    at: ts,
  })
  const index = openLlmCall(step, call)
  const open = step.llmCalls[index]
  if (open) step.llmCalls[index] = { ...open, to: ts, error: errorOf({ code }) }
}

function openLlmCall(step: DraftStep, call: string | null): number {
  return step.llmCalls.findLastIndex(
    (llmCall) => llmCall.to === null && (call === null || llmCall.call === call),
  )
}

function addText(step: DraftStep, data: DataOf<'TEXT_ADD'>): void {
  const delta = text(data.text) ?? ''
  const channel = data.channel === 'reasoning' ? 'reasoning' : 'text'
  const index = openLlmCall(step, text(data.call))
  const call = step.llmCalls[index]
  const before = call ? call[channel] : step[channel]
  const after = replaceFrom(before, number(data.offset) ?? codePoints(before), delta) ?? before
  if (call) step.llmCalls[index] = { ...call, [channel]: after }
  else step[channel] = after
}

/** One message of a request as the log holds it: an object, or where it is stored. */
export type LoggedMessage = unknown

/** All messages of a request: those of the request it goes on from, then its own. */
export function messagesOf(step: Pick<Step, 'llmCalls'>, call: LlmCall): readonly LoggedMessage[] {
  return gathered(step, call).messages
}

interface Gathered {
  readonly messages: readonly LoggedMessage[]
  /** A list in it is stored elsewhere: then how many there are is not known, and none can be cut off. */
  readonly closed: boolean
}

function gathered(step: Pick<Step, 'llmCalls'>, call: LlmCall): Gathered {
  const closed = isRef(call.messages)
  const own = Array.isArray(call.messages) ? call.messages : closed ? [call.messages] : []
  const base = baseCall(step, call)
  if (!base || !call.base) return { messages: own, closed }
  const before = gathered(step, base)
  const kept = before.closed ? before.messages : before.messages.slice(0, call.base.messages)
  return { messages: [...kept, ...own], closed: closed || before.closed }
}

/** The tools a request offered: its own, or those of the request it goes on from. */
export function toolsOf(step: Pick<Step, 'llmCalls'>, call: LlmCall): unknown {
  if (call.tools !== null || !call.base?.tools) return call.tools
  const base = baseCall(step, call)
  return base ? toolsOf(step, base) : null
}

/** The request another goes on from: an earlier one, else a broken log would lead in circles. */
function baseCall(step: Pick<Step, 'llmCalls'>, call: LlmCall): LlmCall | null {
  if (!call.base) return null
  const index = step.llmCalls.indexOf(call)
  const before = index < 0 ? step.llmCalls : step.llmCalls.slice(0, index)
  return before.findLast((entry) => entry.call === call.base?.call && entry.call !== call.call) ?? null
}
