/**
 * The expression language as the browser needs it: for colours, completion and the preview.
 *
 * `{{ path | filter(argument) }}` and `{{#path#}}`; `\{{` writes braces. A text that is exactly one expression keeps
 * the value's type, anything else renders to text: objects as JSON, null as nothing. The server's evaluator is the
 * authority; this one follows it so that the preview tells the truth.
 */
import type { Key, Path } from '@/forms/pointer'
import { isRecord, member } from '@/forms/pointer'

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
  name: FilterName
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
  reason: 'unclosed' | 'empty' | 'syntax' | 'unknown_filter' | 'filter_arguments'
  /** What it stumbled over. */
  at: string
  from: number
  to: number
}
export type Part = Expression | TextPart | BrokenPart

/** Fewest and most arguments of each filter. */
const ARGUMENTS: Record<FilterName, readonly [number, number]> = {
  default: [1, 1],
  join: [0, 1],
  tojson: [0, 0],
  fromjson: [0, 0],
  length: [0, 0],
  first: [0, 0],
  last: [0, 0],
  keys: [0, 0],
  values: [0, 0],
  upper: [0, 0],
  lower: [0, 0],
  trim: [0, 0],
  round: [0, 1],
  date: [0, 1],
}

/** Whether a text holds (or tries to hold) an expression. */
export function isTemplate(value: unknown): value is string {
  return typeof value === 'string' && value.includes('{{')
}

/** The parts of a text in order. Never throws: what does not parse is a broken part, and reading goes on behind it. */
export function parse(text: string): Part[] {
  const parts: Part[] = []
  let plain = ''
  let plainFrom = 0
  let index = 0
  const literal = (piece: string, from: number) => {
    if (plain === '') plainFrom = from
    plain += piece
  }
  const flush = (to: number) => {
    if (plain !== '') parts.push({ kind: 'text', text: plain, from: plainFrom, to })
    plain = ''
  }
  for (;;) {
    const position = text.indexOf('{{', index)
    if (position === -1) break
    if (position > index && text[position - 1] === '\\') {
      literal(`${text.slice(index, position - 1)}{{`, index)
      index = position + 2
      continue
    }
    if (position > index) literal(text.slice(index, position), index)
    flush(position)
    const part = new Reader(text, position).read()
    parts.push(part)
    index = part.to
  }
  if (index < text.length) literal(text.slice(index), index)
  flush(text.length)
  return parts
}

/** Reads one expression, whose braces stand at `start`. */
class Reader {
  private at: number
  constructor(
    private readonly text: string,
    private readonly start: number,
  ) {
    this.at = start + 2
  }

  read(): Expression | BrokenPart {
    const hashed = this.take('#')
    this.blank()
    const root = this.match(/[A-Za-z_][A-Za-z0-9_]*/y)
    if (root === undefined)
      return this.text.startsWith('}}', this.at) ? this.broken('empty') : this.broken('syntax')
    const keys = this.keys()
    if (!keys) return this.broken('syntax')
    const filters = this.filters()
    if (!Array.isArray(filters)) return filters
    this.blank()
    if (!this.take(hashed ? '#}}' : '}}')) return this.broken('syntax')
    return { kind: 'expression', path: [root, ...keys], filters, from: this.start, to: this.at }
  }

