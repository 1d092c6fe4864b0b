/** One line of the log as text: what an event says, in few words. */

import type { RunEvent } from '@/api/run-types'
import { isRef } from '@/api/run-types'
import { listOf } from '@/i18n'
import { toolName } from '@/interactions/kinds'
import { personOf } from '@/runs/conversation/people'
import { bytes, cost, duration } from '@/ui'

const MOST = 240

/** A value in one line. */
export function brief(value: unknown, most = MOST): string {
  if (value === undefined) return ''
  if (isRef(value)) return `${brief(value.preview, most)}… ${bytes(value.size)}`
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const line = text.slice(0, most * 2).replace(/\s+/g, ' ')
  return line.length > most ? `${line.slice(0, most)}…` : line
}

/** `− slug, slug`: servers that no model of the run is offered. */
function offText(value: unknown): string {
  const slugs = Array.isArray(value) ? value.map((entry: { slug?: string }) => entry?.slug ?? '') : []
  return slugs.length > 0 ? `− ${listOf(slugs)}` : ''
}

/** `→ slug/model`: the model that is asked instead. */
function fallbackOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return ''
  const { provider, model } = value as { provider?: unknown; model?: unknown }
  return `→ ${provider ?? ''}/${model ?? ''}`
}

export type EventGroup = 'steps' | 'tools' | 'models' | 'run'

export function groupOf(event: Pick<RunEvent, 'type' | 'node'>): EventGroup {
  if (event.type.startsWith('TOOL_')) return 'tools'
  if (event.type.startsWith('LLM_') || event.type === 'TEXT_ADD') return 'models'
  return event.node === null ? 'run' : 'steps'
}

/** The colour an event has in the log and on the scrubber. */
export function toneOfEvent(type: string): 'failed' | 'person' | 'waiting' | 'ok' | 'running' | 'idle' {
  if (type === 'STEP_ERROR' || type === 'FLOW_FAILED' || type === 'BUDGET_EXCEEDED') return 'failed'
  if (type.startsWith('STEP_WAITING') || type === 'STEP_ANSWERED') return 'person'
  if (type === 'STEP_RETRY' || type === 'FLOW_STOP') return 'waiting'
  if (type === 'STEP_OUTPUT' || type === 'FLOW_SUCCESS') return 'ok'
  if (type === 'STEP_SKIP' || type === 'STEP_CANCEL' || type === 'FLOW_CANCEL') return 'idle'
  return 'running'
}

/** What the event says, without its node. */
export function eventText({ type, data }: Pick<RunEvent, 'type' | 'data'>): string {
  switch (type) {
    case 'FLOW_START':
      return [brief(data.inputs ?? {}), offText(data.servers_off)].filter(Boolean).join(' · ')
    case 'FLOW_STOP':
      return (Array.isArray(data.waiting) ? data.waiting : [])
        .map((entry) => [entry?.kind, entry?.until].filter(Boolean).join(' '))
        .join(', ')
    case 'FLOW_SUCCESS':
      return brief(data.outputs ?? {})
    case 'FLOW_FAILED':
    case 'STEP_ERROR':
      return `${data.code ?? ''} ${data.message ?? ''}`.trim()
    case 'FLOW_CANCEL':
      return personOf(data.by)
    case 'STEP_INIT':
      return Number(data.attempt) > 1 ? `attempt ${data.attempt}` : ''
    case 'STEP_INPUT':
      return brief(data.input ?? {})
    case 'STEP_OUTPUT':
      return brief(data.output ?? {})
    case 'STEP_WAITING_FOR_START':
      return `${toolName(data.tool)} ${brief(data.arguments ?? {})}`
    case 'STEP_WAITING_FOR_PARAM':
    case 'STEP_WAITING_FOR_INPUT':
      return `${data.kind ?? ''} ${data.message ?? ''}`.trim()
    case 'STEP_ANSWERED':
      return [`${data.action ?? ''} ${personOf(data.by)}`.trim(), data.client].filter(Boolean).join(' · ')
    case 'STEP_RETRY':
      return `${data.code ?? ''}, ${fallbackOf(data.fallback) || duration(Number(data.delay_ms) || 0)}`
    case 'STEP_PROGRESS':
      return `${data.progress || data.total ? (data.progress ?? 0) : ''}${data.total ? `/${data.total}` : ''} ${data.message ?? ''}`.trim()
    case 'STEP_LOG':
      return brief(data.text)
    case 'TOOL_REQUEST':
      return `${toolName({ server: data.server, name: data.tool })} ${brief(data.arguments ?? {})}`
    case 'TOOL_RESPONSE':
      return `${duration(Number(data.ms) || 0)} ${brief(data.structured ?? data.content)}`
    case 'LLM_REQUEST':
      return `${data.call ?? ''} ${data.model ?? ''}`.trim()
    case 'LLM_RESPONSE':
      return responseText(data)
    case 'BUDGET_EXCEEDED':
      return `${data.budget ?? ''} ${data.used ?? ''}/${data.limit ?? ''}`
    case 'TEXT_ADD':
      return brief(data.text)
    default:
      return Object.keys(data).length > 0 ? brief(data) : ''
  }
}

function responseText(data: RunEvent['data']): string {
  const error = data.error as { code?: unknown } | null | undefined
  const usage = data.usage as
    | { input_tokens?: number; output_tokens?: number; cost?: number }
    | null
    | undefined
  const calls = Array.isArray(data.tool_calls) ? data.tool_calls.map((entry) => entry?.name ?? '') : []
  return [
    duration(Number(data.ms) || 0),
    usage?.input_tokens ? `${usage.input_tokens}→${usage.output_tokens ?? 0}` : '',
    usage?.cost ? cost(usage.cost) : '',
    error?.code ?? '',
    listOf(calls),
    brief(data.text ?? ''),
  ]
    .filter(Boolean)
    .join(' ')
}
