/**
 * One level of a JSON Schema made plain: what kind of field it asks for, and with which limits.
 *
 * Schemas come from servers that others wrote, so nothing here trusts them: a keyword of the wrong type is as if it
 * were absent, `$ref` is followed inside the document only, cycles end, and only one level is looked at; the form asks
 * again for each field it really shows, so a recursive or enormous schema costs no more than what is open.
 */

import { isRecord, member, same } from '@/forms/pointer'
import { flatten, type SchemaObject, typesOf } from './flatten'

export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

export type Kind =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'enum'
  | 'object'
  | 'array'
  | 'tuple'
  | 'union'
  | 'file'
  | 'any'

export interface Option {
  value: unknown
  label: string
  description?: string
}
export interface FieldOf {
  name: string
  schema: JsonSchema
  required: boolean
}
export interface Variant {
  label: string
  schema: JsonSchema
}

export interface Shape {
  kind: Kind
  /** null is allowed beside the kind; in the form it is the same as leaving the field unset. */
  nullable: boolean
  /** The words beside the label: `string, uri`. */
  type: string
  title?: string
  description?: string
  default?: unknown
  examples: readonly unknown[]
  deprecated: boolean
  readOnly: boolean
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  /** `enum` and `const`, and unions of them. */
  options: readonly Option[]
  /** Of an object, in the order of the schema. */
  fields: readonly FieldOf[]
  /** What further keys of an object must be; null: none are offered. */
  extra: JsonSchema | null
  /** Of an array, or of what follows the prefix of a tuple; null: no further items. */
  items: JsonSchema | null
  prefix: readonly JsonSchema[]
  minItems?: number
  maxItems?: number
  uniqueItems: boolean
  variants: readonly Variant[]
  /** Which files are asked for, as HTML's `accept` (`x-accept`). */
  accept?: string
  /** A `$ref` out of the document, which is never followed. */
  remote?: string
  /** A text of many lines (`x-multiline`). */
  multiline: boolean
  /** What is meant where nothing is written (`x-placeholder`). */
  placeholder?: string
  /** Node configurations mark where expressions are read (`x-expression`). */
  marked: boolean
}

const ASSERTIONS = [
  'type',
  'properties',
  '$ref',
  'enum',
  'const',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  'additionalProperties',
]

const known = new WeakMap<object, WeakMap<object, Shape>>()

/** The shape of `schema`, whose references are looked up in `root`. Never throws, whatever it is given. */
export function norm(schema: unknown, root: unknown): Shape {
  if (!isRecord(schema)) return shapeOf({}, root)
  const key = isRecord(root) ? root : schema
  const ofRoot = known.get(key) ?? new WeakMap<object, Shape>()
  known.set(key, ofRoot)
  const before = ofRoot.get(schema)
  if (before) return before
  const shape = shapeOf(flatten(schema, root), root)
  ofRoot.set(schema, shape)
  return shape
}

/** What a new value of this schema starts with: constants and defaults of required fields, and nothing else. */
export function startValue(schema: unknown, root: unknown = schema, depth = 0): unknown {
  const shape = norm(schema, root)
  if (shape.default !== undefined) return shape.default
  if (shape.kind === 'enum') return shape.options.length === 1 ? shape.options[0]?.value : undefined
  if (shape.kind !== 'object' || depth > 6) return undefined
  const entries = shape.fields
    .filter((field) => field.required)
    .map((field) => [field.name, startValue(field.schema, root, depth + 1)] as const)
    .filter(([, value]) => value !== undefined)
  return entries.length > 0 || depth === 0 ? Object.fromEntries(entries) : undefined
}

/** Which variant of a union a value is: the one that it fits best. */
export function guessVariant(shape: Shape, root: unknown, value: unknown): number {
  if (value === undefined) return 0
  let best = 0
  let bestScore = -1
  shape.variants.forEach((variant, index) => {
    const score = fits(norm(variant.schema, root), root, value)
    if (score > bestScore) {
      best = index
      bestScore = score
    }
  })
  return best
}