  /** Ends where the expression was meant to end, or where the next one begins. */
  private broken(reason: BrokenPart['reason'], time = this.text.slice(this.at, this.at + 40)): BrokenPart {
    const close = this.text.indexOf('}}', this.start + 2)
    const next = this.text.indexOf('{{', this.start + 2)
    const closed = close !== -1 && (next === -1 || close < next)
    const to = closed ? close + 2 : next === -1 ? this.text.length : next
    const why = closed ? reason : 'unclosed'
    const whole = this.text.slice(this.start + 2, closed ? close : to).trim()
    const stumbled = time.replace(/\s*#?\}\}.*$/s, '').trim()
    return { kind: 'broken', reason: why, at: stumbled || whole, from: this.start, to }
  }

  private blank() {
    this.match(/[ \t\r\n]*/y)
  }
  private take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }
  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.text)?.[0]
    if (match === undefined) return undefined
    this.at += match.length
    return match
  }

  private keys(): Key[] | undefined {
    const keys: Key[] = []
    for (;;) {
      if (this.take('.')) {
        const key = this.match(/[\p{L}\p{N}_]+/uy)
        if (key === undefined) return undefined
        keys.push(key)
      } else if (this.take('[')) {
        this.blank()
        const index = this.match(/[0-9]{1,15}/y)
        const key = index === undefined ? this.quoted() : Number(index)
        this.blank()
        if (key === undefined || !this.take(']')) return undefined
        keys.push(key)
      } else return keys
    }
  }

  private filters(): FilterCall[] | BrokenPart {
    const filters: FilterCall[] = []
    for (;;) {
      this.blank()
      if (!this.take('|')) return filters
      this.blank()
      const name = this.match(/[A-Za-z_][A-Za-z0-9_]*/y)
      if (name === undefined) return this.broken('syntax')
      if (!Object.hasOwn(ARGUMENTS, name)) return this.broken('unknown_filter', name)
      const args = this.args()
      if (!args) return this.broken('syntax')
      const [least, most] = ARGUMENTS[name as FilterName]
      if (args.length < least || args.length > most) return this.broken('filter_arguments', name)
      filters.push({ name: name as FilterName, args })
    }
  }

  private args(): unknown[] | undefined {
    this.blank()
    if (!this.take('(')) return []
    const args: unknown[] = []
    this.blank()
    while (!this.take(')')) {
      if (args.length > 0 && !this.take(',')) return undefined
      this.blank()
      const value = this.literal()
      if (value === undefined) return undefined
      args.push(value)
      this.blank()
    }
    return args
  }

  private literal(): unknown {
    const quoted = this.quoted()
    if (quoted !== undefined) return quoted
    const number = this.match(/-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?/y)
    if (number !== undefined) return Number(number)
    const word = this.match(/(?:true|false|null)\b/y)
    return word === undefined ? undefined : JSON.parse(word)
  }

  private quoted(): string | undefined {
    const raw = this.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy)
    return raw === undefined ? undefined : unquoted(raw)
  }
}

