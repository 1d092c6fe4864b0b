/** A schema as one object: references followed, `allOf` merged. Never throws, whatever it is given. */
import { fromPointer, isRecord, member, same } from '@/forms/pointer'

export type SchemaObject = { readonly [keyword: string]: unknown }

const MOST_REFS = 32
const MOST_PARTS = 64
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** The schema with references followed and `allOf` merged; a plain object that may be looked at keyword by keyword. */
export function flatten(schema: unknown, root: unknown): SchemaObject {
  const budget = { refs: MOST_REFS, parts: MOST_PARTS }
  return flat(schema, root, budget, new Set())
}

function flat(
  schema: unknown,
  root: unknown,
  budget: { refs: number; parts: number },
  seen: ReadonlySet<unknown>,
): SchemaObject {
  if (!isRecord(schema) || seen.has(schema) || budget.parts-- <= 0) return {}
  const onTheWay = new Set(seen).add(schema)
  const { $ref, $dynamicRef, $recursiveRef, allOf, ...own } = schema
  let result: SchemaObject = own
  const reference = [$ref, $dynamicRef, $recursiveRef].find((entry) => typeof entry === 'string')
  if (typeof reference === 'string') {
    const target = budget.refs-- > 0 ? locate(reference, root) : undefined
    result =
      target === undefined
        ? { ...result, 'x-remote': reference }
        : merge(result, flat(target, root, budget, onTheWay))
  }
  if (Array.isArray(allOf))
    for (const part of allOf) result = merge(result, flat(part, root, budget, onTheWay))
  return result
}

/** What a `$ref` names, if it lies in the document. */
export function locate(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined
  if (reference === '#' || reference.startsWith('#/')) {
    let here: unknown = root
    for (const key of fromPointer(reference)) here = member(here, key)
    return here
  }
  const anchor = reference.slice(1)
  for (const keyword of ['$defs', 'definitions']) {
    const definitions = member(root, keyword)
    if (!isRecord(definitions)) continue
    for (const definition of Object.values(definitions)) {
      if (
        member(definition, '$anchor') === anchor ||
        member(definition, '$dynamicAnchor') === anchor ||
        member(definition, '$id') === reference
      )
        return definition
    }
  }
  return undefined
}

/** Both must hold; `a` wins where only words are concerned. */
function merge(a: SchemaObject, b: SchemaObject): SchemaObject {
  const result: Record<string, unknown> = { ...b, ...a }
  if (isRecord(a.properties) && isRecord(b.properties)) {
    const properties: Record<string, unknown> = { ...a.properties }
    for (const [name, schema] of Object.entries(b.properties)) {
      properties[name] =
        Object.hasOwn(properties, name) && !same(properties[name], schema)
          ? { allOf: [properties[name], schema] }
          : schema
    }
    result.properties = properties
  }
  if (Array.isArray(a.required) && Array.isArray(b.required)) result.required = [...a.required, ...b.required]
  if (Array.isArray(a.enum) && Array.isArray(b.enum)) {
    const others = b.enum
    result.enum = a.enum.filter((entry) => others.some((other) => same(entry, other)))
  }
  const [typesA, typesB] = [typesOf(a), typesOf(b)]
  if (typesA.length > 0 && typesB.length > 0) {
    const both = typesA.filter(
      (type) => typesB.includes(type) || (type === 'integer' && typesB.includes('number')),
    )
    const wider = typesB.filter((type) => type === 'integer' && typesA.includes('number'))
    const types = both.length > 0 ? both : wider
    if (types.length > 0) result.type = types.length === 1 ? types[0] : types
  }
  for (const keyword of ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'])
    pick(result, keyword, a, b, Math.max)
  for (const keyword of ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'])
    pick(result, keyword, a, b, Math.min)
  return result
}

function pick(
  into: Record<string, unknown>,
  keyword: string,
  a: SchemaObject,
  b: SchemaObject,
  choose: (x: number, y: number) => number,
) {
  const [x, y] = [a[keyword], b[keyword]]
  if (typeof x === 'number' && typeof y === 'number') into[keyword] = choose(x, y)
}

/** The types that a schema names, of those there are. */
export function typesOf(schema: SchemaObject): string[] {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  return types.filter((type): type is string => typeof type === 'string' && TYPES.includes(type))
}