function fits(shape: Shape, root: unknown, value: unknown): number {
  if (value === null) return shape.nullable ? 3 : 0
  switch (shape.kind) {
    case 'enum':
      return shape.options.some((option) => same(option.value, value)) ? 6 : 0
    case 'file':
      return typeof member(value, '$file') === 'string' ? 6 : 0
    case 'object':
      return isRecord(value) ? 2 + objectFit(shape, root, value) : 0
    case 'array':
    case 'tuple':
      return Array.isArray(value) ? 3 : 0
    case 'integer':
      return Number.isInteger(value) ? 4 : typeof value === 'number' ? 1 : 0
    case 'any':
      return 1
    case 'union':
      return Math.max(
        0,
        ...shape.variants.slice(0, 20).map((variant) => fits(norm(variant.schema, root), root, value)),
      )
    default:
      return typeof value === shape.kind ? 3 : 0
  }
}

function objectFit(shape: Shape, root: unknown, value: Record<string, unknown>): number {
  let score = 0
  for (const field of shape.fields.slice(0, 100)) {
    const inner = member(value, field.name)
    if (inner === undefined) {
      if (field.required) score -= 1
      continue
    }
    const ofField = norm(field.schema, root)
    const constant = ofField.kind === 'enum' && ofField.options.length === 1
    if (constant) score += same(ofField.options[0]?.value, inner) ? 20 : -20
    else score += 1
  }
  return Math.max(score, -1)
}

function shapeOf(schema: SchemaObject, root: unknown): Shape {
  const shape = words(schema)
  const types = typesOf(schema)
  shape.nullable = types.includes('null') || schema.nullable === true
  const real = types.filter((type) => type !== 'null')

  const options = optionsOf(schema)
  if (options) {
    shape.options = options.filter((option) => option.value !== null)
    shape.nullable ||= shape.options.length < options.length
    return finish(shape, shape.options.length > 0 ? 'enum' : 'any', enumType(shape.options, real))
  }
  const union = unionOf(schema, root, real)
  if (union) {
    if (union.nullable) shape.nullable = true
    if (union.options) {
      shape.options = union.options
      return finish(shape, 'enum', enumType(union.options, real))
    }
    if (union.only) {
      const only = norm(union.only, root)
      return {
        ...only,
        ...definedWords(shape),
        nullable: shape.nullable || only.nullable,
        marked: shape.marked || only.marked,
      }
    }
    if (union.variants) {
      shape.variants = union.variants
      return finish(
        shape,
        'union',
        union.variants.length <= 3
          ? union.variants
              .map((variant) => norm(variant.schema, root).type)
              .filter((type, index, all) => all.indexOf(type) === index)
              .join(' | ')
          : 'any of',
      )
    }
  }
  if (real.length > 1 && !(real.length === 2 && real.includes('integer') && real.includes('number'))) {
    shape.variants = real.map((type) => ({
      label: type,
      schema: { ...schema, type, default: undefined, title: undefined, description: undefined },
    }))
    return finish(shape, 'union', real.length <= 3 ? real.join(' | ') : 'any of')
  }
  return ofOneType(shape, schema, real.length > 1 ? 'number' : (real[0] ?? inferred(schema)))
}

function ofOneType(shape: Shape, schema: SchemaObject, type: string): Shape {
  switch (type) {
    case 'string':
      return finish(shape, 'string', shape.format ? `string, ${shape.format}` : 'string')
    case 'number':
    case 'integer':
    case 'boolean':
      return finish(shape, type, type)
    case 'object':
      if (isFile(schema)) {
        shape.fields = FILE_FIELDS
        return finish(shape, 'file', 'file')
      }
      shape.fields = fieldsOf(schema)
      shape.extra = extraOf(schema, shape.fields.length)
      return finish(shape, 'object', 'object')
    case 'array': {
      const prefix = Array.isArray(schema.prefixItems)
        ? schema.prefixItems
        : Array.isArray(schema.items)
          ? schema.items
          : []
      shape.prefix = prefix.slice(0, 100).map(asSchema)
      const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items
      shape.items =
        rest === false ? null : shape.prefix.length > 0 && rest === undefined ? null : asSchema(rest)
      if (shape.prefix.length > 0) return finish(shape, 'tuple', 'tuple')
      const of = isRecord(shape.items) ? typesOf(shape.items) : []
      return finish(shape, 'array', of.length === 1 ? `array of ${of[0]}` : 'array')
    }
    default:
      return finish(shape, 'any', shape.remote ? '$ref' : 'any')
  }
}

