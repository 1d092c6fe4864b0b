/**
 * The expression language as the browser needs it: for colours, completion and the preview.
 *
 * `{{ path | filter(argument) }}` and `{{#path#}}`; `\{{` writes braces. A text that is exactly one expression keeps
 * the value's type, anything else renders to text: objects as JSON, null as nothing. The server's evaluator is the
 * authority; this one follows it so that the preview tells the truth.
 */
import type { Key, Path } from './pointer'
import { isRecord, member } from './pointer'

export const FILTERS = [
  'default',
  'join',
  'tojson',
  'fromjson',
  'length',
  'first',
  'last',
  'keys',
  'values',
  'upper',
  'lower',
  'trim',
  'round',
  'date',
] as const
export type FilterName = (typeof FILTERS)[number]

export interface FilterCall {
  name: string
  args: readonly unknown[]
}

export interface Expression {
  kind: 'expression'
  path: Path
  filters: readonly FilterCall[]
  /** Where it stands in the text, braces included. */
  from: number
  to: number
}
export interface TextPart {
  kind: 'text'
  text: string
  from: number
  to: number
}
export interface BrokenPart {
  kind: 'broken'
  /** Which sentence explains it: `forms.expression_<reason>`. */
  reason: 'unclosed' | 'empty' | 'syntax' | 'filter'
  /** What it stumbled over. */
  at: string
  from: number
  to: number
}
export type Part = Expression | TextPart | BrokenPart

/** Whether a text holds (or tries to hold) an expression. */
export function isTemplate(value: unknown): value is string {
  return typeof value === 'string' && value.includes('{{')
}

/** The parts of a text in order. Never throws: what does not parse is a broken part. */
export function parse(text: string): Part[] {
  const parts: Part[] = []
  let plain = ''
  let plainFrom = 0
  let at = 0
  const flush = (to: number) => {
    if (plain !== '') parts.push({ kind: 'text', text: plain, from: plainFrom, to })
    plain = ''
  }
  while (at < text.length) {
    if (text.startsWith('\\{{', at)) {
      if (plain === '') plainFrom = at
      plain += '{{'
      at += 3
    } else if (text.startsWith('{{', at)) {
      flush(at)
      const part = parseOne(text, at)
      parts.push(part)
      at = part.to
      plainFrom = at
    } else {
      if (plain === '') plainFrom = at
      plain += text[at]
      at += 1
    }
  }
  flush(text.length)
  return parts
}

function parseOne(text: string, from: number): Expression | BrokenPart {
  const end = closing(text, from + 2)
  if (end === -1) return { kind: 'broken', reason: 'unclosed', at: text.slice(from), from, to: text.length }
  const to = end + 2
  let inner = text.slice(from + 2, end)
  if (inner.startsWith('#') && inner.endsWith('#') && inner.length > 1) inner = inner.slice(1, -1)
  const read = new Reader(inner)
  read.blank()
  if (read.done()) return { kind: 'broken', reason: 'empty', at: '', from, to }
  const path = read.path()
  if (!path) return { kind: 'broken', reason: 'syntax', at: read.rest(), from, to }
  const filters: FilterCall[] = []
  read.blank()
  while (read.take('|')) {
    read.blank()
    const call = read.filter()
    if (!call) return { kind: 'broken', reason: 'syntax', at: read.rest(), from, to }
    if (!(FILTERS as readonly string[]).includes(call.name))
      return { kind: 'broken', reason: 'filter', at: call.name, from, to }
    filters.push(call)
    read.blank()
  }
  if (!read.done()) return { kind: 'broken', reason: 'syntax', at: read.rest(), from, to }
  return { kind: 'expression', path, filters, from, to }
}

/** The `}}` that ends an expression; those inside quoted text do not count. */
function closing(text: string, from: number): number {
  let quote = ''
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string
    if (quote) {
      if (char === '\\') at += 1
      else if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === '}' && text[at + 1] === '}') return at
  }
  return -1
}

class Reader {
  private at = 0
  constructor(private readonly text: string) {}

