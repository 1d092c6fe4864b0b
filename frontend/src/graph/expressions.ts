/**
 * Finding and rewriting references inside `{{ … }}` and `{{#…#}}`.
 *
 * This is only enough to know which nodes a text speaks of and to rename them; evaluating is the server's work.
 */
import type { GraphNode } from './types'

/** Names with a meaning of their own in expressions; no node may be called so. */
export const RESERVED: ReadonlySet<string> = new Set([
  'sys',
  'env',
  'vars',
  'item',
  'index',
  'loop',
  'true',
  'false',
  'null',
  'none',
])

/** Words of Jinja2 statements. A node may be called so, but new ones are not. */
export const TEMPLATE_WORDS: ReadonlySet<string> = new Set(
  'and or not in is if elif else endif for endfor set endset with endwith recursive filter endfilter raw endraw'.split(
    ' ',
  ),
)

const EXPRESSION = /(\\?)\{\{([\s\S]*?)\}\}/g
const STATEMENT = /\{%([\s\S]*?)%\}/g
/** A string, a `["odd key"]` access, a filter name, a path's further part, or a bare name. */
const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\|\s*[A-Za-z_]\w*|\.\s*[A-Za-z_]\w*|[A-Za-z_]\w*/g

function mapNames(source: string, rename: (name: string) => string): string {
  return source.replace(TOKEN, (token) => (/^[A-Za-z_]/.test(token) ? rename(token) : token))
}

/** What becomes of the inside of an expression, or of a statement. */
type Change = (body: string, statement: boolean) => string

function mapText(text: string, statements: boolean, change: Change): string {
  if (!text.includes('{{') && !(statements && text.includes('{%'))) return text
  const inner = text.replace(EXPRESSION, (whole, escaped: string, body: string) =>
    escaped ? whole : `{{${change(body, false)}}}`,
  )
  return statements ? inner.replace(STATEMENT, (_, body: string) => `{%${change(body, true)}%}`) : inner
}

function mapValue(value: unknown, statements: boolean, change: Change): unknown {
  if (typeof value === 'string') return mapText(value, statements, change)
  if (Array.isArray(value)) {
    const next = value.map((item) => mapValue(item, statements, change))
    return next.some((item, index) => item !== value[index]) ? next : value
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value)
    const next = entries.map(([key, item]) => [key, mapValue(item, statements, change)] as const)
    return next.some(([, item], index) => item !== entries[index]?.[1]) ? Object.fromEntries(next) : value
  }
  return value
}

/** Keys of a configuration whose text is a program of its own, not a template. */
function isProgram(node: GraphNode, key: string): boolean {
  return node.type === 'code' && key === 'source'
}

function mapConfig(node: GraphNode, change: Change): Record<string, unknown> {
  let changed = false
  const next: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node.config)) {
    const mapped = isProgram(node, key) ? value : mapValue(value, node.type === 'template', change)
    changed ||= mapped !== value
    next[key] = mapped
  }
  return changed ? next : node.config
}

const withConfig = (node: GraphNode, config: Record<string, unknown>): GraphNode =>
  config === node.config ? node : { ...node, config }

const eachName =
  (rename: (name: string) => string): Change =>
  (body, statement) =>
    mapNames(body, (name) => (statement && TEMPLATE_WORDS.has(name) ? name : rename(name)))

/** The node with its references renamed; the same object when it has none of them. */
export function renameReferences(node: GraphNode, names: ReadonlyMap<string, string>): GraphNode {
  return withConfig(
    node,
    mapConfig(
      node,
      eachName((name) => names.get(name) ?? name),
    ),
  )
}

const KEY = /\.([\p{L}\p{N}_]+)|\[\s*(?:(\d+)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*\]/u
/** A string, a filter name, or a path: its name and its keys. */
const PATH = new RegExp(
  `"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\\|\\s*[A-Za-z_]\\w*|([A-Za-z_]\\w*)((?:${KEY.source})*)`,
  'gu',
)

const written = (key: string): string =>
  /^[\p{L}_][\p{L}\p{N}_]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`

/** A name in expressions, or a name and the first key behind it. */
export type Head = readonly [name: string, key?: string]

/** The node with paths that begin like `from` beginning like `to`; the same object when it has none of them. */
export function replaceHead(node: GraphNode, from: Head, to: Head): GraphNode {
  const begin = to[0] + (to[1] === undefined ? '' : written(to[1]))
  const config = mapConfig(node, (body) =>
    body.replace(PATH, (path, name: string | undefined, keys: string) => {
      if (name !== from[0]) return path
      if (from[1] === undefined) return begin + keys
      const [whole, plain, index, quoted, single] = KEY.exec(keys) ?? []
      const key = plain ?? index ?? (quoted ?? single)?.replace(/\\(.)/g, '$1')
      return whole !== undefined && key === from[1] ? begin + keys.slice(whole.length) : path
    }),
  )
  return withConfig(node, config)
}

/** The first names of all paths in a node's configuration: node ids and reserved words. */
export function references(node: GraphNode): Set<string> {
  const match = new Set<string>()
  mapConfig(
    node,
    eachName((name) => {
      match.add(name)
      return name
    }),
  )
  return match
}

/** Whether a value holds an expression anywhere. */
export function hasExpression(value: unknown): boolean {
  if (typeof value === 'string') return [...value.matchAll(EXPRESSION)].some((match) => !match[1])
  if (Array.isArray(value)) return value.some(hasExpression)
  return value !== null && typeof value === 'object' && Object.values(value).some(hasExpression)
}
