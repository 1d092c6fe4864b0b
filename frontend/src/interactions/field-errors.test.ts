import { expect, it } from 'vitest'
import { fieldErrors } from './field-errors'

it('names places as forms do', () => {
  const text = { 'inputs.a.b': ['x'], 'inputs.files[0]': ['y'], 'inputs.list[1].n': ['z'], inputs: ['all'] }
  expect(fieldErrors(text, 'inputs')).toEqual({
    '/a/b': ['x'],
    '/files/0': ['y'],
    '/list/1/n': ['z'],
    '': ['all'],
  })
})
