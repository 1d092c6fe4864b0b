import { expect, it } from 'vitest'
import { fc } from '@/testing/properties'
import { fromText, toText } from './value-text'

it.each<[string, unknown]>([
  ['', undefined],
  ['3', 3],
  ['-1.5', -1.5],
  ['true', true],
  ['"3"', '3'],
  ['{"a": [1]}', { a: [1] }],
  ['[1, {{ a.b }}]', '[1, {{ a.b }}]'],
  ['{{ a.b }}', '{{ a.b }}'],
  ['3 apples', '3 apples'],
  ['2026-11-21', '2026-11-21'],
  ['  text ', '  text '],
])('reads %j', (text, value) => {
  expect(fromText(text)).toEqual(value)
})

it('shows an empty text as nothing, so that what is typed or dropped stands alone', () => {
  expect(toText('')).toBe('')
  expect(fromText('""')).toBe('')
})

it('writes any value so that it reads back', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(value !== '' && !(typeof value === 'string' && value.trim() === ''))
      expect(fromText(toText(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    { numRuns: 500 },
  )
})
