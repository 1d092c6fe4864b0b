import { describe, expect, it } from 'vitest'
import { guessVariant, norm, startValue } from './schema'
import { SCHEMAS } from './schemas.testing'

const field = (schema: unknown, name: string) => {
  const match = norm(schema, schema).fields.find((field) => field.name === name)
  if (!match) throw new Error(`no field ${name}`)
  return norm(match.schema, schema)
}
const kindOf = (schema: unknown) => norm(schema, schema).kind

describe('norm', () => {
  it('folds "or null" into the kind and "unset"', () => {
    for (const schema of [
      { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      { type: ['integer', 'null'] },
      { type: 'integer', nullable: true },
    ]) {
      expect(norm(schema, schema)).toMatchObject({ kind: 'integer', nullable: true })
    }
  })
  it('makes one choice of constants and enums', () => {
    const level = field(SCHEMAS.unions, 'level')
    expect(level.kind).toBe('enum')
    expect(level.options).toEqual([
      { value: 1, label: 'Low' },
      { value: 2, label: 'High', description: 'slower' },
    ])
    expect(norm({ enum: ['a', null] }, {})).toMatchObject({ kind: 'enum', nullable: true, type: 'string' })
  })
  it('knows a file by its format, and not what others call one', () => {
    const file = { type: 'object', format: 'file', 'x-accept': 'image/*' }
    expect(norm(file, file)).toMatchObject({ kind: 'file', accept: 'image/*' })
    expect(kindOf({ ...file, type: ['object', 'null'] })).toBe('file')
    expect(kindOf({ ...file, properties: { path: { type: 'string' } } })).toBe('object')
    expect(kindOf({ type: 'string', format: 'file' })).toBe('string')
    const either = norm({ anyOf: [{ type: 'object' }, file] }, {})
    expect(guessVariant(either, {}, { $file: 'file_1' })).toBe(1)
    expect(guessVariant(either, {}, { a: 1 })).toBe(0)
  })
  it('names the variants of a union by what tells them apart', () => {
    expect(field(SCHEMAS.unions, 'shape').variants.map((variant) => variant.label)).toEqual([
      'kind: circle',
      'kind: box',
    ])
    expect(field(SCHEMAS.unions, 'either')).toMatchObject({
      kind: 'union',
      nullable: true,
      type: 'string | integer',
    })
  })
  it('sees no choice where a union only says which keys go together', () => {
    expect(field(SCHEMAS.unions, 'together')).toMatchObject({ kind: 'object' })
  })
  it('merges allOf: fields, required, the narrower limits', () => {
    const merged = norm(SCHEMAS.merged, SCHEMAS.merged)
    expect(merged.fields.map((field) => [field.name, field.required])).toEqual([
      ['a', true],
      ['b', true],
      ['c', false],
    ])
    expect(field(SCHEMAS.merged, 'a')).toMatchObject({ kind: 'integer', minimum: 1, maximum: 5 })
  })
  it('guesses the variant from the value', () => {
    const shape = field(SCHEMAS.unions, 'shape')
    expect(guessVariant(shape, SCHEMAS.unions, { kind: 'box', width: 1 })).toBe(1)
    expect(guessVariant(shape, SCHEMAS.unions, { radius: 1 })).toBe(0)
    const either = field(SCHEMAS.unions, 'either')
    expect(guessVariant(either, SCHEMAS.unions, 3)).toBe(1)
    expect(guessVariant(either, SCHEMAS.unions, 'x')).toBe(0)
  })
  it('leaves what it cannot know to the JSON editor', () => {
    for (const schema of [
      {},
      true,
      false,
      null,
      undefined,
      7,
      'x',
      [],
      SCHEMAS.cycle,
      { $ref: 'https://example.org' },
    ])
      expect(kindOf(schema)).toBe('any')
    expect(field(SCHEMAS.remote, 'a')).toMatchObject({
      kind: 'any',
      remote: 'https://example.org/schema.json#/x',
    })
  })
  it('offers further keys only where they are meant', () => {
    expect(norm({ type: 'object', properties: {} }, {}).extra).toBeNull()
    expect(norm({ type: 'object' }, {}).extra).toBe(true)
    expect(norm({ type: 'object', properties: { a: {} }, additionalProperties: true }, {}).extra).toBeNull()
    expect(field(SCHEMAS.maps, 'labels').extra).toEqual({ type: 'string' })
    expect(field(SCHEMAS.maps, 'byCode').extra).toEqual({ type: 'integer' })
  })
  it('treats a key named __proto__ like any other', () => {
    expect(norm(SCHEMAS.prototype, SCHEMAS.prototype).fields.map((field) => field.name)).toContain(
      '__proto__',
    )
  })
})

describe('what a new value starts with', () => {
  it('is constants and defaults of required fields only', () => {
    expect(startValue(SCHEMAS.longRunningOperation)).toEqual({})
    const schema = {
      type: 'object',
      properties: {
        a: { default: 1 },
        b: { default: 2 },
        c: { const: 'x' },
        d: { type: 'object', properties: { e: { default: 5 } }, required: ['e'] },
      },
      required: ['a', 'c', 'd'],
    }
    expect(startValue(schema)).toEqual({ a: 1, c: 'x', d: { e: 5 } })
  })
  it('ends where a schema needs itself', () => {
    expect(startValue(SCHEMAS.endless)).toEqual({})
  })
})
