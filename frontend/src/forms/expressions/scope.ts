/**
 * What an expression may refer to: the names upstream of a field, with their schema, their last value and their words.
 *
 * A tree whose branches are made when they are opened: a node's children are the properties of its schema together
 * with what its last value really holds, since many tools declare no output schema.
 */
import type { Key, Path } from '@/forms/pointer'
import { isRecord, member } from '@/forms/pointer'
import { type JsonSchema, norm } from '@/forms/schema/schema'

export interface ScopeNode {
  /** The last segment, as people read it. */
  name: string
  /** As an expression names it: `['git_log', 'result']`. */
  path: Path
  schema?: JsonSchema
  /** The document in which the schema's references are looked up; the schema itself where absent. */
  root?: JsonSchema
  /** From the last run; undefined when no run has shown one. */
  value?: unknown
  description?: string
}

export interface ScopeGroup {
  /** Unique among the groups: a node's id, `sys`, `vars`, `env`. */
  key: string
  title: string
  /** A node's type, for its icon; absent for sys, env and vars. */
  nodeType?: string
  /** Where the values are from: `v7 run · 2 h ago`. */
  note?: string
  names: readonly ScopeNode[]
}

export interface Scope {
  groups: readonly ScopeGroup[]
  /** Whose field it is, for the head of the completion list. */
  owner?: string
}

export const EMPTY_SCOPE: Scope = { groups: [] }

const MOST_CHILDREN = 200

/** The names under `node`, of its schema first and then what its value has beside. At most 200. */
export function childrenOf(node: ScopeNode): ScopeNode[] {
  const root = node.root ?? node.schema
  const children = new Map<string, ScopeNode>()
  const add = (key: Key, schema: JsonSchema | undefined, description?: string) => {
    if (children.size >= MOST_CHILDREN || children.has(String(key))) return
    const child: ScopeNode = { name: String(key), path: [...node.path, key] }
    if (schema !== undefined) Object.assign(child, { schema, root })
    const value = member(node.value, key)
    if (value !== undefined) child.value = value
    if (description) child.description = description
    children.set(String(key), child)
  }
  const shape = node.schema === undefined ? undefined : norm(node.schema, root)
  for (const field of shape?.fields.slice(0, MOST_CHILDREN) ?? [])
    add(field.name, field.schema, norm(field.schema, root).description)
  shape?.prefix.forEach((schema, index) => {
    add(index, schema)
  })
  const items = shape?.kind === 'array' && shape.items !== null ? shape.items : undefined
  if (Array.isArray(node.value))
    for (let index = 0; index < Math.min(node.value.length, MOST_CHILDREN); index++) add(index, items)
  else if (isRecord(node.value))
    for (const key of Object.keys(node.value).slice(0, MOST_CHILDREN)) add(key, shape?.extra ?? undefined)
  else if (items !== undefined) add(0, items)
  return [...children.values()]
}

export function hasChildren(node: ScopeNode): boolean {
  if (Array.isArray(node.value)) return node.value.length > 0
  if (isRecord(node.value)) return Object.keys(node.value).length > 0
  if (node.schema === undefined || node.value !== undefined) return false
  const shape = norm(node.schema, node.root ?? node.schema)
  return (
    shape.fields.length > 0 || shape.prefix.length > 0 || (shape.kind === 'array' && shape.items !== null)
  )
}

export type Standing = 'known' | 'unknown'

/**
 * Whether `path` names something that can exist. A schema that does not forbid further keys leaves what lies below it
 * open, so only names of nodes, their outputs, and keys of closed or scalar values can be unknown.
 */
export function standing(scope: Scope, path: Path): Standing {
  return find(scope, path) === undefined ? 'unknown' : 'known'
}

/** The node at `path`, with as much of schema and value as is known; undefined when there can be none. */
export function find(scope: Scope, path: Path): ScopeNode | undefined {
  const [first] = path
  if (first === undefined) return undefined
  for (const group of scope.groups) {
    for (const name of group.names) {
      if (
        name.path.length <= path.length &&
        name.path.every((key, index) => String(key) === String(path[index]))
      ) {
        return descend(name, path.slice(name.path.length))
      }
    }
  }
  return whole(scope, path)
}

/** A name that is only a beginning of the scope's names (`{{ git_log }}`) is the object of all of them. */
function whole(scope: Scope, path: Path): ScopeNode | undefined {
  const under = scope.groups.flatMap((group) =>
    group.names.filter(
      (name) =>
        name.path.length > path.length &&
        path.every((key, index) => String(key) === String(name.path[index])),
    ),
  )
  if (under.length === 0) return undefined
  const node: ScopeNode = { name: String(path.at(-1)), path }
  const values = under
    .filter((name) => name.value !== undefined)
    .map((name) => [String(name.path[path.length]), name.value] as const)
  if (values.length > 0) node.value = Object.fromEntries(values)
  const schemas = under.map((name) => [String(name.path[path.length]), name.schema ?? true] as const)
  node.schema = { type: 'object', properties: Object.fromEntries(schemas) }
  return node
}

function descend(from: ScopeNode, rest: Path): ScopeNode | undefined {
  let node = from
  for (const key of rest) {
    const next = step(node, key)
    if (next === undefined) return undefined
    node = next
  }
  return node
}

function step(node: ScopeNode, key: Key): ScopeNode | undefined {
  const value = member(node.value, key)
  const child: ScopeNode = { name: String(key), path: [...node.path, key] }
  if (value !== undefined) child.value = value
  const root = node.root ?? node.schema
  const schema = node.schema === undefined ? true : inside(node.schema, root, key)
  if (schema === undefined && value === undefined) return undefined
  if (schema !== undefined && schema !== true) Object.assign(child, { schema, root })
  return child
}

/** The schema of a member; `true` when nothing forbids it, undefined when there can be none. */
function inside(schema: JsonSchema, root: JsonSchema | undefined, key: Key): JsonSchema | undefined {
  const shape = norm(schema, root)
  const index = /^\d+$/.test(String(key)) ? Number(key) : undefined
  switch (shape.kind) {
    case 'file':
    case 'object': {
      const field = shape.fields.find((field) => field.name === String(key))
      if (field) return field.schema
      return shape.extra ?? (member(schema, 'additionalProperties') === false ? undefined : true)
    }
    case 'array':
      return index === undefined ? undefined : (shape.items ?? undefined)
    case 'tuple':
      return index === undefined ? undefined : (shape.prefix[index] ?? shape.items ?? undefined)
    case 'union': {
      for (const variant of shape.variants.slice(0, 20)) {
        const jsonSchema = inside(variant.schema, root, key)
        if (jsonSchema !== undefined) return jsonSchema
      }
      return undefined
    }
    case 'any':
      return true
    case 'enum':
      return shape.options.some((option) => isRecord(option.value) || Array.isArray(option.value))
        ? true
        : undefined
    default:
      return undefined
  }
}

/** The word for what a node holds: its schema's type, else its value's. */
export function typeOf(node: ScopeNode): string {
  if (node.value !== undefined && node.value !== null) return jsonType(node.value)
  if (node.schema !== undefined) return norm(node.schema, node.root ?? node.schema).type
  return 'any'
}

export function jsonType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}
