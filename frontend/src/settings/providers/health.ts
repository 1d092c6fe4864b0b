/** How a provider fares, in one word. Pure. */
import type { Provider } from '@/api/providers'
import type { Key } from '@/i18n'
import type { Status } from '@/ui'

export interface Health {
  readonly status: Status
  readonly word: Extract<Key, `providers.health_${string}`>
}

const ERRORS: Readonly<Record<string, Health['word']>> = {
  LLM_AUTH_FAILED: 'providers.health_auth',
  LLM_RATE_LIMITED: 'providers.health_limited',
  LLM_UNREACHABLE: 'providers.health_unreachable',
  LLM_TIMEOUT: 'providers.health_timeout',
  LLM_BAD_RESPONSE: 'providers.health_answer',
  NETWORK_BLOCKED: 'providers.health_blocked',
  SECRET_MISSING: 'providers.health_secret',
}

export function healthOf(provider: Pick<Provider, 'enabled' | 'status' | 'own_credentials'>): Health {
  if (!provider.enabled) return { status: 'skipped', word: 'providers.health_disabled' }
  if (provider.own_credentials?.state === 'missing')
    return { status: 'waiting', word: 'providers.health_own' }
  if (provider.status.state === 'ok') return { status: 'succeeded', word: 'providers.health_ok' }
  if (provider.status.state === 'unknown') return { status: 'idle', word: 'providers.health_unknown' }
  return { status: 'failed', word: ERRORS[provider.status.code ?? ''] ?? 'providers.health_error' }
}
