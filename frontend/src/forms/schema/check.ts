/**
 * The quick check in the browser, so that a wrong value is said at its field before the server is asked.
 *
 * The server stays the authority. Therefore everything hostile is simply left to it: patterns that could backtrack for
 * minutes are dropped, very large schemas are not checked at all, and whatever the validator cannot digest counts as
 * fine. Values that hold expressions are not known yet: they are taken out first, and nothing is said about them.
 */
import { type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema'
import { isTemplate } from '@/forms/expressions/expression'
import { fromPointer, isRecord, member, toPointer } from '@/forms/pointer'
import { locate } from './flatten'

export interface Finding {
  /** JSON pointer into the value. */
  pointer: string
  keyword: string
  /** The keyword's value, for the sentence (`minimum: 3`). */
  limit: unknown
  /** The missing or forbidden key. */
  name?: string
}

const MOST_NODES = 20_000
const APPLICATORS = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'allOf',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'if',
  'then',
  'else',
  'contains',
  'dependentSchemas',
  'dependencies',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
])

const validators = new WeakMap<object, Validator | null>()

/** What is wrong with `value`, one finding per place and keyword. */
export function check(schema: unknown, value: unknown): Finding[] {
  if (!isRecord(schema)) return []
  const validator = validatorOf(schema)
  if (!validator) return []
  const open = new Set<string>()
  const known = withoutExpressions(value, [], open)
  let errors: OutputUnit[]
  try {
    errors = validator.validate(known).errors
  } catch {
    // A `$ref` that leads nowhere or a keyword of the wrong type: the server says so when it is asked.
    return []
  }
  return leaves(schema, errors).filter((finding) => !concerns(finding, open))
}

function validatorOf(schema: object): Validator | null {
  const before = validators.get(schema)
  if (before !== undefined) return before
  const budget = { nodes: MOST_NODES }
  const safe = defused(schema, budget)
  let validator: Validator | null = null
  if (budget.nodes > 0 && isRecord(safe)) {
    try {
      validator = new Validator(safe, draftOf(schema), false)
    } catch {
      // Two schemas with one `$id`, a `$ref` that is no text: not ours to judge.
      validator = null
    }
  }
  validators.set(schema, validator)
  return validator
}

function draftOf(schema: object): SchemaDraft {
  const named = member(schema, '$schema')
  if (typeof named === 'string') {
    if (named.includes('draft-04')) return '4'
    if (named.includes('draft-07') || named.includes('draft-06')) return '7'
    if (named.includes('2019-09')) return '2019-09'
  }
  return '2020-12'
}

/** A copy without what could hang the page: dangerous patterns; and, when it is too large, nothing useful. */
function defused(schema: unknown, budget: { nodes: number }): unknown {
  if (budget.nodes-- <= 0) return true
  if (Array.isArray(schema)) return schema.map((entry) => defused(entry, budget))
  if (!isRecord(schema)) return schema
  const entries: [string, unknown][] = []
  for (const [key, inner] of Object.entries(schema)) {
    if (key === 'pattern' && typeof inner === 'string' && !harmless(inner)) continue
    if (key === 'patternProperties' && isRecord(inner) && !Object.keys(inner).every(harmless)) continue
    // An address is only a name here; a foreign one must not make the validator look for the others.
    if (key === '$id' || key === '$schema') continue
    if (key === 'const' || key === 'enum' || key === 'default' || key === 'examples') {
      entries.push([key, inner])
      continue
    }
    entries.push([key, defused(inner, budget)])
  }
  return Object.fromEntries(entries)
}

/** Patterns that run in linear time for sure: no quantified group, no back reference, at most two open repeats. */
export function harmless(pattern: string): boolean {
  if (pattern.length > 500) return false
  if (/\\[1-9]|\\k<|\(\?[=!<]/.test(pattern)) return false
  const plain = pattern.replace(/\\./g, 'x').replace(/\[(?:[^\]])*\]/g, 'x')
  if (/\)(?:[*+]|\{\d+,)/.test(plain)) return false
  if ((plain.match(/[*+]|\{\d+,\d*\}/g) ?? []).length > 2) return false
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

/** The value with expressions taken out: members removed, items null. Their pointers are collected in `open`. */
function withoutExpressions(value: unknown, path: (string | number)[], open: Set<string>): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      const inner = [...path, index]
      if (!isTemplate(item)) return withoutExpressions(item, inner, open)
      open.add(toPointer(inner))
      return null
    })
  }
  if (!isRecord(value)) {
    if (isTemplate(value)) open.add(toPointer(path))
    return isTemplate(value) ? null : value
  }
  const entries: [string, unknown][] = []
  for (const [key, inner] of Object.entries(value)) {
    if (isTemplate(inner)) open.add(toPointer([...path, key]))
    else entries.push([key, withoutExpressions(inner, [...path, key], open)])
  }
  return Object.fromEntries(entries)
}

