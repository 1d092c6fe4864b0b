/** Fields of an event's data, read without trust: what is not of the expected type is as if it were absent. */

import { isRef, type RiskLevel, type RunError, type Usage } from '@/api/run-types'
import type { Base, RequestedCall } from './state'

export type Data = Readonly<Record<string, unknown>>

export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

export function object(value: unknown): Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : {}
}

export function nameOf(server: unknown): string {
  return text(server) ?? text(object(server).name) ?? ''
}

/** An error as an event tells it; `message` may be missing where only the code was stored. */
export function errorOf(data: Data): RunError {
  return {
    code: text(data.code) ?? 'INTERNAL',
    message: text(data.message) ?? '',
    hint: text(data.hint),
    node: text(data.node),
    detail: data.detail ?? null,
    params: data.params === undefined ? {} : object(data.params),
  }
}

export function usageOf(value: unknown): Usage {
  const usage = object(value)
  return {
    input_tokens: number(usage.input_tokens) ?? 0,
    output_tokens: number(usage.output_tokens) ?? 0,
    cached_tokens: number(usage.cached_tokens) ?? 0,
    reasoning_tokens: number(usage.reasoning_tokens) ?? 0,
    cost: number(usage.cost) ?? 0,
    ...(usage.estimated === true ? { estimated: true } : {}),
  }
}

export function requestedCallsOf(value: unknown): readonly RequestedCall[] {
  if (!Array.isArray(value)) return []
  return value.map((entry, index): RequestedCall => {
    const { id, name, arguments: args } = object(entry)
    return {
      id: text(id) ?? `${index}`,
      name: text(name) ?? '',
      arguments: text(args) ?? (args === undefined ? '' : (JSON.stringify(args) ?? '')),
    }
  })
}

export function baseOf(value: unknown): Base | null {
  const base = object(value)
  const call = text(base.call)
  if (call === null) return null
  return { call, messages: number(base.messages) ?? 0, tools: base.tools === true }
}

export function riskOf(value: unknown): RiskLevel | null {
  const level = text(value)?.toUpperCase() ?? text(object(value).level)?.toUpperCase()
  return level === 'LOW' || level === 'MEDIUM' || level === 'HIGH' ? level : null
}

/** A stored text as far as the event holds it: a long one is stored elsewhere and stands here as its beginning. */
export function textOrPreview(value: unknown, streamed: string): string {
  if (typeof value === 'string') return value
  if (!isRef(value)) return streamed
  const preview = text(value.preview) ?? ''
  return streamed.length > preview.length ? streamed : preview
}
