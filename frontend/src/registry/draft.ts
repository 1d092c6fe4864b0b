/**
 * A server as the form holds it, and the way to and from the API's words. Pure.
 *
 * Secrets are write-only: a kept one comes as its hint with an empty value; empty means "as it is", and a row that is
 * taken away removes it. Nothing is sent that was not changed.
 */
import type { Server } from '@/api/servers'
import { type Pair, pairsOf, plainOf, secretOf } from '@/forms'
import type { NewServer, ServerChange } from './mutations'

export interface Draft {
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly transport: 'detect' | 'http' | 'sse' | 'stdio' | 'openapi' | 'a2a'
  readonly url: string
  /** Whether the address itself is a credential. */
  readonly urlSecret: boolean
  /** yyyy-mm-dd, or empty. */
  readonly expires: string
  readonly command: string
  /** One argument per line. */
  readonly args: string
  readonly env: readonly Pair[]
  readonly cwd: string
  readonly auth: 'none' | 'api_key' | 'bearer' | 'basic' | 'oauth'
  readonly key: string
  readonly keyHeader: string
  /** Where an API wants its key. */
  readonly keyIn: 'header' | 'query' | 'cookie'
  /** With basic authentication; `key` is the password then. */
  readonly user: string
  /** Where an API's document is read, or an agent's card; empty where it is pasted, or stands at the usual place. */
  readonly documentUrl: string
  /** A document that is pasted; empty = as it is. */
  readonly document: string
  /** Of a client that was registered by hand; both empty where Patchbay introduces itself. */
  readonly clientId: string
  readonly clientSecret: string
  /** Who signs in by OAuth: a person, or Patchbay itself, which proves who it is by `clientAuth`. */
  readonly grant: Server['oauth_grant']
  readonly clientAuth: Server['oauth_client_auth']
  readonly privateKey: string
  readonly keyId: string
  readonly headers: readonly Pair[]
  readonly timeoutS: string
  readonly visibility: 'team' | 'private'
  readonly session: 'shared' | 'run'
  /** Whose key is used: the team's, or each member's own. */
  readonly credentials: 'shared' | 'user'
  readonly asks: boolean
  readonly trust: boolean
  /** How many runs use it at once; empty = no limit. */
  readonly maxRuns: string
  readonly maxCalls: string
  /** What a program is started in; `undecided` until somebody chooses. */
  readonly box: 'boxed' | 'open' | 'undecided'
  /** What its box shows, one per line: `ro /path` or `rw /path`; empty = what stands plainly in the arguments. */
  readonly folders: string
  readonly network: boolean
}

export const emptyDraft = (transport: Draft['transport']): Draft => ({
  name: '',
  slug: '',
  description: '',
  transport,
  url: '',
  urlSecret: false,
  expires: '',
  command: '',
  args: '',
  env: [],
  cwd: '',
  auth: 'none',
  key: '',
  keyHeader: 'X-API-Key',
  keyIn: 'header',
  user: '',
  documentUrl: '',
  document: '',
  clientId: '',
  clientSecret: '',
  grant: 'authorization_code',
  clientAuth: '',
  privateKey: '',
  keyId: '',
  headers: [],
  timeoutS: '30',
  visibility: 'team',
  session: 'shared',
  credentials: 'shared',
  asks: false,
  trust: transport === 'stdio' || transport === 'openapi',
  maxRuns: '',
  maxCalls: '',
  box: 'boxed',
  folders: '',
  network: true,
})

export function draftOf(server: Server): Draft {
  return {
    name: server.name,
    slug: server.slug,
    description: server.description,
    transport: server.transport,
    url: server.url_secret ? '' : server.url,
    urlSecret: server.url_secret,
    expires: server.expires_at?.slice(0, 10) ?? '',
    command: server.command,
    args: server.args.join('\n'),
    env: pairsOf(server.env, server.secret_env),
    cwd: server.cwd,
    auth: server.auth_type,
    key: '',
    keyHeader: server.api_key_header,
    keyIn: server.api_key_in,
    user: '',
    documentUrl: server.document_url,
    document: '',
    clientId: server.oauth_client_id,
    clientSecret: '',
    grant: server.oauth_grant,
    clientAuth: server.oauth_client_auth,
    privateKey: '',
    keyId: server.oauth_key_id,
    headers: pairsOf(server.headers, server.secret_headers),
    timeoutS: String(server.timeout_ms / 1000),
    visibility: server.visibility,
    session: server.session,
    credentials: server.credentials,
    asks: server.asks,
    trust: server.trust_annotations,
    maxRuns: server.max_runs === null ? '' : String(server.max_runs),
    maxCalls: server.max_calls === null ? '' : String(server.max_calls),
    box: server.box,
    folders: (server.folders ?? [])
      .map((folder) => `${folder.write ? 'rw' : 'ro'} ${folder.path}`)
      .join('\n'),
    network: server.network,
  }
}

