/** Running one node alone: what it takes from other nodes is asked for, filled with what they gave last. */
import type { JsonSchema } from '@/forms'
import { references } from '@/graph/expressions'
import { nodesById } from '@/graph/lookup'
import { titleOf } from '@/graph/nodes/describe'
import type { Graph, GraphNode, NodeTypes } from '@/graph/types'
import { framesOf } from '@/graph/upstream'
import type { RunView } from '@/live/run-store'
import { roundFields, valuesOfRounds } from './alone-rounds'
import { lastStep, type Path, stepIn } from './last-steps'

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
  readonly split: (values: unknown) => { inputs: Inputs; outputs: Inputs }
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

/** The outputs of a node that configurations speak of: `first.text`, `first["text"]`. */
function spokenOf(configs: unknown, id: string): string[] {
  const pattern = new RegExp(
    `(?<![\\w."'-])${id}\\s*(?:\\.\\s*([A-Za-z_]\\w*)|\\[\\s*["']([^"']+)["']\\s*\\])`,
    'g',
  )
  // in JSON the quotes of an access are escaped
  const text = JSON.stringify(configs).replaceAll('\\"', '"')
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? ''))]
}

function schemaOf(node: GraphNode, names: readonly string[], types: NodeTypes): JsonSchema {
  const known = record(types.get(node.type)?.output_schema.properties)
  const properties = Object.fromEntries(names.map((name) => [name, { title: name, ...record(known[name]) }]))
  return { type: 'object', title: titleOf(node, types), properties } as JsonSchema
}

/** The node, and all that is inside of it. */
function whole(graph: Graph, id: string): GraphNode[] {
  return graph.nodes.filter(
    (node) => node.id === id || framesOf(graph, node.id).some((frame) => frame.id === id),
  )
}

/** The form for a node; without fields where it takes nothing from elsewhere. `inputs` = what the start was given last. */
export function aloneForm(
  graph: Graph,
  types: NodeTypes,
  id: string,
  view: RunView | null,
  inputs: Inputs,
): AloneForm {
  const start = graph.nodes.find((each) => each.type === 'start')
  const frames = framesOf(graph, id)
  const speaking = whole(graph, id)
  const last = lastStep(graph, id, view)
  const properties: Record<string, unknown> = {}
  const values: Inputs = {}
  if (start && Object.keys(record(record(start.config.inputs).properties)).length > 0) {
    properties[start.id] = { ...record(start.config.inputs), type: 'object', title: titleOf(start, types) }
    values[start.id] = inputs
  }
  for (const round of roundFields(graph, types, { frames, speaking, last, view })) {
    properties[round.frame] = round.schema
    values[round.frame] = round.values
  }
  const around = new Set([undefined, ...frames.map((frame) => frame.id)])
  for (const name of new Set(speaking.flatMap((node) => [...references(node)]))) {
    const other = nodesById(graph).get(name)
    if (!other || other === start || speaking.includes(other) || frames.includes(other)) continue
    if (!around.has(other.parent ?? undefined)) continue
    const names = spokenOf(
      speaking.map((node) => node.config),
      name,
    )
    if (names.length === 0) continue
    properties[name] = schemaOf(other, names, types)
    values[name] = picked(other, names, last.path, view)
  }
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  const first = start?.id ?? null
  return { node: id, start: first, schema, values, split: (filled) => splitValues(first, frames, filled) }
}

function picked(node: GraphNode, names: readonly string[], path: Path, view: RunView | null): Inputs {
  const gave = record(node.pinned ?? stepIn(view, node.id, path)?.output)
  return Object.fromEntries(names.flatMap((key) => (key in gave ? [[key, gave[key]]] : [])))
}

function splitValues(start: string | null, frames: readonly GraphNode[], values: unknown) {
  const outputs = valuesOfRounds(frames, record(values))
  const inputs = start === null ? {} : record(outputs[start])
  if (start !== null) delete outputs[start]
  return { inputs, outputs }
}