/** A file of ours is asked for by its format; an object with members of its own is somebody else's. */
function isFile(schema: SchemaObject): boolean {
  const { properties } = schema
  return schema.format === 'file' && (!isRecord(properties) || Object.hasOwn(properties, '$file'))
}

/** What a file in a value holds. */
const FILE_FIELDS: readonly FieldOf[] = [
  { name: 'name', schema: { type: 'string' }, required: false },
  { name: 'mime', schema: { type: 'string' }, required: false },
  { name: 'size', schema: { type: 'integer' }, required: false },
  { name: '$file', schema: { type: 'string' }, required: true },
]

function finish(shape: Shape, kind: Kind, type: string): Shape {
  shape.kind = kind
  shape.type = type
  return shape
}

function words(schema: SchemaObject): Shape {
  const shape: Shape = {
    kind: 'any',
    nullable: false,
    type: 'any',
    examples: Array.isArray(schema.examples) ? schema.examples.slice(0, 5) : [],
    deprecated: schema.deprecated === true,
    readOnly: schema.readOnly === true,
    multiline: schema['x-multiline'] === true,
    marked: schema['x-expression'] === true,
    ...(typeof schema['x-accept'] === 'string' && { accept: schema['x-accept'] }),
    ...(typeof schema['x-placeholder'] === 'string' && { placeholder: schema['x-placeholder'] }),
    options: [],
    fields: [],
    extra: null,
    items: null,
    prefix: [],
    uniqueItems: schema.uniqueItems === true,
    variants: [],
  }
  for (const keyword of ['title', 'description', 'format', 'pattern'] as const) {
    const value = schema[keyword]
    if (typeof value === 'string' && value !== '') shape[keyword] = value
  }
  for (const keyword of [
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minItems',
    'maxItems',
  ] as const) {
    const value = schema[keyword]
    if (typeof value === 'number' && Number.isFinite(value)) shape[keyword] = value
  }
  if (schema.default !== undefined && schema.default !== null) shape.default = schema.default
  if (typeof schema['x-remote'] === 'string') shape.remote = schema['x-remote']
  return shape
}

function definedWords(shape: Shape): Partial<Shape> {
  const { title, description, default: preset } = shape
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
  }
}

function optionsOf(schema: SchemaObject): Option[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [option(schema.const, schema)]
  if (!Array.isArray(schema.enum)) return undefined
  const names = [schema['x-enum-titles'], schema.enumNames].find(Array.isArray) ?? []
  return schema.enum.map((value, index) => {
    const name: unknown = names[index]
    return { value, label: typeof name === 'string' ? name : plainLabel(value) }
  })
}

function option(value: unknown, schema: SchemaObject): Option {
  const label = typeof schema.title === 'string' ? schema.title : plainLabel(value)
  return typeof schema.description === 'string'
    ? { value, label, description: schema.description }
    : { value, label }
}

