import { expect, it } from 'vitest'
import { fieldErrors } from './field-errors'

it('names places as forms do', () => {
  const said = { 'inputs.a.b': ['x'], 'inputs.files[0]': ['y'], 'inputs.list[1].n': ['z'], inputs: ['all'] }
  expect(fieldErrors(said, 'inputs')).toEqual({
    '/a/b': ['x'],
    '/files/0': ['y'],
    '/list/1/n': ['z'],
    '': ['all'],
  })
})
