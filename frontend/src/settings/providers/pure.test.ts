import { describe, expect, it } from 'vitest'
import { newPair } from '@/forms'
import { translate } from '@/i18n'
import { changedModels, changeOf, draftOf, hostOf, modelOf, newProvider, rowOf, withModels } from './draft'
import { healthOf } from './health'
import { aProvider } from './providers.testing'
import { factOf, rawOf } from './stage-text'

const model = {
  id: 'm-1',
  context: 8192,
  input_price: 0.5,
  cached_price: 0.1,
  output_price: null,
  features: null,
}

describe('what is sent', () => {
  const provider = aProvider('p', { secret_headers: { 'X-Hush': { set: true, hint: '····1' } } })

  it('is nothing where nothing changed', () => {
    expect(changeOf(provider, draftOf(provider))).toEqual({})
  })

  it('is what changed, times in milliseconds', () => {
    const draft = { ...draftOf(provider), name: ' New ', idleS: '1.5', totalS: '', key: 'sk-1' }
    expect(changeOf(provider, draft)).toEqual({
      name: 'New',
      idle_timeout_ms: 1500,
      timeout_ms: null,
      api_key: 'sk-1',
    })
  })

  it('removes the key only when asked, and a secret header that is gone', () => {
    const draft = {
      ...draftOf(provider),
      dropKey: true,
      headers: [{ ...newPair(), name: 'X-A', value: 'b' }],
    }
    expect(changeOf(provider, draft)).toEqual({
      api_key: null,
      headers: { 'X-A': 'b' },
      secret_headers: { 'X-Hush': null },
    })
  })

  it('of a preset is only what differs from it', () => {
    const preset = { id: 'ollama', base_url: 'http://127.0.0.1:11434/v1', models: ['a'] }
    const form = {
      name: '',
      baseUrl: preset.base_url,
      key: '',
      visibility: 'team' as const,
      credentials: 'shared' as const,
    }
    expect(newProvider(form, preset)).toEqual({ preset: 'ollama', models: [{ id: 'a' }], visibility: 'team' })
    expect(newProvider({ ...form, baseUrl: 'https://x.example/v1' }, { ...preset, models: [] })).toEqual({
      preset: 'ollama',
      base_url: 'https://x.example/v1',
      visibility: 'team',
    })
    expect(newProvider({ ...form, baseUrl: 'https://x.example/v1', key: 'k' }, null)).toEqual({
      name: 'x.example',
      base_url: 'https://x.example/v1',
      api_key: 'k',
      visibility: 'team',
    })
    expect(hostOf('nonsense')).toBe('nonsense')
  })
})

describe('the table of models', () => {
  it('holds numbers as typed and gives them back', () => {
    expect(modelOf(rowOf(model))).toEqual(model)
    expect(modelOf({ id: 'x', context: '-1', input: 'much', cached: '', output: '0', features: [] })).toEqual(
      {
        id: 'x',
        context: null,
        input_price: null,
        cached_price: null,
        output_price: 0,
        features: [],
      },
    )
  })

  it('takes what is listed beside what is there', () => {
    const rows = [{ ...rowOf(model), input: '9' }]
    const both = withModels(rows, [model, { ...model, id: 'm-2' }])
    expect(both.map((row) => [row.id, row.input])).toEqual([
      ['m-1', '9'],
      ['m-2', '0.5'],
    ])
    expect(changedModels(aProvider('p', { models: [model] }), [rowOf(model)])).toBe(false)
    expect(changedModels(aProvider('p', { models: [model] }), both)).toBe(true)
  })
})

describe('how it fares', () => {
  const status = aProvider('p').status
  it.each([
    [{ enabled: false }, 'providers.health_disabled'],
    [{ status: { ...status, state: 'ok' as const } }, 'providers.health_ok'],
    [{}, 'providers.health_unknown'],
    [{ status: { ...status, state: 'error' as const, code: 'LLM_AUTH_FAILED' } }, 'providers.health_auth'],
    [{ status: { ...status, state: 'error' as const, code: 'ELSE' } }, 'providers.health_error'],
  ])('in one word: %o', (more, word) => {
    expect(healthOf(aProvider('p', more)).word).toBe(word)
  })
})

describe('what a stage found', () => {
  it('is one line', () => {
    expect(factOf({ addresses: ['10.0.0.1', '::1'] }, translate)).toBe('10.0.0.1, ::1')
    expect(factOf({ text: ' ok ' }, translate)).toBe('“ok”')
    expect(factOf({ calls: [{ name: 'add', arguments: '{"a":2}' }] }, translate)).toBe('add({"a":2})')
    expect(factOf(null, translate)).toBe('')
    expect(rawOf({ raw: 'x' })).toBe('x')
    expect(rawOf([])).toBe('')
  })
})
