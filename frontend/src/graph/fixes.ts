/** What one click can do about a problem: a change of the document, made as one undo step. */
import { patchNode, remove } from './edit/edits'
import { type Head, replaceHead } from './expressions'
import { nodesById } from './lookup'
import { insertAt } from './nodes/templates'
import type { EditLabel, Graph, GraphNode, NodeTypes, Problem } from './types'
import { upstreamOf } from './upstream'

export type FixKind = 'use' | 'start' | 'node' | 'edge' | 'field' | 'return'

export interface Fix {
  /** Its words are `editor.fix_<kind>`. */
  readonly kind: FixKind
  readonly name: string
  readonly label: EditLabel
  readonly change: (graph: Graph) => Graph
}

/** How many letters have to change to make one text the other. */
export function lettersApart(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let at = 1; at <= left.length; at += 1) {
    const next = [at]
    for (let to = 1; to <= right.length; to += 1) {
      const change = (row[to - 1] ?? 0) + (left[at - 1] === right[to - 1] ? 0 : 1)
      next.push(Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, change))
    }
    row = next
  }
  return row[right.length] ?? 0
}

/** The name that was probably meant: the nearest, where less than half of it is different. */
export function nearest(wanted: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, apart: lettersApart(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, apart }) => apart * 2 <= Math.max(wanted.length, name.length))
  return ranked.toSorted((a, b) => a.apart - b.apart)[0]?.name
}

/** What the node speaks of under another name; null where it does not speak of it. */
function rewritten(node: GraphNode, from: Head, to: Head): Fix | null {
  if (replaceHead(node, from, to) === node) return null
  return {
    kind: 'use',
    name: to[1] ?? to[0],
    label: 'config',
    change: (graph) => {
      const now = nodesById(graph).get(node.id)
      return now ? patchNode(graph, node.id, { config: replaceHead(now, from, to).config }) : graph
    },
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** An output that is not there: the one that was meant, else what a tool always gives, else the only one. */
function otherOutput(node: GraphNode, params: Record<string, unknown>): Fix | null {
  const known = Array.isArray(params.known) ? params.known.filter((name) => typeof name === 'string') : []
  const name = text(params.name)
  const key = text(params.key)
  const only = known.includes('structured') ? 'structured' : known.length === 1 ? known[0] : undefined
  const meant = nearest(key, known) ?? only
  return name && key && meant ? rewritten(node, [name, key], [name, meant]) : null
}

function otherNode(graph: Graph, node: GraphNode, name: string): Fix | null {
  const ids = upstreamOf(graph, node.id).map((other) => other.id)
  const meant = /^\w+$/.test(name) ? nearest(name, ids) : undefined
  return meant ? rewritten(node, [name], [meant]) : null
}

/** An end that returns nothing: what the node before it gives. */
function returned(graph: Graph, types: NodeTypes, node: GraphNode): Fix | null {
  const edge = graph.edges.find((edge) => edge.target === node.id)
  const before = edge && nodesById(graph).get(edge.source)
  if (!before) return null
  const properties = types.get(before.type)?.output_schema?.properties
  const keys = properties !== null && typeof properties === 'object' ? Object.keys(properties) : []
  const key = ['text', 'result', 'structured', 'output'].find((name) => keys.includes(name)) ?? keys[0]
  if (key === undefined || !/^[A-Za-z_]\w*$/.test(key)) return null
  const name = `${before.id}.${key}`
  return {
    kind: 'return',
    name,
    label: 'config',
    change: (now) =>
      patchNode(now, node.id, { config: { ...node.config, outputs: { [key]: `{{ ${name} }}` } } }),
  }
}

function withStart(graph: Graph, types: NodeTypes): Fix | null {
  if (!types.has('start')) return null
  const left = Math.min(0, ...graph.nodes.filter((node) => !node.parent).map((node) => node.position.x))
  const point = { x: graph.nodes.length === 0 ? 0 : left - 260, y: graph.nodes[0]?.position.y ?? 0 }
  const change = (now: Graph) =>
    insertAt(now, types, { type: 'start', title: '', base: 'start', config: {} }, point, null).graph
  return { kind: 'start', name: '', label: 'add', change }
}

function withoutField(node: GraphNode, field: string): Fix | null {
  if (!Object.hasOwn(node.config, field)) return null
  const { [field]: _removed, ...config } = node.config
  return {
    kind: 'field',
    name: field,
    label: 'config',
    change: (graph) => patchNode(graph, node.id, { config }),
  }
}

/** What one click can do about a problem; null where a person has to decide. */
export function fixOf(problem: Problem, graph: Graph, types: NodeTypes): Fix | null {
  const params = (problem.params ?? {}) as Record<string, unknown>
  const node = problem.node ? nodesById(graph).get(problem.node) : undefined
  const edge = problem.edge
  switch (problem.code) {
    case 'no_start':
    case 'start_missing':
      return withStart(graph, types)
    case 'two_starts':
    case 'start_double':
      return node
        ? { kind: 'node', name: node.id, label: 'delete', change: (now) => remove(now, { nodes: [node.id] }) }
        : null
    case 'dangling_edge':
    case 'unknown_port':
    case 'port_unknown':
    case 'edge_same':
    case 'edge_crosses':
      return edge
        ? { kind: 'edge', name: edge, label: 'delete', change: (now) => remove(now, { edges: [edge] }) }
        : null
    case 'config_unknown':
      return node ? withoutField(node, text(params.field)) : null
    case 'output_unknown':
      return node ? otherOutput(node, params) : null
    case 'unknown_reference':
    case 'reference_unknown':
      return node ? otherNode(graph, node, text(params.name)) : null
    case 'output_none':
      return node ? returned(graph, types, node) : null
    default:
      return null
  }
}