function plainLabel(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function enumType(options: readonly Option[], real: string[]): string {
  if (real.length === 1 && real[0]) return real[0]
  const types = new Set(options.map((option) => typeof option.value))
  const [only] = types
  return types.size === 1 && only ? only : 'enum'
}

interface Union {
  nullable: boolean
  options?: Option[]
  only?: JsonSchema
  variants?: Variant[]
}

function unionOf(schema: SchemaObject, root: unknown, real: string[]): Union | undefined {
  const listed = [schema.oneOf, schema.anyOf].find((list) => Array.isArray(list) && list.length > 0)
  if (!Array.isArray(listed)) return undefined
  const {
    oneOf: _one,
    anyOf: _any,
    title: _title,
    description: _description,
    default: _default,
    examples: _examples,
    ...base
  } = schema
  const all = listed.slice(0, 200).map((variant) => ({ variant, flat: flatten(variant, root) }))
  const some = all.filter(({ flat: schemaObject }) => !isNull(schemaObject))
  const nullable = some.length < all.length
  if (some.length === 0) return { nullable }
  // `anyOf: [{required: [a]}, {required: [b]}]` says which keys go together; it is no choice of shapes.
  if (
    (real.length > 0 || isRecord(base.properties)) &&
    some.every(
      ({ flat: schemaObject }) => !ASSERTIONS.some((keyword) => Object.hasOwn(schemaObject, keyword)),
    )
  ) {
    return { nullable }
  }
  const constants = some.map(({ flat: schemaObject }) =>
    Object.hasOwn(schemaObject, 'const') || (Array.isArray(schemaObject.enum) && schemaObject.enum.length > 0)
      ? optionsOf(schemaObject)
      : undefined,
  )
  if (constants.every((options) => options !== undefined)) return { nullable, options: constants.flat() }
  const together = (variant: unknown): JsonSchema =>
    Object.keys(base).length > 0 ? { allOf: [variant, base] } : asSchema(variant)
  const [first] = some
  if (some.length === 1 && first) return { nullable, only: together(first.variant) }
  return {
    nullable,
    variants: some.map(({ variant, flat: schemaObject }, index) => ({
      label: variantLabel(schemaObject, variant, index),
      schema: together(variant),
    })),
  }
}

function isNull(schema: SchemaObject): boolean {
  return (
    schema.type === 'null' ||
    schema.const === null ||
    (Array.isArray(schema.enum) && schema.enum.length === 1 && schema.enum[0] === null)
  )
}

function variantLabel(schema: SchemaObject, source: unknown, index: number): string {
  if (typeof schema.title === 'string' && schema.title !== '') return schema.title
  if (isRecord(schema.properties)) {
    for (const [name, inner] of Object.entries(schema.properties).slice(0, 50)) {
      const constant = member(inner, 'const')
      if (typeof constant === 'string') return `${name}: ${constant}`
    }
  }
  const reference = member(source, '$ref')
  if (typeof reference === 'string') return reference.split('/').at(-1) || `${index + 1}`
  const types = typesOf(schema).filter((type) => type !== 'null')
  if (types.length === 1 && types[0]) {
    const detail = typeof schema.format === 'string' ? `, ${schema.format}` : ''
    const items = isRecord(schema.items) ? typesOf(schema.items)[0] : undefined
    return types[0] === 'array' && items ? `array of ${items}` : `${types[0]}${detail}`
  }
  return isRecord(schema.properties) ? 'object' : `${index + 1}`
}

function inferred(schema: SchemaObject): string {
  const has = (...keywords: string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword))
  if (
    has('properties', 'patternProperties', 'minProperties', 'maxProperties') ||
    isRecord(schema.additionalProperties)
  )
    return 'object'
  if (has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array'
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return 'number'
  if (has('minLength', 'maxLength', 'pattern', 'format')) return 'string'
  return 'any'
}

function fieldsOf(schema: SchemaObject): FieldOf[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const fields = Object.entries(properties).map(([name, inner]) => ({
    name,
    schema: asSchema(inner),
    required: required.has(name),
  }))
  const listed = new Set(fields.map((field) => field.name))
  // A required key that no property describes still has to be given.
  for (const name of required) {
    if (typeof name === 'string' && !listed.has(name) && listed.size < 10_000) {
      fields.push({ name, schema: extraOf(schema, 0) ?? true, required: true })
      listed.add(name)
    }
  }
  return fields
}

function extraOf(schema: SchemaObject, fields: number): JsonSchema | null {
  if (schema.additionalProperties === false) {
    const [pattern] = isRecord(schema.patternProperties) ? Object.values(schema.patternProperties) : []
    return pattern === undefined ? null : asSchema(pattern)
  }
  if (isRecord(schema.additionalProperties)) return schema.additionalProperties
  const [pattern] = isRecord(schema.patternProperties) ? Object.values(schema.patternProperties) : []
  if (pattern !== undefined) return asSchema(pattern)
  // `additionalProperties: true` beside listed fields is what most generators write and nobody means; an object that
  // lists none is free, unless it says `properties: {}` (a tool without arguments).
  return fields === 0 && (schema.additionalProperties === true || !isRecord(schema.properties)) ? true : null
}

function asSchema(schema: unknown): JsonSchema {
  return isRecord(schema) || schema === false ? schema : true
}