/** A quoted text, with JSON's escapes in either kind of quotes. */
function unquoted(raw: string): string | undefined {
  const inner = raw.slice(1, -1)
  const body = raw.startsWith("'")
    ? inner.replace(/\\(.)|"/gs, (all, char) => (char === "'" ? "'" : all === '"' ? '\\"' : all))
    : inner
  try {
    const escaped = body.replace(/[\n\r\t]/g, (char) => ({ '\n': '\\n', '\r': '\\r' })[char] ?? '\\t')
    return JSON.parse(`"${escaped}"`) as string
  } catch {
    return undefined
  }
}

/** The expression's text for a path: `{{ a.b[0]["odd key"] }}`. */
export function reference(path: Path): string {
  return `{{ ${pathText(path)} }}`
}

export function pathText(path: Path): string {
  return path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`
      if (index === 0) return key
      return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
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

/** undefined stands for what is missing: it passes through every filter but `default`. */
function evaluateOne(expression: Expression, lookup: Lookup): Step {
  const match = lookup(expression.path)
  const time = pathText(expression.path)
  if (match.state === 'unseen') return { failed: { ok: false, reason: 'unseen', at: time } }
  let value = match.state === 'missing' ? undefined : match.value
  for (const filter of expression.filters) {
    const result = applyFilter(filter, value)
    if (result === undefined) return { failed: { ok: false, reason: 'filter', at: filter.name } }
    value = result.value
  }
  return value === undefined ? { failed: { ok: false, reason: 'missing', at: time } } : { value }
}

/** How a value stands in a longer text: null as nothing, texts as they are, everything else as JSON. */
function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : spacedJson(value)
}

/** JSON as the server writes it into texts: a blank after each comma and colon. */
function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  if (isRecord(value)) {
    return `{${Object.entries(value)
      .map(([key, inner]) => `${JSON.stringify(key)}: ${spacedJson(inner)}`)
      .join(', ')}}`
  }
  return typeof value === 'number' ? numberText(value) : JSON.stringify(value ?? null)
}

/** A number as the server writes it; whether a whole one was written as 3.0 is lost in the browser's JSON. */
function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0.0'
  if (Number.isInteger(value) || Math.abs(value) >= 1e-4) return String(value)
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1')
}

/** The blanks that the server's `trim` takes: those of JavaScript and some separators, but no byte order mark. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken
const BLANKS = /^(?:[^\S\ufeff]|[\x1c-\x1f\x85])+|(?:[^\S\ufeff]|[\x1c-\x1f\x85])+$/g

function applyFilter(filter: FilterCall, value: unknown): { value: unknown } | undefined {
  const [argument] = filter.args
  if (filter.name === 'default') return { value: value === undefined || value === null ? argument : value }
  if (value === undefined) return { value }
  if (filter.name === 'tojson') return { value: spacedJson(value) }
  if (value === null) return { value }
  switch (filter.name) {
    case 'join':
      return Array.isArray(value) ? { value: value.map(asText).join(asText(argument)) } : undefined
    case 'fromjson':
      return fromJson(value)
    case 'length':
      return lengthOf(value)
    case 'first':
      return sized(value) ? { value: [...value][0] } : undefined
    case 'last':
      return sized(value) ? { value: [...value].at(-1) } : undefined
    case 'keys':
      return isRecord(value) ? { value: Object.keys(value) } : undefined
    case 'values':
      return isRecord(value) ? { value: Object.values(value) } : undefined
    case 'upper':
      return typeof value === 'object' ? undefined : { value: asText(value).toUpperCase() }
    case 'lower':
      return typeof value === 'object' ? undefined : { value: asText(value).toLowerCase() }
    case 'trim':
      return typeof value === 'object' ? undefined : { value: asText(value).replace(BLANKS, '') }
    case 'round':
      return round(value, argument ?? 0)
    case 'date':
      return date(value, argument ?? '%Y-%m-%d')
  }
}

function sized(value: unknown): value is unknown[] | string {
  return Array.isArray(value) || typeof value === 'string'
}

function lengthOf(value: unknown): { value: number } | undefined {
  if (sized(value)) return { value: [...value].length }
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

/** Half away from zero, on the decimal digits as they are written. */
function round(value: unknown, digits: unknown): { value: number } | undefined {
  if (
    typeof value !== 'number' ||
    typeof digits !== 'number' ||
    !Number.isInteger(digits) ||
    digits < 0 ||
    digits > 15
  )
    return undefined
  if (Number.isInteger(value) || Math.abs(value) >= 1e15) return { value: value + 0 } // -0 is 0
  const [mantissa = '0', exponent = '0'] = String(Math.abs(value)).split('e')
  const scaled = Math.round(Number(`${mantissa}e${Number(exponent) + digits}`))
  const rounded = Math.sign(value) * Number(`${scaled}e-${digits}`)
  return { value: rounded === 0 ? 0 : rounded }
}

/** Epoch seconds (in UTC) or ISO text (by its own clock) as a date; codes %Y %y %m %d %H %M %S %j %%. */
function date(value: unknown, pattern: unknown): { value: string } | undefined {
  const time = moment(value)
  if (!time || typeof pattern !== 'string') return undefined
  const two = (number: number) => String(number).padStart(2, '0')
  const day = (time.getTime() - Date.UTC(time.getUTCFullYear(), 0, 1)) / 86_400_000
  const parts: Record<string, string> = {
    Y: String(time.getUTCFullYear()).padStart(4, '0'),
    y: two(time.getUTCFullYear() % 100),
    m: two(time.getUTCMonth() + 1),
    d: two(time.getUTCDate()),
    H: two(time.getUTCHours()),
    M: two(time.getUTCMinutes()),
    S: two(time.getUTCSeconds()),
    j: String(Math.floor(day) + 1).padStart(3, '0'),
    '%': '%',
  }
  let known = true
  const text = pattern.replace(/%(.)/gs, (_, code: string) => {
    const part = Object.hasOwn(parts, code) ? parts[code] : undefined
    known &&= part !== undefined
    return part ?? ''
  })
  return known ? { value: text } : undefined
}

function moment(value: unknown): Date | undefined {
  if (typeof value === 'number') return valid(new Date(value * 1000))
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined
  if (text.length <= 10) return valid(new Date(text))
  const [, sign, hours, minutes] = /([+-])(\d{2}):?(\d{2})$/.exec(text) ?? []
  const zoned = sign !== undefined || /Z$/i.test(text)
  const ahead = sign ? Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) : 0
  // Moved by its offset, so that the UTC parts of the result are what the text's own clock showed.
  return valid(new Date(new Date(zoned ? text : `${text}Z`).getTime() + ahead * 60_000))
}

function valid(time: Date): Date | undefined {
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** Looks paths up in plain values, own members only, as the server reads them. */
export function lookupIn(values: unknown): Lookup {
  return (path) => {
    let here: unknown = values
    for (const key of path) {
      here = member(here, key)
      if (here === undefined) return { state: 'missing' }
    }
    return { state: 'value', value: here }
  }
}