  done() {
    return this.at >= this.text.length
  }
  rest() {
    return this.text.slice(this.at, this.at + 40)
  }
  blank() {
    this.match(/\s*/y)
  }
  take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found === undefined) return undefined
    this.at += found.length
    return found
  }

  path(): Key[] | undefined {
    const first = this.match(/[A-Za-z_][\w-]*/y)
    if (first === undefined) return undefined
    const path: Key[] = [first]
    for (;;) {
      if (this.take('.')) {
        const key = this.match(/[\p{L}\p{N}_][\p{L}\p{N}_-]*/uy)
        if (key === undefined) return undefined
        path.push(/^(0|[1-9]\d*)$/.test(key) ? Number(key) : key)
      } else if (this.take('[')) {
        const key = this.literal()
        if (
          !(typeof key === 'string' || (typeof key === 'number' && Number.isInteger(key))) ||
          !this.take(']')
        )
          return undefined
        path.push(key)
      } else return path
    }
  }

  filter(): FilterCall | undefined {
    const name = this.match(/[A-Za-z_]\w*/y)
    if (name === undefined) return undefined
    const args: unknown[] = []
    this.blank()
    if (!this.take('(')) return { name, args }
    this.blank()
    if (this.take(')')) return { name, args }
    do {
      this.blank()
      const value = this.literal()
      if (value === undefined) return undefined
      args.push(value)
      this.blank()
    } while (this.take(','))
    return this.take(')') ? { name, args } : undefined
  }

  literal(): unknown {
    const quoted = this.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y)
    if (quoted !== undefined) return unquote(quoted)
    const number = this.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
    if (number !== undefined) return Number(number)
    const word = this.match(/true|false|null|\[\s*\]|\{\s*\}/y)
    if (word === undefined) return undefined
    return JSON.parse(word)
  }
}

function unquote(quoted: string): string {
  const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r' }
  return quoted.slice(1, -1).replace(/\\(.)/gs, (_, char: string) => escapes[char] ?? char)
}

/** The expression's text for a path: `{{ a.b[0]["odd key"] }}`. */
export function reference(path: Path): string {
  return `{{ ${pathText(path)} }}`
}

export function pathText(path: Path): string {
  return path
    .map((key, at) => {
      if (typeof key === 'number') return `[${key}]`
      if (!/^[\p{L}\p{N}_][\p{L}\p{N}_-]*$/u.test(key) || /^\d/.test(key))
        return `["${key.replace(/["\\]/g, '\\$&')}"]`
      return at === 0 ? key : `.${key}`
    })
    .join('')
}

/** The paths a text refers to, in order. */
export function references(text: string): Path[] {
  return parse(text).flatMap((part) => (part.kind === 'expression' ? [part.path] : []))
}

export type Found = { state: 'value'; value: unknown } | { state: 'missing' } | { state: 'unseen' }
/** What a path holds: a value, nothing (the node ran, the key is not there), or not seen yet (no run to look at). */
export type Lookup = (path: Path) => Found

export type Outcome =
  | { ok: true; value: unknown; whole: boolean }
  | { ok: false; reason: 'unseen' | 'missing' | 'filter' | BrokenPart['reason']; at: string }

/** What the server would make of `text`, as far as the last values tell. */
export function evaluate(text: string, lookup: Lookup): Outcome {
  const parts = parse(text)
  const broken = parts.find((part) => part.kind === 'broken')
  if (broken?.kind === 'broken') return { ok: false, reason: broken.reason, at: broken.at }
  const [only] = parts
  if (parts.length === 1 && only?.kind === 'expression') {
    const result = evaluateOne(only, lookup)
    return 'failed' in result ? result.failed : { ok: true, value: result.value, whole: true }
  }
  let rendered = ''
  for (const part of parts) {
    if (part.kind === 'text') rendered += part.text
    if (part.kind !== 'expression') continue
    const result = evaluateOne(part, lookup)
    if ('failed' in result) return result.failed
    rendered += asText(result.value)
  }
  return { ok: true, value: rendered, whole: false }
}

