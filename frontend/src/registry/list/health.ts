/** How a server fares, in one word, and whether someone should look at it. Pure. */
import type { Server } from '@/api/servers'
import type { Key } from '@/i18n'
import { clock, isoDate, type Status } from '@/ui'

export interface Health {
  readonly status: Status
  readonly word: Extract<Key, `registry.health_${string}`>
}

const ERRORS: Readonly<Record<string, Health['word']>> = {
  MCP_AUTH_FAILED: 'registry.health_auth',
  MCP_UNREACHABLE: 'registry.health_unreachable',
  MCP_TIMEOUT: 'registry.health_timeout',
  MCP_PROTOCOL_ERROR: 'registry.health_protocol',
  MCP_PARSE_ERROR: 'registry.health_protocol',
  NETWORK_BLOCKED: 'registry.health_blocked',
  MCP_POLICY_DENIED: 'registry.health_blocked',
  SECRET_MISSING: 'registry.health_secret',
}

export function healthOf(
  server: Pick<Server, 'enabled' | 'status' | 'own_credentials' | 'transport'>,
): Health {
  if (!server.enabled) return { status: 'skipped', word: 'registry.health_disabled' }
  if (server.own_credentials?.state === 'missing') return { status: 'waiting', word: 'registry.health_own' }
  if (server.status.state === 'ok') return { status: 'succeeded', word: 'registry.health_ok' }
  if (server.status.state === 'unknown') return { status: 'idle', word: 'registry.health_unknown' }
  const word = ERRORS[server.status.code ?? ''] ?? 'registry.health_error'
  const wrong =
    (server.transport === 'openapi' || server.transport === 'a2a') && word === 'registry.health_protocol'
  return { status: 'failed', word: wrong ? 'registry.health_error' : word }
}

const DAY_MS = 86_400_000

/** When it began: today the time, before that the day. */
export const sinceText = (iso: string, now: number = Date.now()): string =>
  now - Date.parse(iso) < DAY_MS ? clock(iso).slice(0, 5) : isoDate(iso)

/** From how many days before its end an address is worth a warning. */
export const WARN_DAYS = 3

/** Days until the server's address ends, rounded up; negative or 0 = over; null = it does not end. */
export function daysLeft(server: Pick<Server, 'expires_at'>, now: number = Date.now()): number | null {
  if (!server.expires_at) return null
  return Math.ceil((Date.parse(server.expires_at) - now) / DAY_MS)
}

/** What it is reached by, in one line: its address or its command. */
export const targetOf = (server: Pick<Server, 'transport' | 'url' | 'command' | 'args'>): string =>
  server.transport === 'stdio' ? [server.command, ...server.args].join(' ') : server.url

/** The same, shortened at its less useful end: a program without its folders. */
export const shortTargetOf = (server: Parameters<typeof targetOf>[0]): string =>
  server.transport === 'stdio'
    ? [server.command.split('/').at(-1) ?? '', ...server.args].join(' ')
    : server.url.replace(/^https?:\/\//, '')

/** The stages of a connection test, in the order in which they are tried. */
export const STAGES = {
  stdio: ['policy', 'command', 'start', 'protocol', 'tools', 'schemas'],
  http: ['url', 'dns', 'tcp', 'tls', 'http', 'protocol', 'auth', 'tools', 'schemas'],
  sse: ['url', 'dns', 'tcp', 'tls', 'http', 'protocol', 'auth', 'tools', 'schemas'],
  a2a: ['url', 'dns', 'tcp', 'tls', 'card', 'protocol', 'auth', 'tools'],
  openapi: ['document', 'url', 'dns', 'tcp', 'tls', 'http', 'auth', 'tools', 'schemas'],
} as const
