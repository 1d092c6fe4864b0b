/** Providers, presets and answers for the tests of their settings. */
import type { Provider } from '@/api/providers'
import type { Preset, Report } from './mutations'

export function aProvider(slug: string, more: Partial<Provider> = {}): Provider {
  return {
    id: `prv_${slug}`,
    name: slug,
    slug,
    preset: '',
    base_url: `https://${slug}.example.org/v1`,
    api_key_set: true,
    api_key_hint: '····7f2a',
    headers: {},
    secret_headers: {},
    timeout_ms: 600_000,
    connect_timeout_ms: 10_000,
    first_token_timeout_ms: 120_000,
    idle_timeout_ms: 60_000,
    models: [],
    visibility: 'team',
    credentials: 'shared',
    own_credentials: null,
    enabled: true,
    status: {
      state: 'unknown',
      code: null,
      message: '',
      hint: '',
      checked_at: null,
      latency_ms: null,
      model: null,
      model_count: null,
    },
    created_by: 'usr_1',
    created_at: '2026-11-01T12:00:00Z',
    updated_at: '2026-11-01T12:00:00Z',
    ...more,
  }
}

export function aPreset(id: string, more: Partial<Preset> = {}): Preset {
  return {
    id,
    name: { en: id, zh: id },
    description: { en: `${id} in words.`, zh: `${id} in words.` },
    base_url: `https://api.${id}.example/v1`,
    key: 'required',
    key_page: `https://${id}.example/keys`,
    page: `https://${id}.example`,
    local: false,
    found: false,
    models: [],
    catalogue: [],
    read: '',
    currency: '',
    prices_page: '',
    ...more,
  }
}

/** A test that stopped at `at`, or went through. */
export function aReport(time: Report['stages'][number]['name'] | null): Report {
  const names = ['url', 'dns', 'tcp', 'tls', 'http', 'auth', 'models', 'chat', 'stream', 'tools'] as const
  const stop = time === null ? names.length : names.indexOf(time)
  const why = { code: 'LLM_AUTH_FAILED', message: 'The model endpoint refused the key.', hint: 'Replace it.' }
  const calm = { code: null, message: '', hint: '' }
  return {
    ok: time === null,
    stages: names.map((name, index) => ({
      name,
      ok: index < stop ? true : index === stop ? false : null,
      ms: index <= stop ? index * 10 : 0,
      detail: index === stop ? { raw: '{"error": "no"}' } : name === 'models' ? { count: 2 } : null,
      ...(index === stop ? why : calm),
    })),
    ...(time === null ? calm : why),
    ms: 142,
    model: 'm-1',
    models: [],
    features: [],
  }
}
