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
  const given = isRecord(detail) ? detail : {}
  const reply = (sentence: string) => sentence !== '' && !message.includes(sentence)
  const why = [words(given.why), words(params?.why), words(given.message)].filter(reply)
  const { content, structured } = given
  const text = words(given.text)
  const raw = [typeof detail === 'string' ? detail : '', words(given.raw), hasText(content) ? '' : text]
  return {
    why: why.filter((text, index) => why.findIndex((other) => other.includes(text)) === index),
    status: statusOf(given, params),
    fields: [...pairs(fields), ...pairs(given.fields)],
    headers: pairs(given.headers),
    raw: raw.filter(reply).join('\n'),
    content,
    structured,
    data: given.data,
    stderr: words(given.stderr),
    rest: restOf(detail),
  }
}

function statusOf(given: Record<string, unknown>, params: Carrying['params']): string[] {
  const http = given.http_status ?? given.status ?? params?.status
  return [
    typeof http === 'number' || (typeof http === 'string' && /^\d{3}$/.test(http)) ? `HTTP ${http}` : '',
    typeof given.code === 'number' ? `JSON-RPC ${given.code}` : '',
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