/** What to call an address: `sse` where its path says so, else streamable HTTP. */
export function detected(url: string): 'http' | 'sse' {
  try {
    return /\/sse\/?$/.test(new URL(url).pathname) ? 'sse' : 'http'
  } catch {
    return 'http'
  }
}

/** A name to start with, from an address or a command. */
export function suggestedName(draft: Pick<Draft, 'url' | 'command' | 'args' | 'transport'>): string {
  if (draft.transport === 'stdio') {
    const words = draft.args.split('\n').filter((word) => /^[@\w][\w@./-]*$/.test(word))
    const word = words.find((word) => /mcp|server/.test(word)) ?? (draft.command || words[0]) ?? ''
    return (word.split('/').at(-1) ?? '')
      .replace(/@.*$/, '')
      .replace(/^mcp-server-|^server-|-mcp(-server)?$/g, '')
  }
  try {
    return new URL(draft.url).hostname.replace(/^(www|mcp|api)\./, '')
  } catch {
    return ''
  }
}

/** A whole command line, typed or pasted where the program belongs, as program and arguments; else null. */
export function splitCommand({ command, args }: Pick<Draft, 'command' | 'args'>) {
  if (args.trim() || /^[a-z]:\\/i.test(command.trim())) return null // a Windows path may hold blanks
  const [program, ...rest] = [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  )
  return program && rest.length > 0 ? { command: program, args: rest.join('\n') } : null
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** Lines as folders: `rw` in front gives writing, a path alone reading. */
const foldersOf = (text: string): { path: string; write: boolean }[] =>
  lines(text).map((line) => {
    const match = /^(ro|rw)\s+(.*)$/.exec(line)
    return { path: match?.[2] ?? line, write: match?.[1] === 'rw' }
  })

/** The end of a day in local time, as the API has times. */
const endOf = (day: string): string | null => (day ? new Date(`${day}T23:59:59`).toISOString() : null)

/** What to send for a new server, or to test one. */
export function newServer(draft: Draft): NewServer {
  const shared = {
    name: draft.name.trim() || suggestedName(draft),
    ...(draft.slug.trim() ? { slug: draft.slug.trim() } : {}),
    ...(draft.description.trim() ? { description: draft.description.trim() } : {}),
    timeout_ms: Math.round(Number(draft.timeoutS) * 1000) || 30_000,
    visibility: draft.visibility,
    session: draft.session,
    credentials: draft.credentials,
    asks: draft.asks,
    trust_annotations: draft.trust,
    ...(draft.maxRuns.trim() ? { max_runs: Number(draft.maxRuns) } : {}),
    ...(draft.maxCalls.trim() ? { max_calls: Number(draft.maxCalls) } : {}),
  }
  if (draft.transport === 'stdio') {
    return {
      ...shared,
      transport: 'stdio',
      command: draft.command.trim(),
      args: lines(draft.args),
      env: plainOf(draft.env),
      secret_env: secretOf(draft.env, []),
      ...(draft.cwd.trim() ? { cwd: draft.cwd.trim() } : {}),
      ...(draft.box === 'undecided' ? {} : { box: draft.box }),
      ...(draft.folders.trim() ? { folders: foldersOf(draft.folders) } : {}),
      network: draft.network,
    }
  }
  const url = draft.url.trim()
  return {
    ...shared,
    transport: draft.transport === 'detect' ? detected(url) : draft.transport,
    url,
    ...(draft.urlSecret ? { url_secret: true } : {}),
    ...(draft.expires ? { expires_at: endOf(draft.expires) } : {}),
    auth_type: draft.auth,
    ...(withKey(draft) ? { api_key: keyOf(draft) } : {}),
    ...(draft.auth === 'oauth' ? clientOf(draft) : {}),
    ...(draft.auth === 'api_key' ? { api_key_header: draft.keyHeader } : {}),
    ...(draft.transport === 'openapi' || draft.transport === 'a2a' ? documentOf(draft) : {}),
    headers: plainOf(draft.headers),
    secret_headers: secretOf(draft.headers, []),
  }
}

/** Whether a key is entered. */
const withKey = (draft: Draft): boolean =>
  draft.auth === 'api_key' || draft.auth === 'bearer' || draft.auth === 'basic'

/** The key as it is kept: of basic authentication name and password. */
const keyOf = ({ auth, user, key }: Draft): string =>
  auth === 'basic' && (user || key) ? `${user}:${key}` : key

const documentOf = ({ auth, keyIn, documentUrl, document }: Draft) => ({
  ...(auth === 'api_key' ? { api_key_in: keyIn } : {}),
  ...(documentUrl.trim() ? { document_url: documentUrl.trim() } : {}),
  ...(document.trim() ? { document } : {}),
})

const clientOf = (draft: Draft) => ({
  oauth_grant: draft.grant,
  ...(draft.clientId.trim() ? { oauth_client_id: draft.clientId.trim() } : {}),
  ...(draft.grant === 'client_credentials' ? { oauth_client_auth: draft.clientAuth } : {}),
  ...(signs(draft)
    ? signingKeyOf(draft)
    : draft.clientSecret
      ? { oauth_client_secret: draft.clientSecret }
      : {}),
})

/** Whether Patchbay proves who it is with a private key. */
const signs = ({ grant, clientAuth }: Draft): boolean =>
  grant === 'client_credentials' && clientAuth === 'private_key_jwt'

const signingKeyOf = ({ privateKey, keyId }: Draft) => ({
  ...(privateKey.trim() ? { oauth_private_key: privateKey.trim() } : {}),
  ...(keyId.trim() ? { oauth_key_id: keyId.trim() } : {}),
})

/** What of a client must be said although it looks as before: names taken away, and one that goes elsewhere. */
function clientChanges(server: Server, draft: Draft, moves: boolean): Record<string, string> {
  const changes: Record<string, string> = {}
  if (!draft.clientId.trim() && server.oauth_client_id) changes.oauth_client_id = ''
  if (signs(draft) && !draft.keyId.trim() && server.oauth_key_id) changes.oauth_key_id = ''
  if (moves && draft.grant === 'client_credentials') changes.oauth_client_id = draft.clientId.trim()
  return changes
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What to send so that `server` becomes what the form says: only what differs. */
export function changeOf(server: Server, draft: Draft): ServerChange {
  const before = newServer(draftOf(server))
  const after = newServer(draft)
  const change: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(after)) {
    if (name === 'secret_env' || name === 'secret_headers' || name === 'api_key' || name === 'slug') continue
    if (!same(value, (before as Record<string, unknown>)[name])) change[name] = value
  }
  if (!draft.description.trim() && server.description) change.description = ''
  if (!draft.expires && server.expires_at) change.expires_at = null
  if (!draft.maxRuns.trim() && server.max_runs !== null) change.max_runs = null
  if (!draft.maxCalls.trim() && server.max_calls !== null) change.max_calls = null
  if (draft.transport === 'stdio') {
    if (!draft.cwd.trim() && server.cwd) change.cwd = ''
    if (!draft.folders.trim() && server.folders !== null) change.folders = null
    const secrets = secretOf(draft.env, Object.keys(server.secret_env))
    if (Object.keys(secrets).length > 0) change.secret_env = secrets
    return change as ServerChange
  }
  if (draft.transport === 'a2a' && !draft.documentUrl.trim() && server.document_url) change.document_url = ''
  if (server.url_secret && !draft.url.trim()) {
    delete change.url
    delete change.transport
    delete change.url_secret
  }
  if (server.url_secret && !draft.urlSecret && draft.url.trim()) change.url_secret = false
  if (draft.auth === 'oauth') Object.assign(change, clientChanges(server, draft, change.url !== undefined))
  if (withKey(draft) && draft.key) change.api_key = keyOf(draft)
  if (!withKey(draft) && server.api_key_set) change.api_key = null
  const secrets = secretOf(draft.headers, Object.keys(server.secret_headers))
  if (Object.keys(secrets).length > 0) change.secret_headers = secrets
  return change as ServerChange
}
