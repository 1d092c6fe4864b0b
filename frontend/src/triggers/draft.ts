/** The form of a trigger as data: what is typed, how a configuration becomes that, and how it becomes one again. Pure. */
import type { TriggerConfig, TriggerKind } from '@/api/triggers'

/** A name and what is typed for its value. */
export interface Row {
  readonly id: number
  readonly name: string
  readonly value: string
}

export const PROOFS = ['none', 'header', 'github', 'stripe', 'hmac'] as const
export const ANSWERS = ['accepted', 'outputs', 'custom'] as const
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export const WAYS = ['cron', 'every', 'dates'] as const
export const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const
export const OVERLAPS = ['queue', 'skip', 'allow'] as const
export const MISSED = ['none', 'last', 'all'] as const
export const EVENTS = [
  'run_failed',
  'question_opened',
  'budget_80',
  'server_down',
  'tool_changed',
  'trigger_off',
] as const
export const SHOWS = ['form', 'chat'] as const
export const ACCESSES = ['link', 'members'] as const
/** Events that are of a workflow, and can be narrowed down to some. */
export const OF_WORKFLOWS: readonly string[] = ['run_failed', 'question_opened', 'trigger_off']

export interface Draft {
  readonly methods: readonly string[]
  readonly proof: (typeof PROOFS)[number]
  readonly secret: string
  readonly header: string
  readonly prefix: string
  readonly encoding: 'hex' | 'base64'
  readonly payload: string
  readonly timestampHeader: string
  readonly tolerance: string
  readonly key: string
  readonly answer: (typeof ANSWERS)[number]
  readonly wait: string
  readonly status: string
  readonly headers: readonly Row[]
  readonly body: string
  readonly way: (typeof WAYS)[number]
  readonly cron: string
  readonly every: string
  readonly unit: keyof typeof UNITS
  readonly dates: string
  readonly timezone: string
  readonly overlap: (typeof OVERLAPS)[number]
  readonly missed: (typeof MISSED)[number]
  readonly on: (typeof EVENTS)[number]
  readonly workflows: readonly string[]
  readonly greeting: string
  readonly show: (typeof SHOWS)[number]
  readonly access: (typeof ACCESSES)[number]
  readonly title: string
  readonly text: string
  /** One a line. */
  readonly origins: string
  /** Empty = as the installation says. */
  readonly costPerDay: string
  readonly perMin: string
  /** Inputs by the start node's schema; else as the rows say. */
  readonly byName: boolean
  readonly inputs: readonly Row[]
}

let last = 0
export const row = (name = '', value = ''): Row => ({ id: ++last, name, value })

/** A value as it is typed: a text as itself, unless it would be read as something else. */
export function typed(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? ''
  return typeof readValue(value) === 'string' ? value : JSON.stringify(value)
}

/** What is typed as a value: JSON where it is that, else a text; expressions are texts. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const rowsOf = (values: unknown): Row[] =>
  Object.entries((values ?? {}) as Record<string, unknown>).map(([name, value]) => row(name, typed(value)))

const valuesOf = (rows: readonly Row[]): Record<string, unknown> =>
  Object.fromEntries(
    rows.filter(({ name }) => name.trim()).map(({ name, value }) => [name.trim(), readValue(value)]),
  )

const text = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise)
const count = (value: unknown, otherwise: number): string =>
  String(typeof value === 'number' ? value : otherwise)

/** The form of a webhook's settings. */
function webhookDraft(config: TriggerConfig) {
  const verify = (config.verify ?? {}) as TriggerConfig
  const answer = (config.answer ?? {}) as TriggerConfig
  return {
    methods: (config.methods as string[] | undefined) ?? ['POST'],
    proof: text(verify.kind, 'none') as Draft['proof'],
    secret: text(verify.secret),
    header: text(verify.header),
    prefix: text(verify.prefix),
    encoding: text(verify.encoding, 'hex') as Draft['encoding'],
    payload: text(verify.payload, '{body}'),
    timestampHeader: text(verify.timestamp_header),
    tolerance: count(verify.tolerance_s, 300),
    key: text(config.key),
    answer: text(answer.mode, 'accepted') as Draft['answer'],
    wait: count(answer.wait_s, 30),
    status: typed(answer.status ?? 200),
    headers: rowsOf(answer.headers),
    body: answer.body === undefined || answer.body === null ? '' : typed(answer.body),
  }
}

