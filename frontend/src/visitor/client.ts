/** What the page asks of the installation. No storage and no cookie is needed; what is thrown is always a `Refusal`. */
import { LANGUAGE, words } from './words'

export interface About {
  readonly title: string
  readonly text: string
  readonly show: 'form' | 'chat'
  readonly inputs: unknown
  /** The files of a form together may have so many MB. */
  readonly files_mb: number
}

export type VisitState = 'working' | 'waiting' | 'done' | 'failed'

export interface Visit {
  readonly state: VisitState
  readonly answers: readonly string[]
  readonly outputs: Readonly<Record<string, unknown>> | null
}

export interface Turn {
  readonly text: string
  readonly state: VisitState
  readonly answer: string | null
}

interface PageData {
  /** Of a members' page where the API has it; empty by a secret link, which stands in the address alone. */
  readonly base: string
  /** The cookie that members' requests prove themselves with; empty by a secret link. */
  readonly csrf_cookie: string
  readonly team: string
}

const data: PageData = JSON.parse(document.getElementById('page-data')?.textContent ?? '{}')

const base = () => data.base || location.pathname.replace(/\/+$/, '')

/** Why something was refused; status 0 = there was no answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  constructor(
    readonly status: number,
    message: string,
    readonly hint: string,
    readonly fields: Readonly<Record<string, readonly string[]>> = {},
    /** Seconds after which trying again makes sense. */
    readonly after: number = 0,
  ) {
    super(message)
  }
}

function cookie(): string {
  const start = `${data.csrf_cookie}=`
  const part = document.cookie.split('; ').find((text) => text.startsWith(start))
  return part ? decodeURIComponent(part.slice(start.length)) : ''
}

const headers = (): Record<string, string> => ({
  Accept: 'application/json',
  'Accept-Language': LANGUAGE,
  ...(data.team ? { 'X-Patchbay-Team': data.team } : {}),
  ...(data.csrf_cookie ? { 'X-CSRFToken': cookie() } : {}),
})

async function ask<T>(
  address: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<T> {
  let response: Response
  let text: string
  try {
    response = await fetch(address, {
      credentials: data.csrf_cookie ? 'same-origin' : 'omit',
      method,
      headers: { ...headers(), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    text = await response.text()
  } catch {
    throw new Refusal(0, words.no_answer, words.no_answer_hint)
  }
  const value = parsed(text)
  if (response.ok) return value as T
  const problem = (value ?? {}) as { message?: string; hint?: string; fields?: Refusal['fields'] }
  const after = Number(response.headers.get('Retry-After')) || 0
  throw new Refusal(
    response.status,
    problem.message ?? words.went_wrong,
    problem.hint ?? '',
    problem.fields,
    after,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // a proxy's page
  }
}

/** 256 bits that nobody can guess: who has them sees what was answered. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

export const getAbout = () => ask<About>(data.base || `${base()}/about`)
export const sendForm = (key: string, inputs: unknown) => ask<Visit>(`${base()}/runs`, { key, inputs })
export const getVisit = (key: string) => ask<Visit>(`${base()}/runs/${key}`)
export const sendMessage = (key: string, conversation: string, text: string) =>
  ask<Visit>(`${base()}/runs`, { key, conversation, text })
export const getTurns = (key: string) =>
  ask<{ readonly turns: readonly Turn[] }>(`${base()}/conversations/${key}`)

export const deleteTalk = (key: string) => ask<null>(`${base()}/conversations/${key}`, undefined, 'DELETE')
export const exportTalk = (key: string) => ask<unknown>(`${base()}/conversations/${key}/export`)

/** What was thrown, as a refusal. */
export const asRefusal = (thrown: unknown): Refusal =>
  thrown instanceof Refusal ? thrown : new Refusal(0, words.went_wrong, '')
