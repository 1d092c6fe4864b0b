/**
 * The API as functions: `api.get('/api/mcp/servers/{id}', { params: { path: { id } } })`.
 *
 * Paths, parameters and answers are typed by the generated schema. A refusal is thrown as `ApiError`, whatever its
 * cause, so callers and TanStack Query see answers only.
 */
import createClient, { type FetchOptions } from 'openapi-fetch'
import { currentLanguage, translate } from '@/i18n'
import type { paths } from './schema'

/** What the server refused, in the contract's words; `code` is NETWORK when it gave no answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string = '',
    readonly fields: Readonly<Record<string, readonly string[]>> = {},
    readonly detail: unknown = null,
    /** Seconds after which trying again makes sense, where the server says so. */
    readonly retryAfter: number | null = null,
    /** What the installation's log calls the request; empty where none was sent. */
    readonly requestId: string = '',
  ) {
    super(message)
  }

  /** The request's id where the fault is not the reader's: to be given to who looks after the installation. */
  get reference(): string {
    return this.status === 0 || this.status >= 500 ? this.requestId : ''
  }
}

/** The error as something to show, whatever was thrown. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof TypeError) return unreachable()
  return new ApiError(0, '', thrown instanceof Error ? thrown.message : String(thrown))
}

/** What was thrown, as a toast says it. */
export function failureOf(thrown: unknown): { title: string; reference: string } {
  const { message, reference } = asApiError(thrown)
  return { title: message, reference }
}

const unreachable = (requestId = '') =>
  new ApiError(
    0,
    'NETWORK',
    translate('common.error_network'),
    translate('common.error_network_hint'),
    {},
    null,
    null,
    requestId,
  )

/** A new name for a request, by which it is found in the installation's log. Also where the page is not on https. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What the page's template says. */
export interface PageData {
  readonly version: string
  readonly mode: string
  readonly csrf_cookie: string
  /** The largest file that is kept. */
  readonly max_file_mb: number
  /** What the identity provider is called; empty where there is none. */
  readonly sso: string
  /** Why it signed nobody in just now. */
  readonly sso_error: { readonly code: string; readonly message: string; readonly hint?: string } | null
}

let read: PageData | null = null

/** The template's data; defaults where there is none, as in tests. */
export function pageData(): PageData {
  if (!read) {
    const text = document.getElementById('page-data')?.textContent
    const none = {
      version: '',
      mode: 'embedded',
      csrf_cookie: 'patchbay_csrf',
      max_file_mb: 64,
      sso: '',
      sso_error: null,
    }
    read = { ...none, ...(text ? JSON.parse(text) : {}) }
  }
  return read as PageData
}

const cookie = (name: string): string => {
  const match = document.cookie.split('; ').find((part) => part.startsWith(`${name}=`))
  return match ? decodeURIComponent(match.slice(name.length + 1)) : ''
}

const TEAM_KEY = 'team'

/** Of this window, so that another one which switches teams does not take this one along. */
let team = sessionStorage.getItem(TEAM_KEY) ?? localStorage.getItem(TEAM_KEY)

/** The team acted in; null leaves the choice to the server. */
export const chosenTeam = (): string | null => team

/** Acts in another team from the next request on; new windows begin with it. */
export function chooseTeam(id: string | null): void {
  team = id
  for (const storage of [sessionStorage, localStorage]) {
    if (id) storage.setItem(TEAM_KEY, id)
    else storage.removeItem(TEAM_KEY)
  }
}

let onSignedOut: (error: ApiError) => void = () => {}

/** Called when any request finds that nobody is signed in, or somebody who is in no team. */
export function whenSignedOut(listener: (error: ApiError) => void): void {
  onSignedOut = listener
}