/** The form of a schedule's settings. */
function scheduleDraft(config: TriggerConfig, zone: string) {
  const seconds = typeof config.every_s === 'number' ? config.every_s : 3600
  const unit = (['days', 'hours', 'minutes', 'seconds'] as const).find((name) => seconds % UNITS[name] === 0)
  return {
    way: (config.every_s ? 'every' : config.at ? 'dates' : 'cron') as Draft['way'],
    cron: text(config.cron, config.every_s || config.at ? '' : '30 8 * * 1-5'),
    unit: unit ?? 'seconds',
    every: String(seconds / UNITS[unit ?? 'seconds']),
    dates: ((config.at as string[] | null | undefined) ?? []).join('\n'),
    timezone: text(config.timezone, zone),
    overlap: text(config.overlap, 'skip') as Draft['overlap'],
    missed: text(config.missed, 'last') as Draft['missed'],
  }
}

/** The form of a page's settings. */
function pageDraft(config: TriggerConfig) {
  return {
    show: text(config.show, 'form') as Draft['show'],
    access: text(config.access, 'link') as Draft['access'],
    title: text(config.title),
    text: text(config.text),
    origins: ((config.origins as string[] | undefined) ?? []).join('\n'),
    costPerDay: typeof config.cost_per_day === 'number' ? String(config.cost_per_day) : '',
    perMin: typeof config.per_min === 'number' ? String(config.per_min) : '',
  }
}

/** The form that shows these settings; of a new trigger, the defaults. `zone` = the reader's time zone. */
export function draftOf(kind: TriggerKind, config: TriggerConfig, zone: string): Draft {
  return {
    ...webhookDraft(kind === 'webhook' ? config : {}),
    ...scheduleDraft(kind === 'schedule' ? config : {}, zone),
    ...pageDraft(kind === 'page' ? config : {}),
    on: text(config.on, 'run_failed') as Draft['on'],
    workflows: kind === 'event' ? ((config.workflows as string[] | undefined) ?? []) : [],
    greeting: text(config.greeting),
    byName: kind !== 'schedule' && !config.inputs,
    inputs: rowsOf(config.inputs),
  }
}

function verifyOf(draft: Draft): TriggerConfig {
  const { proof: kind, secret } = draft
  if (kind === 'none') return { kind }
  if (kind === 'header') return { kind, secret, header: draft.header.trim() }
  if (kind !== 'hmac') return { kind, secret }
  const timestamp = draft.timestampHeader.trim()
  return {
    kind,
    secret,
    header: draft.header.trim(),
    prefix: draft.prefix,
    encoding: draft.encoding,
    payload: draft.payload,
    ...(timestamp ? { timestamp_header: timestamp, tolerance_s: readValue(draft.tolerance) } : {}),
  }
}

function answerOf(draft: Draft): TriggerConfig {
  const { answer: mode } = draft
  if (mode === 'accepted') return { mode }
  const wait_s = readValue(draft.wait)
  if (mode === 'outputs') return { mode, wait_s }
  return {
    mode,
    wait_s,
    status: readValue(draft.status),
    headers: Object.fromEntries(
      draft.headers.filter(({ name }) => name.trim()).map((r) => [r.name.trim(), r.value]),
    ),
    body: readValue(draft.body),
  }
}

function pageOf(draft: Draft): TriggerConfig {
  const { show, access, title, text: words } = draft
  return {
    show,
    access,
    title: title.trim(),
    text: words,
    origins: linesOf(draft.origins),
    cost_per_day: draft.costPerDay.trim() ? readValue(draft.costPerDay) : null,
    per_min: draft.perMin.trim() ? readValue(draft.perMin) : null,
  }
}

const linesOf = (lines: string): string[] =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** The settings that the form stands for. What is wrong about them the server says. */
export function configOf(kind: TriggerKind, draft: Draft): TriggerConfig {
  const inputs = draft.byName ? null : valuesOf(draft.inputs)
  switch (kind) {
    case 'webhook':
      return {
        methods: draft.methods,
        verify: verifyOf(draft),
        inputs,
        key: draft.key.trim() || null,
        answer: answerOf(draft),
      }
    case 'schedule':
      return {
        cron: draft.way === 'cron' ? draft.cron : null,
        every_s: draft.way === 'every' ? Number(draft.every) * UNITS[draft.unit] : null,
        at: draft.way === 'dates' ? linesOf(draft.dates) : null,
        timezone: draft.timezone.trim(),
        overlap: draft.overlap,
        missed: draft.missed,
        inputs: inputs ?? {},
      }
    case 'chat':
      return { greeting: draft.greeting }
    case 'page':
      return pageOf(draft)
    case 'event':
      return { on: draft.on, workflows: OF_WORKFLOWS.includes(draft.on) ? draft.workflows : [], inputs }
  }
}

/** What is said against a setting: `config.verify` and all below it. */
export function fieldErrors(fields: Readonly<Record<string, readonly string[]>> | undefined) {
  const entries = Object.entries(fields ?? {})
  return (...names: readonly string[]): string | undefined =>
    entries
      .filter(([key]) => names.some((name) => key === name || key.startsWith(`${name}.`)))
      .flatMap(([, texts]) => texts)
      .join(' ') || undefined
}
