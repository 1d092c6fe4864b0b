/**
 * The fields of a form, of the schema that its workflow declares, and what is typed in them as values. Pure.
 *
 * One level is shown; what is an object or a list of anything but texts is typed as JSON. The server has the last word.
 */
import type { Words } from './words'

export type FieldKind =
  | 'text'
  | 'lines'
  | 'number'
  | 'integer'
  | 'switch'
  | 'choice'
  | 'list'
  | 'json'
  | 'file'
  | 'files'

export interface Field {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly kind: FieldKind
  readonly required: boolean
  /** Of a choice. */
  readonly options: readonly { readonly label: string; readonly value: unknown }[]
  /** What stands in it at first, as it is typed. */
  readonly first: string
  /** `email`, `date` and the like. */
  readonly format: string
  /** Of files: which, as HTML says it. */
  readonly accept: string
}

type Schema = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export function fieldsOf(schema: unknown): readonly Field[] {
  if (!isObject(schema) || !isObject(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).map(([name, about]) =>
    fieldOf(name, isObject(about) ? about : {}, required.includes(name)),
  )
}

function fieldOf(name: string, about: Schema, required: boolean): Field {
  const kind = kindOf(about)
  const options = (Array.isArray(about.enum) ? about.enum : []).map((value) => ({
    label: typeof value === 'string' ? value : JSON.stringify(value),
    value,
  }))
  return {
    name,
    label: text(about.title) || name,
    hint: text(about.description),
    kind,
    required,
    options,
    first: firstOf(kind, about.default, options),
    format: text(about.format),
    accept: text(kind === 'files' && isObject(about.items) ? about.items['x-accept'] : about['x-accept']),
  }
}

function typeOf(about: Schema): string {
  const types = Array.isArray(about.type) ? about.type.filter((name) => name !== 'null') : [about.type]
  return types.length === 1 ? text(types[0]) : ''
}

function kindOf(about: Schema): FieldKind {
  if (Array.isArray(about.enum)) return 'choice'
  if (isFile(about)) return 'file'
  switch (typeOf(about)) {
    case 'string':
      return about['x-multiline'] === true || Number(about.maxLength) > 400 ? 'lines' : 'text'
    case 'number':
      return 'number'
    case 'integer':
      return 'integer'
    case 'boolean':
      return 'switch'
    case 'array': {
      const items = isObject(about.items) ? about.items : {}
      if (isFile(items)) return 'files'
      return typeOf(items) === 'string' && !Array.isArray(items.enum) ? 'list' : 'json'
    }
    default:
      return 'json'
  }
}

const isOfFiles = (kind: FieldKind): boolean => kind === 'file' || kind === 'files'
const isFile = (about: Schema): boolean => about.format === 'file'

function firstOf(kind: FieldKind, value: unknown, options: Field['options']): string {
  if (value === undefined || value === null || isOfFiles(kind)) return ''
  if (kind === 'choice') {
    const index = options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value))
    return index < 0 ? '' : String(index)
  }
  if (kind === 'list' && Array.isArray(value)) return value.join('\n')
  if (kind === 'json') return JSON.stringify(value, null, 2)
  return String(value)
}

export type Typed = Readonly<Record<string, string>>
/** The files that were chosen, by field. */
export type Chosen = Readonly<Record<string, readonly File[]>>
export type Problems = Readonly<Record<string, string>>

/** What is typed as values; what was left empty is not there. */
export function valuesOf(fields: readonly Field[], typed: Typed, words: Words, chosen: Chosen = {}) {
  const values: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const field of fields) {
    const value = typed[field.name] ?? ''
    if (field.kind === 'switch') values[field.name] = value === 'true'
    else if (isOfFiles(field.kind)) {
      if (field.required && !chosen[field.name]?.length) problems[field.name] = words.choose_file
    } else if (value.trim() === '') {
      if (field.required) problems[field.name] = field.kind === 'choice' ? words.choose : words.required
    } else read(field, value, words, values, problems)
  }
  return { values, problems: problems as Problems }
}

function read(
  field: Field,
  given: string,
  words: Words,
  values: Record<string, unknown>,
  problems: Record<string, string>,
): void {
  const { name, kind } = field
  if (kind === 'number' || kind === 'integer') {
    const value = Number(given.trim().replace(',', '.'))
    if (!Number.isFinite(value)) problems[name] = words.not_number
    else if (kind === 'integer' && !Number.isInteger(value)) problems[name] = words.not_whole
    else values[name] = value
  } else if (kind === 'choice') values[name] = field.options[Number(given)]?.value
  else if (kind === 'list') {
    values[name] = given
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  } else if (kind === 'json') {
    try {
      values[name] = JSON.parse(given)
    } catch {
      problems[name] = words.not_json
    }
  } else values[name] = given
}

const MB = 1024 * 1024

/** What is wrong with files that are too large together: said of the field with the largest of them. */
export function tooLarge(chosen: Chosen, most: number, words: Words): Problems {
  const files = Object.entries(chosen).flatMap(([name, list]) =>
    list.map((file) => ({ name, size: file.size })),
  )
  if (files.reduce((sum, { size }) => sum + size, 0) <= most * MB) return {}
  const [largest] = files.sort((a, b) => b.size - a.size)
  return largest ? { [largest.name]: words.too_large.replace('{n}', String(most)) } : {}
}

/** What the server says against a field: `inputs.name` and all below it. */
export function problemsIn(
  refused: Readonly<Record<string, readonly string[]>>,
  fields: readonly Field[],
): Problems {
  const entries = Object.entries(refused)
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const path = `inputs.${name}`
      const against = entries.filter(([key]) => key === path || key.startsWith(`${path}.`))
      return against.length ? [[name, against.flatMap(([, texts]) => texts).join(' ')]] : []
    }),
  )
}
