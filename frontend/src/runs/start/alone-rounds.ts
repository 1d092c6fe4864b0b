/** What a node inside containers takes from their round, when it runs alone: `item`, `index`, `loop`. */
import { isRef } from '@/api/run-types'
import type { JsonSchema } from '@/forms'
import { hasExpression, references } from '@/graph/expressions'
import { titleOf } from '@/graph/nodes/describe'
import type { Graph, GraphNode, NodeTypes } from '@/graph/types'
import { framesOf } from '@/graph/upstream'
import type { RunView } from '@/live/run-store'
import { type LastStep, type Path, stepIn, stepsWithin } from './last-steps'

interface Values {
  [name: string]: unknown
}

interface RoundFields {
  readonly frame: string
  readonly schema: JsonSchema
  readonly values: Values
}

export interface Alone {
  /** The containers around the node, innermost first. */
  readonly frames: readonly GraphNode[]
  /** The node, and all that is inside of it. */
  readonly speaking: readonly GraphNode[]
  readonly last: LastStep
  readonly view: RunView | null
}

const WORDS = ['item', 'index', 'loop']
/** Of a container's configuration, what is read inside of it. */
const INNER = ['output', 'until']
/** Of a list, what is asked of each of its items: their `item` and `index` are its own. */
const PER_ITEM = ['filter', 'sort', 'map']

const record = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {}

/** By container the words that are read of its round, outermost container first. */
export function roundFields(graph: Graph, types: NodeTypes, alone: Alone): RoundFields[] {
  const spoken = new Map<GraphNode, Set<string>>()
  const speak = (word: string, around: readonly GraphNode[]) => {
    const frame = around.find((each) => word === 'index' || (each.type === 'loop') === (word === 'loop'))
    if (frame && alone.frames.includes(frame)) spoken.set(frame, (spoken.get(frame) ?? new Set()).add(word))
  }
  for (const node of alone.speaking) {
    const around = framesOf(graph, node.id)
    const [inner, outer] = [{ ...node }, { ...node }]
    const entries = Object.entries(node.config).filter(
      ([key]) => node.type !== 'list' || !PER_ITEM.includes(key),
    )
    inner.config = Object.fromEntries(entries.filter(([key]) => INNER.includes(key)))
    outer.config = Object.fromEntries(entries.filter(([key]) => !INNER.includes(key)))
    const isFrame = alone.speaking.some((other) => other.parent === node.id)
    for (const word of references(outer)) if (WORDS.includes(word)) speak(word, around)
    for (const word of references(inner))
      if (WORDS.includes(word)) speak(word, isFrame ? [node, ...around] : around)
  }
  return alone.frames.toReversed().flatMap((frame) => {
    const words = spoken.get(frame)
    return words ? [fieldsOf(graph, types, frame, words, alone)] : []
  })
}

function fieldsOf(
  graph: Graph,
  types: NodeTypes,
  frame: GraphNode,
  words: ReadonlySet<string>,
  alone: Alone,
): RoundFields {
  const last = lastRound(graph, frame, alone)
  const names = [
    ...(words.has('item') ? ['item'] : []),
    ...(words.has('loop') ? ['vars', 'last'] : []),
    ...(words.has('index') || words.has('loop') ? ['index'] : []),
  ]
  const variables = Object.keys(record(frame.config.vars)).map((name) => [name, { title: name }] as const)
  const schemas: Record<string, unknown> = {
    item: { title: 'item' },
    index: { title: 'index', type: 'integer', minimum: 0 },
    vars: { title: 'loop.vars', type: 'object', properties: Object.fromEntries(variables) },
    last: { title: 'loop.last' },
  }
  const properties = Object.fromEntries(names.map((name) => [name, schemas[name]]))
  const known = names.flatMap((name) => (last[name] === undefined ? [] : [[name, last[name]] as const]))
  return {
    frame: frame.id,
    schema: { type: 'object', title: titleOf(frame, types), properties } as JsonSchema,
    values: Object.fromEntries(known),
  }
}

/** What the round gave in which the node ran last: `item`, or `vars` and `last`, and `index`. */
function lastRound(graph: Graph, frame: GraphNode, { last: { path, startedAt }, view }: Alone): Values {
  const depth = path.findIndex((entry) => entry.node === frame.id)
  const input = record(stepIn(view, frame.id, path)?.input)
  // A container that did one given round has that as its input.
  if ('item' in input || 'loop' in input) return { ...input, ...record(input.loop) }
  const index = depth < 0 ? 0 : (path[depth]?.index ?? 0)
  if (frame.type !== 'loop') {
    const item = Array.isArray(input.items) ? input.items[index] : undefined
    return { index, ...(item === undefined || isRef(item) ? {} : { item }) }
  }
  const written = Object.entries(record(frame.config.vars)).filter(([, value]) => !hasExpression(value))
  const vars: Values = { ...Object.fromEntries(written), ...record(input.vars) }
  if (depth < 0) return { index, vars }
  const loop = { graph, frame, view, round: path.slice(0, depth), depth }
  Object.assign(vars, setBefore(loop, index, startedAt, Object.keys(vars)))
  return { index, vars, ...(index > 0 ? { last: gaveIn(loop, index - 1) } : {}) }
}

interface LoopSteps {
  readonly graph: Graph
  readonly frame: GraphNode
  readonly view: RunView | null
  /** Where the loop itself ran. */
  readonly round: Path
  readonly depth: number
}

/** The variables of a loop that were set in the rounds before this one, and in it before `until`. */
function setBefore(loop: LoopSteps, index: number, until: number, names: readonly string[]): Values {
  const { graph, frame, view, round, depth } = loop
  const setters = graph.nodes.filter(
    (node) => node.type === 'set_variable' && framesOf(graph, node.id).includes(frame),
  )
  const steps = setters.flatMap((node) => stepsWithin(view, node.id, round))
  const inTime = steps.filter((step) => {
    const number = step.path[depth]?.index ?? 0
    return step.endedAt !== null && (number < index || (number === index && step.endedAt <= until))
  })
  inTime.sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))
  const values = Object.assign({}, ...inTime.map((step) => record(step.output)))
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))
}

/** What the nodes of a loop gave in one of its rounds. */
function gaveIn({ graph, frame, view, round }: LoopSteps, index: number): Values {
  const children = graph.nodes.filter((node) => node.parent === frame.id)
  const outputs = children.map((node) => {
    const step = stepsWithin(view, node.id, [...round, { node: frame.id, index }]).at(-1)
    return [node.id, step?.output] as const
  })
  return Object.fromEntries(outputs.filter(([, output]) => output !== undefined && !isRef(output)))
}

/** The filled form as it is sent: of loops, the words as expressions read them. */
export function valuesOfRounds(frames: readonly GraphNode[], values: Values): Values {
  const outputs = { ...values }
  for (const frame of frames) {
    if (!(frame.id in outputs)) continue
    const { vars, last, ...rest } = record(outputs[frame.id])
    if (frame.type !== 'loop') continue
    const loop = { ...(vars === undefined ? {} : { vars }), ...(last === undefined ? {} : { last }) }
    outputs[frame.id] = { ...rest, loop }
  }
  return outputs
}
