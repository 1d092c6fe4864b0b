/** The inputs of a start node as an object schema, changed one input at a time. Keywords nobody edits here are kept. */
import { isRecord } from '@/forms'

type Schema = Record<string, unknown>

export const INPUT_TYPES = [
  'text',
  'long_text',
  'number',
  'integer',
  'boolean',
  'choice',
  'list',
  'object',
  'date',
  'file',
] as const
export type InputType = (typeof INPUT_TYPES)[number]

export function propertiesOf(schema: Schema): Record<string, unknown> {
  return isRecord(schema.properties) ? schema.properties : {}
}

export function requiredOf(schema: Schema): string[] {
  return Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : []
}

function rebuilt(schema: Schema, properties: Record<string, unknown>, required: readonly string[]): Schema {
  const { required: _before, ...rest } = schema
  const declared = required.filter((name) => Object.hasOwn(properties, name))
  return { ...rest, type: 'object', properties, ...(declared.length > 0 && { required: declared }) }
}

/** Adds an input, or changes one. */
export function withInput(schema: Schema, name: string, property: Schema): Schema {
  return rebuilt(schema, { ...propertiesOf(schema), [name]: property }, requiredOf(schema))
}

export function removeInput(schema: Schema, name: string): Schema {
  return rebuilt(
    schema,
    Object.fromEntries(Object.entries(propertiesOf(schema)).filter(([key]) => key !== name)),
    requiredOf(schema),
  )
}

/** Renames an input in its place; expressions that read it are not touched. */
export function renameInput(schema: Schema, name: string, to: string): Schema {
  const properties = Object.fromEntries(
    Object.entries(propertiesOf(schema)).map(([key, inner]) => [key === name ? to : key, inner]),
  )
  return rebuilt(
    schema,
    properties,
    requiredOf(schema).map((text) => (text === name ? to : text)),
  )
}

export function moveInput(schema: Schema, name: string, by: number): Schema {
  const entries = Object.entries(propertiesOf(schema))
  const from = entries.findIndex(([key]) => key === name)
  const to = from + by
  if (from === -1 || to < 0 || to >= entries.length) return schema
  entries.splice(to, 0, ...entries.splice(from, 1))
  return rebuilt(schema, Object.fromEntries(entries), requiredOf(schema))
}

export function setRequired(schema: Schema, name: string, required: boolean): Schema {
  const others = requiredOf(schema).filter((text) => text !== name)
  return rebuilt(schema, propertiesOf(schema), required ? [...others, name] : others)
}

export function schemaOfType(type: InputType): Schema {
  switch (type) {
    case 'text':
      return { type: 'string' }
    case 'long_text':
      return { type: 'string', format: 'multiline' }
    case 'date':
      return { type: 'string', format: 'date' }
    case 'choice':
      return { type: 'string', enum: ['a', 'b'] }
    case 'file':
      return { type: 'object', format: 'file' }
    case 'list':
      return { type: 'array', items: { type: 'string' } }
    default:
      return { type }
  }
}

/** Which row type a property is; `other` where a row could not say all of it. */
export function typeOfInput(property: Schema): InputType | 'other' {
  const { type, format } = property
  if (['$ref', 'oneOf', 'anyOf', 'allOf', 'const'].some((keyword) => Object.hasOwn(property, keyword)))
    return 'other'
  if (Array.isArray(property.enum)) return 'choice'
  switch (type) {
    case 'string':
      if (format === 'multiline') return 'long_text'
      return format === 'date' ? 'date' : format === undefined ? 'text' : 'other'
    case 'number':
    case 'integer':
    case 'boolean':
      return type
    case 'array':
      return isRecord(property.items) && property.items.type === 'string' ? 'list' : 'other'
    case 'object':
      if (isRecord(property.properties)) return 'other'
      return format === 'file' ? 'file' : format === undefined ? 'object' : 'other'
    default:
      return 'other'
  }
}
