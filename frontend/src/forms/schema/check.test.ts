import { describe, expect, it } from 'vitest'
import { translate } from '@/i18n'
import { check, harmless } from './check'
import { fieldErrors, localErrors } from './hints'

const tool = {
  type: 'object',
  properties: {
    url: { type: 'string', format: 'uri' },
    count: { type: 'integer', minimum: 1, maximum: 5 },
    tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    mode: {
      anyOf: [
        {
          type: 'object',
          properties: { kind: { const: 'a' }, size: { type: 'number' } },
          required: ['kind', 'size'],
        },
        { type: 'string' },
      ],
    },
    maybe: { anyOf: [{ type: 'integer', minimum: 3 }, { type: 'null' }] },
    node: { $ref: '#/$defs/node' },
  },
  required: ['url'],
  $defs: {
    node: {
      type: 'object',
      properties: { child: { $ref: '#/$defs/node' }, name: { type: 'string', minLength: 2 } },
    },
  },
}
const errors = (value: unknown, schema: unknown = tool) => localErrors(schema, value, translate)

describe('the local check', () => {
  it('says what is wrong at its field', () => {
    expect(errors({})).toEqual({ '/url': ['This is required.'] })
    expect(errors({ url: 'https://example.org', count: 9 })).toEqual({
      '/count': ['This must be at most 5.'],
    })
    expect(errors({ url: 'https://example.org', count: 'x' })).toEqual({
      '/count': ['This must be integer.'],
    })
    expect(errors({ url: 'nope' })).toEqual({ '/url': ['This must be a valid uri.'] })
    expect(errors({ url: 'https://example.org', node: { child: { name: 'x' } } })).toEqual({
      '/node/child/name': ['This must have at least 2 characters.'],
    })
  })
  it('speaks of the one variant that was meant', () => {
    expect(errors({ url: 'https://example.org', maybe: 1 })).toEqual({
      '/maybe': ['This must be at least 3.'],
    })
    expect(errors({ url: 'https://example.org', mode: { kind: 'a' } })).toEqual({
      '/mode/size': ['This is required.'],
    })
    expect(errors({ url: 'https://example.org', mode: 4 })).toEqual({
      '/mode': ['This matches none of the allowed kinds.'],
    })
  })
  it('says nothing about what an expression will give', () => {
    expect(
      errors({ url: '{{ start.url }}', count: '{{ a.b }}', mode: { kind: 'a', size: '{{ n.x }}' } }),
    ).toEqual({})
    expect(errors({ url: '{{ start.url }}', tags: ['a', '{{ a.b }}', 3] })).toEqual({
      '/tags/2': ['This must be string.'],
    })
  })
  it.each<[string, unknown]>([
    ['a remote reference', { type: 'object', properties: { a: { $ref: 'https://example.org/x.json' } } }],
    ['a reference to nowhere', { $ref: '#/$defs/none' }],
    ['a reference to itself', { $ref: '#' }],
    ['keywords of wrong types', { type: 7, properties: [], required: 'x', enum: 3 }],
    ['no schema at all', null],
    ['two schemas with one name', { $id: 'x', properties: { a: { $id: 'x' } } }],
  ])('leaves %s to the server', (_, schema) => {
    expect(() => check(schema, { a: 1 })).not.toThrow()
  })
  it('never runs a pattern that could backtrack for minutes', () => {
    expect(harmless('^[a-z0-9_-]{1,64}$')).toBe(true)
    for (const pattern of ['(a+)+$', '(a|a)*b', '^(.*)*x', '(?=a)b', '(a)\\1', '.*a.*b.*c', '['])
      expect(harmless(pattern)).toBe(false)
    const started = performance.now()
    check({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`)
    expect(performance.now() - started).toBeLessThan(500)
  })
  it('gives up on enormous schemas instead of holding the page', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 40_000 }, (_, n) => [`p${n}`, { type: 'string' }]),
    )
    expect(check({ type: 'object', properties }, { p0: 3 })).toEqual([])
  })
})

it("turns the server's field names into pointers", () => {
  expect(
    fieldErrors({ 'inputs.n': ['a'], 'inputs.list.0': ['b'], inputs: ['c'], other: ['d'] }, 'inputs'),
  ).toEqual({
    '/n': ['a'],
    '/list/0': ['b'],
    '': ['c'],
  })
})
