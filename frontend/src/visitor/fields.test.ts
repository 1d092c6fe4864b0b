import { describe, expect, it } from 'vitest'
import { fieldsOf, problemsIn, valuesOf } from './fields'
import { words } from './words'

const SCHEMA = {
  type: 'object',
  required: ['name', 'size'],
  properties: {
    name: { type: 'string', title: 'Your name', description: 'As on the order.' },
    story: { type: 'string', 'x-multiline': true },
    count: { type: ['integer', 'null'], default: 2 },
    price: { type: 'number' },
    gift: { type: 'boolean' },
    size: { enum: ['S', 'M', 3], default: 'M' },
    tags: { type: 'array', items: { type: 'string' }, default: ['a', 'b'] },
    more: { type: 'object', properties: { x: {} } },
    anything: true,
    paper: { type: 'object', format: 'file' },
    papers: { type: 'array', items: { type: 'object', format: 'file' } },
  },
}
const fields = fieldsOf(SCHEMA)

describe('the fields of a schema', () => {
  it('are as its inputs are', () => {
    expect(Object.fromEntries(fields.map(({ name, kind }) => [name, kind]))).toEqual({
      name: 'text',
      story: 'lines',
      count: 'integer',
      price: 'number',
      gift: 'switch',
      size: 'choice',
      tags: 'list',
      more: 'json',
      anything: 'json',
      paper: 'file',
      papers: 'files',
    })
    expect(fields[0]).toMatchObject({ label: 'Your name', hint: 'As on the order.', required: true })
    expect(fields.map(({ first }) => first).slice(2, 7)).toEqual(['2', '', '', '1', 'a\nb'])
  })

  it('are none where there is no schema', () => {
    for (const none of [null, undefined, [], 'x', {}, { properties: [] }]) expect(fieldsOf(none)).toEqual([])
  })
})

describe('what is typed', () => {
  it('becomes values, and what is empty is left out', () => {
    const typed = { name: 'Vera', count: '', price: '1,5', size: '2', tags: ' a \n\nb', more: '{"x": 1}' }
    expect(valuesOf(fields, typed, words)).toEqual({
      values: { name: 'Vera', price: 1.5, gift: false, size: 3, tags: ['a', 'b'], more: { x: 1 } },
      problems: {},
    })
  })

  it('is refused where it is nothing of the kind', () => {
    const typed = { name: ' ', count: '1.5', price: 'much', size: '', more: '{' }
    expect(valuesOf(fields, typed, words).problems).toEqual({
      name: words.required,
      count: words.not_whole,
      price: words.not_number,
      size: words.choose,
      more: words.not_json,
    })
  })

  it('has what the server says against it', () => {
    const errors = {
      'inputs.more.x': ['must be a text'],
      'inputs.moreover': ['is unknown'],
      key: ['is weak'],
    }
    expect(problemsIn(errors, fields)).toEqual({ more: 'must be a text' })
  })
})
