/** Running one node alone: what it takes from other nodes is asked for, filled with what they gave last. */
import type { JsonSchema } from '@/forms'
import { references } from '@/graph/expressions'
import { nodesById } from '@/graph/lookup'
import { titleOf } from '@/graph/nodes/describe'
import type { Graph, GraphNode, NodeTypes } from '@/graph/types'
import type { RunView } from '@/live/run-store'

interface Inputs {
  [name: string]: unknown
}

/** What is asked for, as one form: the start's inputs and, by node, the outputs that are spoken of. */
export interface AloneForm {
  readonly node: string
  readonly start: string | null
  readonly schema: Readonly<Record<string, unknown>>
  readonly values: Inputs
  /** What is sent of the filled form: the run's inputs, and by node what it gave. */
  readonly given: (values: unknown) => { inputs: Inputs; outputs: Inputs }
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

/** The outputs of a node that another one's configuration speaks of: `first.text`, `first["text"]`. */
function spokenOf(config: unknown, id: string): string[] {
  const pattern = new RegExp(
    `(?<![\\w."'-])${id}\\s*(?:\\.\\s*([A-Za-z_]\\w*)|\\[\\s*["']([^"']+)["']\\s*\\])`,
    'g',
  )
  // in JSON the quotes of an access are escaped
  const text = JSON.stringify(config).replaceAll('\\"', '"')
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? ''))]
}

function asked(node: GraphNode, names: readonly string[], types: NodeTypes): JsonSchema {
  const known = record(types.get(node.type)?.output_schema.properties)
  const properties = Object.fromEntries(names.map((name) => [name, { title: name, ...record(known[name]) }]))
  return { type: 'object', title: titleOf(node, types), properties } as JsonSchema
}

/** The form for a node; without fields where it takes nothing from elsewhere. `inputs` = what the start was given last. */
export function aloneForm(
  graph: Graph,
  types: NodeTypes,
  id: string,
  view: RunView | null,
  inputs: Inputs,
): AloneForm {
  const node = nodesById(graph).get(id)
  const start = graph.nodes.find((each) => each.type === 'start')
  const properties: Record<string, unknown> = {}
  const values: Inputs = {}
  const named = node ? references(node) : new Set<string>()
  if (start && Object.keys(record(record(start.config.inputs).properties)).length > 0) {
    properties[start.id] = { ...record(start.config.inputs), type: 'object', title: titleOf(start, types) }
    values[start.id] = inputs
  }
  for (const name of named) {
    const other = nodesById(graph).get(name)
    if (!other || other === start || other.id === id || other.parent) continue
    const names = spokenOf(node?.config, name)
    if (names.length === 0) continue
    properties[name] = asked(other, names, types)
    const gave = { ...record(other.pinned ?? view?.stepValues(name)?.output) }
    values[name] = Object.fromEntries(names.flatMap((key) => (key in gave ? [[key, gave[key]]] : [])))
  }
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  const first = start?.id ?? null
  return { node: id, start: first, schema, values, given: (filled) => given(first, filled) }
}

function given(start: string | null, values: unknown): { inputs: Inputs; outputs: Inputs } {
  const outputs = { ...record(values) }
  const inputs = start === null ? {} : record(outputs[start])
  if (start !== null) delete outputs[start]
  return { inputs, outputs }
}
