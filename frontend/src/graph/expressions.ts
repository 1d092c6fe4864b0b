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

function mapText(text: string, statements: boolean, rename: (name: string) => string): string {
  if (!text.includes('{{') && !(statements && text.includes('{%'))) return text
  const inner = text.replace(EXPRESSION, (whole, escaped: string, body: string) =>
    escaped ? whole : `{{${mapNames(body, rename)}}}`,
  )
  return statements
    ? inner.replace(
        STATEMENT,
        (_, body: string) =>
          `{%${mapNames(body, (name) => (TEMPLATE_WORDS.has(name) ? name : rename(name)))}%}`,
      )
    : inner
}

function mapValue(value: unknown, statements: boolean, rename: (name: string) => string): unknown {
  if (typeof value === 'string') return mapText(value, statements, rename)
  if (Array.isArray(value)) {
    const next = value.map((item) => mapValue(item, statements, rename))
    return next.some((item, index) => item !== value[index]) ? next : value
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value)
    const next = entries.map(([key, item]) => [key, mapValue(item, statements, rename)] as const)
    return next.some(([, item], index) => item !== entries[index]?.[1]) ? Object.fromEntries(next) : value
  }
  return value
}

/** Keys of a configuration whose text is a program of its own, not a template. */
function isProgram(node: GraphNode, key: string): boolean {
  return node.type === 'code' && key === 'source'
}

function mapConfig(node: GraphNode, rename: (name: string) => string): Record<string, unknown> {
  let changed = false
  const next: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node.config)) {
    const mapped = isProgram(node, key) ? value : mapValue(value, node.type === 'template', rename)
    changed ||= mapped !== value
    next[key] = mapped
  }
  return changed ? next : node.config
}

/** The node with its references renamed; the same object when it has none of them. */
export function renameReferences(node: GraphNode, names: ReadonlyMap<string, string>): GraphNode {
  const config = mapConfig(node, (name) => names.get(name) ?? name)
  return config === node.config ? node : { ...node, config }
}

/** The first names of all paths in a node's configuration: node ids and reserved words. */
export function references(node: GraphNode): Set<string> {
  const match = new Set<string>()
  mapConfig(node, (name) => {
    match.add(name)
    return name
  })
  return match
}

/** Whether a value holds an expression anywhere. */
export function hasExpression(value: unknown): boolean {
  if (typeof value === 'string') return [...value.matchAll(EXPRESSION)].some((match) => !match[1])
  if (Array.isArray(value)) return value.some(hasExpression)
  return value !== null && typeof value === 'object' && Object.values(value).some(hasExpression)
}