/** Headers every request to the installation carries. */
export function ourHeaders(method: string): Record<string, string> {
  const team = chosenTeam()
  return {
    Accept: 'application/json',
    'Accept-Language': currentLanguage(),
    'X-Request-ID': newRequestId(),
    ...(team ? { 'X-Patchbay-Team': team } : {}),
    ...(reads(method) ? {} : { 'X-CSRFToken': cookie(pageData().csrf_cookie) }),
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text()
  let body: Partial<Record<'code' | 'message' | 'hint' | 'fields' | 'detail' | 'data', unknown>> = {}
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) body = parsed
  } catch {
    // not JSON: a proxy's page; the status has to do
  }
  const after = Number(response.headers.get('Retry-After'))
  return new ApiError(
    response.status,
    typeof body.code === 'string' ? body.code : `HTTP_${response.status}`,
    typeof body.message === 'string'
      ? body.message
      : translate('common.error_unknown', { status: response.status }),
    typeof body.hint === 'string' ? body.hint : '',
    (body.fields ?? {}) as ApiError['fields'],
    body.detail ?? body.data ?? null, // allauth says in data what is to be done next
    after > 0 ? after : null,
    response.headers.get('X-Request-ID') ?? '',
  )
}

const reads = (method: string): boolean => /^(GET|HEAD)$/i.test(method)

/** Cookies that somebody deleted in mid-work: any answer about oneself brings the one that writing needs. */
export async function withCookie(): Promise<void> {
  if (!cookie(pageData().csrf_cookie)) await fetch(new Request(new URL('/api/me', window.location.origin)))
}

/** `fetch` with our headers; throws `ApiError` for a refusal or no answer at all. */
export async function patchbayFetch(input: Request): Promise<Response> {
  let response: Response
  try {
    if (!reads(input.method)) await withCookie()
    const accept = input.headers.get('Accept')
    for (const [name, value] of Object.entries(ourHeaders(input.method))) input.headers.set(name, value)
    if (accept) input.headers.set('Accept', accept)
    response = await fetch(input)
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown
    throw unreachable(input.headers.get('X-Request-ID') ?? '')
  }
  if (response.ok) return response
  throw await refused(response)
}

/** What a refusal says; that nobody is signed in is told on. */
export async function refused(response: Response): Promise<ApiError> {
  const error = await errorOf(response)
  if (response.status === 401) onSignedOut(error)
  return error
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Operation<P extends keyof paths, M extends Method> = paths[P][M]
/** The paths that know a method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: Operation<P, M> extends object ? P : never
}[keyof paths]

type Success<T> = T extends { responses: infer R }
  ? {
      [S in keyof R & (200 | 201 | 202 | 204)]: R[S] extends { content: { 'application/json': infer Body } }
        ? Body
        : undefined
    }[keyof R & (200 | 201 | 202 | 204)]
  : never

/** What a call answers. */
export type Answer<P extends keyof paths, M extends Method> = Success<Operation<P, M>>

type Required<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T]
type Init<P extends keyof paths, M extends Method> = FetchOptions<Operation<P, M>>
type InitArg<P extends keyof paths, M extends Method> = [Required<Init<P, M>>] extends [never]
  ? [init?: Init<P, M>]
  : [init: Init<P, M>]

const client = createClient<paths>({ baseUrl: window.location.origin, fetch: patchbayFetch })

type Raw = (method: Method, path: string, init: unknown) => Promise<{ data: unknown }>

const call =
  <M extends Method>(method: M) =>
  async <P extends PathsWith<M>>(path: P, ...[init]: InitArg<P, M>): Promise<Answer<P, M>> => {
    const { data } = await (client.request as unknown as Raw)(method, path, init ?? {})
    return data as Answer<P, M>
  }

export const api = {
  get: call('get'),
  post: call('post'),
  put: call('put'),
  patch: call('patch'),
  delete: call('delete'),
}

/** A call outside the schema: allauth's sign-in, a file's bytes. `body` is sent as JSON. */
export async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await patchbayFetch(
    new Request(new URL(path, window.location.origin), {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    }),
  )
  const text = await response.text()
  return (text ? JSON.parse(text) : undefined) as T
}
