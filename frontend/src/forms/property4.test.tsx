/** Property 4 of the seed: any valid JSON Schema renders fields that match its types. */
import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { fc } from '@/testing/properties'
import { SchemaForm } from './SchemaForm'

type Schema = Record<string, unknown>

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/)
const scalar: fc.Arbitrary<Schema> = fc.oneof(
  fc.record(
    { type: fc.constant('string'), maxLength: fc.option(fc.nat(500), { nil: undefined }) },
    { requiredKeys: ['type'] },
  ),
  fc.record(
    { type: fc.constantFrom('number', 'integer'), minimum: fc.integer({ max: 0 }) },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constant('boolean') }),
  fc.record({
    enum: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 }),
  }),
)
const { schema } = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    tie('object'),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    tie('schema').map((inner) => ({ anyOf: [inner, { type: 'null' }] })),
    tie('schema').map((inner) => ({ allOf: [inner], description: 'once more' })),
  ),
  object: fc
    .dictionary(name, tie('schema'), { maxKeys: 4 })
    .map((properties) => ({ type: 'object', properties })),
}))
const tool = fc.tuple(fc.dictionary(name, schema, { minKeys: 1, maxKeys: 6 }), fc.boolean()).map(
  ([properties, all]): Schema => ({
    type: 'object',
    properties,
    ...(all && { required: Object.keys(properties) }),
  }),
)

/** The plain schema under "or null" and "all of". */
function plain(schema: Schema): Schema {
  const list = (schema.anyOf ?? schema.allOf) as Schema[] | undefined
  return list?.[0] ? plain(list[0]) : schema
}

function expectField(field: Element, schema: Schema, required: boolean, depth: number) {
  const own = (selector: string) =>
    [...field.querySelectorAll(selector)].find((element) => element.closest('[data-pointer]') === field)
  const { type } = schema
  if (schema.enum) return expect(own('select')).toBeTruthy()
  switch (type) {
    case 'string':
      return expect(own('input[type=text], textarea')).toBeTruthy()
    case 'number':
    case 'integer':
      return expect(own('[role=spinbutton]')).toBeTruthy()
    case 'boolean':
      return expect(own('[role=switch]')).toBeTruthy()
    case 'array':
      return expect(
        [...field.querySelectorAll('button')].some((button) =>
          /Add item|Set /.test(button.textContent ?? ''),
        ),
      ).toBe(true)
    case 'object':
      if (!required || depth >= 4) return expect(own('button')?.textContent).toContain('Set')
      expect(own('fieldset.form-object')).toBeTruthy()
      return expectObject(field, schema, depth)
  }
}

function expectObject(container: Element, schema: Schema, depth: number) {
  const required = (schema.required ?? []) as string[]
  for (const [key, inner] of Object.entries(schema.properties as Record<string, Schema>)) {
    const time = container.getAttribute('data-pointer') ?? ''
    const field = container.querySelector(`[data-pointer="${time}/${key}"]`)
    expect(field).toBeTruthy()
    if (field) expectField(field, plain(inner), required.includes(key), depth + 1)
  }
}

it.each(['plain', 'expression'] as const)(
  'Property 4: fields match the types of any schema (%s)',
  (mode) => {
    fc.assert(
      fc.property(tool, (schema) => {
        const { container, unmount } = render(
          <SchemaForm schema={schema} value={{}} onChange={() => {}} mode={mode} />,
        )
        expectObject(container, schema, 0)
        unmount()
      }),
      { numRuns: 120 },
    )
  },
  60_000,
)

it('Property 4: whatever is given as a schema, the form stands', () => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'enum',
    'const',
    'anyOf',
    'oneOf',
    'allOf',
    '$ref',
    'required',
    'default',
    'additionalProperties',
    'prefixItems',
    '$defs',
  )
  const anything = fc.letrec<{ it: unknown }>((tie) => ({
    it: fc.oneof(
      { depthSize: 'medium' },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom('object', 'array', 'string', '#', '#/$defs/a', 'null'),
      fc.dictionary(keyword, tie('it'), { maxKeys: 4 }),
      fc.array(tie('it'), { maxLength: 3 }),
    ),
  }))
  fc.assert(
    fc.property(
      anything.it,
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom('plain' as const, 'expression' as const),
      (entry, value, mode) => {
        const { unmount } = render(
          <SchemaForm schema={entry} value={value} onChange={() => {}} mode={mode} />,
        )
        unmount()
      },
    ),
    { numRuns: 200 },
  )
}, 60_000)