/** Whether a finding speaks of a value that an expression will give, or of one whose shape depends on it. */
function concerns(finding: Finding, open: ReadonlySet<string>): boolean {
  if (open.size === 0) return false
  if (
    finding.name !== undefined &&
    finding.keyword === 'required' &&
    open.has(`${finding.pointer}${toPointer([finding.name])}`)
  )
    return true
  for (const pointer of open) {
    if (finding.pointer === pointer || finding.pointer.startsWith(`${pointer}/`)) return true
    const around = pointer.startsWith(`${finding.pointer}/`)
    if (
      around &&
      ['variant', 'enum', 'const', 'not', 'uniqueItems', 'minProperties', 'dependentRequired'].includes(
        finding.keyword,
      )
    )
      return true
  }
  return false
}

/** The errors that say something by themselves; of a union, those of the one variant that the value was meant to be. */
function leaves(schema: unknown, errors: readonly OutputUnit[]): Finding[] {
  const findings = new Map<string, Finding>()
  const keep = (finding: Finding) => {
    const key = `${finding.pointer} ${finding.keyword} ${finding.name ?? ''}`
    if (!findings.has(key)) findings.set(key, finding)
  }
  const unions = errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf')
  const inUnion = (error: OutputUnit) =>
    unions.find((union) => error.keywordLocation.startsWith(`${union.keywordLocation}/`))
  for (const error of errors) {
    if (APPLICATORS.has(error.keyword) || unions.includes(error)) continue
    if (!inUnion(error)) keep(finding(schema, error))
  }
  for (const union of unions) {
    if (
      unions.some((outer) => outer !== union && union.keywordLocation.startsWith(`${outer.keywordLocation}/`))
    )
      continue
    const meant = meantVariant(union, errors)
    if (meant.length === 0)
      keep({ pointer: toPointer(fromPointer(union.instanceLocation)), keyword: 'variant', limit: undefined })
    for (const error of meant) keep(finding(schema, error))
  }
  return [...findings.values()]
}

function meantVariant(union: OutputUnit, errors: readonly OutputUnit[]): OutputUnit[] {
  const variants = new Map<string, OutputUnit[]>()
  for (const error of errors) {
    if (!error.keywordLocation.startsWith(`${union.keywordLocation}/`)) continue
    const [index = ''] = error.keywordLocation.slice(union.keywordLocation.length + 1).split('/')
    if (APPLICATORS.has(error.keyword) || error.keyword === 'anyOf' || error.keyword === 'oneOf') continue
    variants.set(index, [...(variants.get(index) ?? []), error])
  }
  const mismatch = (error: OutputUnit) =>
    error.instanceLocation === union.instanceLocation && ['type', 'enum', 'const'].includes(error.keyword)
  const wrongConstant = (error: OutputUnit) => error.keyword === 'const'
  const meant = [...variants.values()].filter(
    (variant) => !variant.some((error) => mismatch(error) || wrongConstant(error)),
  )
  return meant.length === 1 ? (meant[0] ?? []) : []
}

function finding(schema: unknown, error: OutputUnit): Finding {
  const pointer = toPointer(fromPointer(error.instanceLocation))
  const limit = keywordAt(schema, error.keywordLocation)
  if (error.keyword === 'false') return { pointer, keyword: 'forbidden', limit }
  if (error.keyword === 'required') {
    const name = /property "([\s\S]*)"\.?$/.exec(error.error)?.[1]
    return name === undefined
      ? { pointer, keyword: 'required', limit }
      : { pointer, keyword: 'required', limit, name }
  }
  return { pointer, keyword: error.keyword, limit }
}

/** The value of the keyword that failed; `$ref` on the way is followed. */
function keywordAt(schema: unknown, location: string): unknown {
  let here: unknown = schema
  for (const key of fromPointer(location)) {
    const next = member(here, key)
    here = key === '$ref' && typeof next === 'string' ? locate(next, schema) : next
  }
  return here
}
