/** What an error carries beside its sentence, sorted by what it means to a reader. Pure. */
import { isRecord } from '@/forms/pointer'

export interface Facts {
  /** Sentences: the cause in the words of who said it. */
  readonly why: readonly string[]
  /** `HTTP 503`, `JSON-RPC -32050`. */
  readonly status: readonly string[]
  readonly fields: readonly (readonly [string, string])[]
  readonly headers: readonly (readonly [string, string])[]
  /** What came over the wire, as text. */
  readonly raw: string
  readonly content: unknown
  readonly structured: unknown
  readonly data: unknown
  readonly stderr: string
  /** All that has no place above. */
  readonly rest: Readonly<Record<string, unknown>>
}

export interface Carrying {
  readonly message: string
  readonly detail?: unknown
  readonly fields?: Readonly<Record<string, readonly string[]>>
  readonly params?: Readonly<Record<string, unknown>>
}

const words = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.map(words).filter(Boolean).join('\n') : ''

const pairs = (value: unknown): [string, string][] =>
  isRecord(value)
    ? Object.entries(value).map(([name, entry]) => [name, words(entry) || (JSON.stringify(entry) ?? '')])
    : []

/** Which members of a detail are read here; the others are the rest. */
const READ = new Set([
  'why',
  'message',
  'code',
  'http_status',
  'status',
  'fields',
  'headers',
  'raw',
  'text',
  'content',
  'structured',
  'data',
  'stderr',
  'is_error',
  'ms',
])

/** Everything an error carries, each once; what the sentence already says is left out. */
export function factsOf({ message, detail, fields, params }: Carrying): Facts {
  const facts = isRecord(detail) ? detail : {}
  const reply = (sentence: string) => sentence !== '' && !message.includes(sentence)
  const why = [words(facts.why), words(params?.why), words(facts.message)].filter(reply)
  const { content, structured } = facts
  const text = words(facts.text)
  const raw = [typeof detail === 'string' ? detail : '', words(facts.raw), hasText(content) ? '' : text]
  return {
    why: why.filter((text, index) => why.findIndex((other) => other.includes(text)) === index),
    status: statusOf(facts, params),
    fields: [...pairs(fields), ...pairs(facts.fields)],
    headers: pairs(facts.headers),
    raw: raw.filter(reply).join('\n'),
    content,
    structured,
    data: facts.data,
    stderr: words(facts.stderr),
    rest: restOf(detail),
  }
}

function statusOf(facts: Record<string, unknown>, params: Carrying['params']): string[] {
  const http = facts.http_status ?? facts.status ?? params?.status
  return [
    typeof http === 'number' || (typeof http === 'string' && /^\d{3}$/.test(http)) ? `HTTP ${http}` : '',
    typeof facts.code === 'number' ? `JSON-RPC ${facts.code}` : '',
  ].filter(Boolean)
}

function hasText(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => isRecord(block) && block.type === 'text')
}

function restOf(detail: unknown): Record<string, unknown> {
  if (detail === null || detail === undefined || typeof detail === 'string') return {}
  if (!isRecord(detail)) return { detail }
  const kept = Object.entries(detail).filter(([name, value]) => {
    if (value === null || value === undefined) return false
    if (name === 'code') return typeof value !== 'number'
    if (name === 'fields' || name === 'headers') return !isRecord(value)
    return !READ.has(name)
  })
  return Object.fromEntries(kept)
}

/** Whether there is anything to show. */
export function isBare(facts: Facts): boolean {
  const { why, status, fields, headers, raw, content, structured, data, stderr, rest } = facts
  const values = [content, structured, data].filter(
    (entry) => entry !== null && entry !== undefined && !(Array.isArray(entry) && entry.length === 0),
  )
  const lists = [why, status, fields, headers, Object.keys(rest), values]
  return raw === '' && stderr === '' && lists.every((list) => list.length === 0)
}
