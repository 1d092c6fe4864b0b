/** The limits of a field in words, and the sentences for what the local check found. */

import type { FieldErrors } from '@/forms/context'
import { toPointer } from '@/forms/pointer'
import { type Translate, useT } from '@/i18n'
import { check, type Finding } from './check'
import type { Shape } from './schema'

/** `1 to 999,999 · default 5000`; undefined when there is nothing to say. */
export function useConstraints(shape: Shape): string | undefined {
  const t = useT()
  const hints = [...numeric(shape, t), ...textual(shape, t), ...counted(shape, t)]
  // A choice and a switch say their default themselves.
  const text = shape.kind === 'enum' || shape.kind === 'boolean'
  if (shape.default !== undefined && shape.default !== null && shape.default !== '' && !text)
    hints.push(t('forms.default_is', { value: brief(shape.default) }))
  else if (shape.examples.length > 0) hints.push(t('forms.example', { value: brief(shape.examples[0]) }))
  return hints.length > 0 ? hints.join(' · ') : undefined
}

/** A short text of a value, for placeholders and hints; numbers as they are, so that `5000` can be typed again. */
export function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function numeric(shape: Shape, t: Translate): string[] {
  const hints: string[] = []
  const { minimum: min, maximum: max, exclusiveMinimum: over, exclusiveMaximum: under } = shape
  if (min !== undefined && max !== undefined) hints.push(t('forms.range', { min, max }))
  else if (min !== undefined) hints.push(t('forms.at_least', { min }))
  else if (max !== undefined) hints.push(t('forms.at_most', { max }))
  if (over !== undefined) hints.push(t('forms.more_than', { min: over }))
  if (under !== undefined) hints.push(t('forms.less_than', { max: under }))
  if (shape.multipleOf !== undefined && shape.multipleOf !== 1)
    hints.push(t('forms.multiple_of', { step: shape.multipleOf }))
  return hints
}

function textual(shape: Shape, t: Translate): string[] {
  const hints: string[] = []
  const { minLength: min, maxLength: max } = shape
  if (min !== undefined && min > 1 && max !== undefined) hints.push(t('forms.length_range', { min, max }))
  else if (min !== undefined && min > 1) hints.push(t('forms.length_min', { min }))
  else if (max !== undefined) hints.push(t('forms.length_max', { max }))
  if (shape.pattern !== undefined) hints.push(t('forms.matches', { pattern: brief(shape.pattern) }))
  return hints
}

function counted(shape: Shape, t: Translate): string[] {
  const hints: string[] = []
  const { minItems: min, maxItems: max } = shape
  if (min !== undefined && min > 0 && max !== undefined) hints.push(t('forms.items_range', { min, max }))
  else if (min !== undefined && min > 0) hints.push(t('forms.items_min', { n: min }))
  else if (max !== undefined) hints.push(t('forms.items_max', { n: max }))
  if (shape.uniqueItems) hints.push(t('forms.unique'))
  return hints
}

const SENTENCES = {
  minimum: 'forms.err_minimum',
  maximum: 'forms.err_maximum',
  exclusiveMinimum: 'forms.err_exclusiveMinimum',
  exclusiveMaximum: 'forms.err_exclusiveMaximum',
  multipleOf: 'forms.err_multipleOf',
  minLength: 'forms.err_minLength',
  maxLength: 'forms.err_maxLength',
  pattern: 'forms.err_pattern',
  format: 'forms.err_format',
  minItems: 'forms.err_minItems',
  maxItems: 'forms.err_maxItems',
} as const

/**
 * What the local check says, by pointer; a missing key is said at the field that is missing. With `required: false`
 * missing keys are not said: a form that was just opened need not be red.
 */
export function localErrors(
  schema: unknown,
  value: unknown,
  t: Translate,
  { required = true }: { required?: boolean } = {},
): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const finding of check(schema, value)) {
    if (!required && finding.keyword === 'required') continue
    const pointer =
      finding.name === undefined ? finding.pointer : `${finding.pointer}${toPointer([finding.name])}`
    const sentence = sentenceOf(finding, t)
    const error = errors[pointer] ?? []
    if (!error.includes(sentence)) error.push(sentence)
    errors[pointer] = error
  }
  return errors
}

function sentenceOf(finding: Finding, t: Translate): string {
  const { keyword, limit } = finding
  if (keyword in SENTENCES && (typeof limit === 'number' || typeof limit === 'string')) {
    return t(SENTENCES[keyword as keyof typeof SENTENCES], { limit })
  }
  switch (keyword) {
    case 'required':
      return t('forms.err_required')
    case 'type':
      return t('forms.err_type', { type: Array.isArray(limit) ? limit.join(' | ') : String(limit) })
    case 'enum':
    case 'const':
      return t('forms.err_enum')
    case 'uniqueItems':
      return t('forms.err_uniqueItems')
    case 'variant':
      return t('forms.err_variant')
    case 'forbidden':
      return t('forms.err_forbidden')
    default:
      return t('forms.err_other', { keyword })
  }
}

/**
 * The server's `fields` (`{"inputs.n": [...]}`) as pointers below `prefix`: `fieldErrors(fields, 'inputs')['/n']`.
 * Fields outside of the prefix are left out.
 */
export function fieldErrors(fields: FieldErrors | undefined, prefix = ''): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const [name, sentences] of Object.entries(fields ?? {})) {
    if (prefix !== '' && name !== prefix && !name.startsWith(`${prefix}.`)) continue
    const rest = prefix === '' ? name : name.slice(prefix.length + 1)
    errors[rest === '' ? '' : toPointer(rest.split('.'))] = [...sentences]
  }
  return errors
}
