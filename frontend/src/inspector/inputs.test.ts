import { expect, it } from 'vitest'
import {
  INPUT_TYPES,
  moveInput,
  removeInput,
  renameInput,
  schemaOfType,
  setRequired,
  typeOfInput,
  withInput,
} from './editors/inputs'

const schema = {
  $schema: 'x',
  type: 'object',
  properties: { a: { type: 'string', maxLength: 5 }, b: { type: 'number' } },
  required: ['a'],
}

it('reads back each type that it offers', () => {
  expect(INPUT_TYPES.map((type) => typeOfInput(schemaOfType(type)))).toEqual([...INPUT_TYPES])
  expect(typeOfInput({ $ref: '#/x' })).toBe('other')
  expect(typeOfInput({ type: 'object', properties: { x: {} } })).toBe('other')
})

it('changes one input and keeps what it does not know', () => {
  expect(withInput(schema, 'c', { type: 'boolean' })).toEqual({
    ...schema,
    properties: { ...schema.properties, c: { type: 'boolean' } },
  })
  const renamed = renameInput(schema, 'a', 'z')
  expect(Object.keys(renamed.properties as object)).toEqual(['z', 'b'])
  expect(renamed.required).toEqual(['z'])
  expect(renamed.$schema).toBe('x')
  expect(removeInput(schema, 'a')).toEqual({
    $schema: 'x',
    type: 'object',
    properties: { b: { type: 'number' } },
  })
  expect(setRequired(schema, 'b', true).required).toEqual(['a', 'b'])
  expect(setRequired(schema, 'a', false)).not.toHaveProperty('required')
  expect(Object.keys(moveInput(schema, 'b', -1).properties as object)).toEqual(['b', 'a'])
  expect(moveInput(schema, 'a', -1)).toBe(schema)
})
