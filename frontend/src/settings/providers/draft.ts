/** A provider as its forms hold it, and the way to and from the API's words. Pure. Nothing unchanged is sent. */
import type { Provider } from '@/api/providers'
import { type Pair, pairsOf, plainOf, secretOf } from '@/forms'
import type { Feature, Model, NewProvider, ProviderChange } from './mutations'

export interface Draft {
  readonly name: string
  readonly baseUrl: string
  readonly key: string
  /** The stored key is to be removed. */
  readonly dropKey: boolean
  readonly headers: readonly Pair[]
  /** Seconds, as typed. */
  readonly connectS: string
  readonly firstTokenS: string
  readonly idleS: string
  readonly totalS: string
  readonly visibility: 'team' | 'private'
  /** Whose key is used: the team's, or each member's own. */
  readonly credentials: 'shared' | 'user'
}

const seconds = (ms: number): string => String(ms / 1000)

export function draftOf(provider: Provider): Draft {
  return {
    name: provider.name,
    baseUrl: provider.base_url,
    key: '',
    dropKey: false,
    headers: pairsOf(provider.headers, provider.secret_headers),
    connectS: seconds(provider.connect_timeout_ms),
    firstTokenS: seconds(provider.first_token_timeout_ms),
    idleS: seconds(provider.idle_timeout_ms),
    totalS: seconds(provider.timeout_ms),
    visibility: provider.visibility,
    credentials: provider.credentials,
  }
}

/** Milliseconds; null (the default) for what is no number. */
const ms = (text: string): number | null => {
  const value = Math.round(Number(text) * 1000)
  return text.trim() && Number.isFinite(value) && value > 0 ? value : null
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What to send so that `provider` becomes what the form says: only what differs. */
export function changeOf(provider: Provider, draft: Draft): ProviderChange {
  const before = draftOf(provider)
  const change: ProviderChange = {}
  if (draft.name.trim() !== provider.name) change.name = draft.name.trim()
  if (draft.baseUrl.trim() !== provider.base_url) change.base_url = draft.baseUrl.trim()
  if (draft.key) change.api_key = draft.key
  else if (draft.dropKey && provider.api_key_set) change.api_key = null
  if (draft.connectS !== before.connectS) change.connect_timeout_ms = ms(draft.connectS)
  if (draft.firstTokenS !== before.firstTokenS) change.first_token_timeout_ms = ms(draft.firstTokenS)
  if (draft.idleS !== before.idleS) change.idle_timeout_ms = ms(draft.idleS)
  if (draft.totalS !== before.totalS) change.timeout_ms = ms(draft.totalS)
  if (draft.visibility !== provider.visibility) change.visibility = draft.visibility
  if (draft.credentials !== provider.credentials) change.credentials = draft.credentials
  const plain = plainOf(draft.headers)
  if (!same(plain, provider.headers)) change.headers = plain
  const secret = secretOf(draft.headers, Object.keys(provider.secret_headers))
  if (Object.keys(secret).length > 0) change.secret_headers = secret
  return change
}

/** What is said of a provider that is to be added. */
export type NewDraft = Pick<Draft, 'name' | 'baseUrl' | 'key' | 'visibility' | 'credentials'>

/** What to send to add a provider by its address or over a preset. */
export function newProvider(
  draft: NewDraft,
  preset: { readonly id: string; readonly base_url: string; readonly models: readonly string[] } | null,
): NewProvider {
  const url = draft.baseUrl.trim()
  const name = draft.name.trim()
  return {
    ...(preset ? { preset: preset.id } : {}),
    ...(name ? { name } : preset ? {} : { name: hostOf(url) }),
    ...(preset && url === preset.base_url ? {} : { base_url: url }),
    ...(draft.key ? { api_key: draft.key } : {}),
    ...(preset?.models.length ? { models: preset.models.map((id) => ({ id })) } : {}),
    visibility: draft.visibility,
    ...(draft.credentials === 'user' ? { credentials: draft.credentials } : {}),
  }
}

/** The host of an address, for want of a better name. */
export function hostOf(url: string): string {
  try {
    return new URL(url).hostname
  } catch {
    return url
  }
}

// -- models ------------------------------------------------------------------------------------------------------------

export const FEATURES = ['tools', 'vision', 'json_schema', 'reasoning'] as const satisfies readonly Feature[]

/** A model as a row of the table holds it: numbers as typed. */
export interface Row {
  readonly id: string
  readonly context: string
  readonly input: string
  readonly cached: string
  readonly output: string
  /** null = nobody said. */
  readonly features: readonly Feature[] | null
}

const typed = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value)

export const rowOf = (model: Model): Row => ({
  id: model.id,
  context: typed(model.context),
  input: typed(model.input_price),
  cached: typed(model.cached_price),
  output: typed(model.output_price),
  features: model.features,
})

const number = (text: string): number | null => {
  const value = Number(text.trim())
  return text.trim() && Number.isFinite(value) && value >= 0 ? value : null
}

export const modelOf = (row: Row): Model => ({
  id: row.id,
  context: number(row.context) ? Math.round(number(row.context) as number) : null,
  input_price: number(row.input),
  cached_price: number(row.cached),
  output_price: number(row.output),
  features: row.features === null ? null : [...row.features],
})

/** Whether the table says something else than the provider does. */
export const changedModels = (provider: Provider, rows: readonly Row[]): boolean =>
  !same(rows.map(modelOf), provider.models.map(rowOf).map(modelOf))

/** The rows with models of the endpoint's list added; those that are there already stay as they are. */
export function withModels(rows: readonly Row[], matches: readonly Model[]): readonly Row[] {
  const there = new Set(rows.map((row) => row.id))
  return [...rows, ...matches.filter((model) => !there.has(model.id)).map(rowOf)]
}