type Step = { value: unknown } | { failed: Extract<Outcome, { ok: false }> }

function evaluateOne(expression: Expression, lookup: Lookup): Step {
  const found = lookup(expression.path)
  const filters = [...expression.filters]
  if (found.state === 'unseen')
    return { failed: { ok: false, reason: 'unseen', at: pathText(expression.path) } }
  let value: unknown
  if (found.state === 'missing') {
    if (filters[0]?.name !== 'default')
      return { failed: { ok: false, reason: 'missing', at: pathText(expression.path) } }
  } else value = found.value
  for (const filter of filters) {
    const result = applyFilter(filter, value)
    if (result === undefined) return { failed: { ok: false, reason: 'filter', at: filter.name } }
    value = result.value
  }
  return { value }
}

/** The rendered form inside a longer text. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function applyFilter(filter: FilterCall, value: unknown): { value: unknown } | undefined {
  const [argument] = filter.args
  switch (filter.name as FilterName) {
    case 'default':
      return { value: value === undefined || value === null ? (argument ?? null) : value }
    case 'join':
      return Array.isArray(value)
        ? { value: value.map(asText).join(typeof argument === 'string' ? argument : '') }
        : undefined
    case 'tojson':
      return { value: JSON.stringify(value ?? null) }
    case 'fromjson':
      return fromJson(value)
    case 'length':
      return length(value)
    case 'first':
      return sized(value) ? { value: value[0] ?? null } : undefined
    case 'last':
      return sized(value) ? { value: value[value.length - 1] ?? null } : undefined
    case 'keys':
      return isRecord(value) ? { value: Object.keys(value) } : undefined
    case 'values':
      return isRecord(value) ? { value: Object.values(value) } : undefined
    case 'upper':
      return typeof value === 'string' ? { value: value.toUpperCase() } : undefined
    case 'lower':
      return typeof value === 'string' ? { value: value.toLowerCase() } : undefined
    case 'trim':
      return typeof value === 'string' ? { value: value.trim() } : undefined
    case 'round':
      return round(value, argument)
    case 'date':
      return date(value, argument)
  }
}

function sized(value: unknown): value is unknown[] | string {
  return Array.isArray(value) || typeof value === 'string'
}

function length(value: unknown): { value: number } | undefined {
  if (typeof value === 'string') return { value: [...value].length }
  if (Array.isArray(value)) return { value: value.length }
  return isRecord(value) ? { value: Object.keys(value).length } : undefined
}

function fromJson(value: unknown): { value: unknown } | undefined {
  if (typeof value !== 'string') return undefined
  try {
    return { value: JSON.parse(value) }
  } catch {
    return undefined
  }
}

function round(value: unknown, digits: unknown): { value: number } | undefined {
  if (typeof value !== 'number') return undefined
  const factor = 10 ** (typeof digits === 'number' ? digits : 0)
  return { value: Math.round(value * factor) / factor }
}

function date(value: unknown, format: unknown): { value: string } | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const time = new Date(typeof value === 'number' ? value * 1000 : value)
  if (Number.isNaN(time.getTime())) return undefined
  return { value: strftime(time, typeof format === 'string' ? format : '%Y-%m-%d') }
}

function strftime(time: Date, format: string): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const parts: Record<string, string> = {
    Y: String(time.getUTCFullYear()),
    m: two(time.getUTCMonth() + 1),
    d: two(time.getUTCDate()),
    H: two(time.getUTCHours()),
    M: two(time.getUTCMinutes()),
    S: two(time.getUTCSeconds()),
    '%': '%',
  }
  return format.replace(/%([a-zA-Z%])/g, (all, letter: string) => parts[letter] ?? all)
}

/** Own members only, as the server reads them. */
export function lookupIn(values: unknown): Lookup {
  return (path) => {
    let here: unknown = values
    for (const key of path) {
      const next = member(here, key)
      if (next === undefined) return { state: 'missing' }
      here = next
    }
    return { state: 'value', value: here }
  }
}
