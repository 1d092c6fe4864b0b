/**
 * What a node's expressions may speak of: the frames around it, the nodes upstream, variables, env and sys, each with
 * its schema and what the last run (or a pinned output) put there.
 */
import { isRecord, type JsonSchema, member, type Scope, type ScopeGroup, type ScopeNode } from '@/forms'
import { isFrame } from '@/graph/layout/geometry'
import { distinctTitles, titleOf } from '@/graph/nodes/describe'
import type { Graph, GraphNode, NodeTypes } from '@/graph/types'
import { framesOf, upstreamOf } from '@/graph/upstream'

/** What came into and out of a node the last time. */
export interface NodeValues {
  input: unknown
  output: unknown
}

export interface ScopeSources {
  graph: Graph
  types: NodeTypes
  /** By node id; absent = not seen. */
  values: ReadonlyMap<string, NodeValues>
  /** The output schema that a tool declares for its `structured`. */
  toolOutput: (server: unknown, tool: unknown) => unknown
  /** Where the values are from, in words. */
  note?: string | undefined
  run?: { id: string; time: string } | undefined
  words: { variables: string; env: string; system: string; thisFrame: string; pinned: string; inside: string }
}

/** The sources, and the titles as lists show them. */
type Titled = ScopeSources & { readonly titles: ReadonlyMap<string, string> }

export function scopeOf(id: string, given: ScopeSources): Scope {
  const { graph, types } = given
  const node = graph.nodes.find((node) => node.id === id)
  if (!node) return { groups: [] }
  const sources: Titled = { ...given, titles: distinctTitles(graph.nodes, types) }
  const frames = framesOf(graph, id)
  // A frame's own `output` and `until` are evaluated inside of it, and what a list asks of each item.
  const own = isFrame(node) || node.type === 'list' ? [node] : []
  const children = graph.nodes.filter((node) => node.parent === id)
  const groups: ScopeGroup[] = [
    ...[...own, ...frames].map((frame) => frameGroup(frame, sources)),
    ...children.map((child) => nodeGroup(child, sources, sources.words.inside)),
    ...upstreamOf(graph, id).map((node) => nodeGroup(node, sources)),
    variablesGroup(sources),
    envGroup(sources),
    systemGroup(sources),
  ].filter((group) => group.names.length > 0)
  return { groups, owner: titleOf(node, types) }
}

/** The nodes whose values a scope wants, so that only these are listened to. */
export function scopeNodes(graph: Graph, id: string): string[] {
  const children = graph.nodes.filter((node) => node.parent === id)
  return [...framesOf(graph, id), ...children, ...upstreamOf(graph, id)].map((node) => node.id)
}

/** The tools upstream whose declared outputs are worth asking for: a server's slug and the names. */
export function scopeTools(graph: Graph, id: string): ReadonlyMap<string, string[]> {
  const tools = new Map<string, string[]>()
  for (const { type, config } of upstreamOf(graph, id)) {
    const { server, tool } = config
    if (type !== 'tool' || typeof server !== 'string' || typeof tool !== 'string' || !server || !tool)
      continue
    const names = tools.get(server) ?? []
    if (!names.includes(tool)) tools.set(server, [...names, tool].toSorted())
  }
  for (const declared of Object.keys(graph.mcp_servers ?? {})) tools.delete(declared)
  return tools
}

/** What a node last gave: its pinned output where it has one, as draft runs use it. */
function outputOf(node: GraphNode, values: ReadonlyMap<string, NodeValues>): unknown {
  return isRecord(node.pinned) ? node.pinned : values.get(node.id)?.output
}

function nodeGroup(node: GraphNode, sources: Titled, note?: string): ScopeGroup {
  const output = outputOf(node, sources.values)
  const seen = isRecord(output)
  const group: ScopeGroup = {
    key: node.id,
    title: sources.titles.get(node.id) ?? node.id,
    nodeType: node.type,
    names: outputNames(node, sources, output),
  }
  const words = note ?? (isRecord(node.pinned) ? sources.words.pinned : seen ? sources.note : undefined)
  return words === undefined ? group : { ...group, note: words }
}

function outputNames(node: GraphNode, sources: ScopeSources, output: unknown): ScopeNode[] {
  const { schemas, root } = outputSchemas(node, sources)
  const names = new Map<string, ScopeNode>()
  for (const [name, schema] of schemas)
    names.set(name, {
      name,
      path: [node.id, name],
      schema,
      ...(schema !== true && root !== undefined && { root }),
    })
  for (const name of isRecord(output) ? Object.keys(output) : []) {
    if (!names.has(name)) names.set(name, { name, path: [node.id, name] })
  }
  const list = [...names.values()].map((scopeNode) => withValue(scopeNode, member(output, scopeNode.name)))
  // Nothing is known of it before it ran: the whole node may be named, and anything below it.
  return list.length > 0
    ? list
    : [{ name: node.id, path: [node.id], ...(output !== undefined && { value: output }) }]
}

function withValue(node: ScopeNode, value: unknown): ScopeNode {
  return value === undefined ? node : { ...node, value }
}

interface Outputs {
  schemas: [string, JsonSchema][]
  root?: JsonSchema
}

/** The names under which a node's outputs may be read, as far as its configuration and type say. */
function outputSchemas(node: GraphNode, { types, toolOutput }: ScopeSources): Outputs {
  const { config } = node
  const ofType = types.get(node.type)?.output_schema
  const listed = (schema: unknown): [string, JsonSchema][] => {
    const properties = member(schema, 'properties')
    return isRecord(properties)
      ? Object.entries(properties).map(([name, inner]) => [name, asSchema(inner)])
      : []
  }
  switch (node.type) {
    case 'start':
      return { schemas: listed(config.inputs), root: asSchema(config.inputs) }
    case 'set_variable':
      return { schemas: keysOf(config.values).map((name) => [name, true]) }
    case 'form':
    case 'extractor': {
      const own = listed(config.schema)
      if (own.length > 0) return { schemas: own, root: asSchema(config.schema) }
      break
    }
    case 'tool': {
      const declared = toolOutput(config.server, config.tool)
      const schemas = listed(ofType)
      if (!isRecord(declared)) return { schemas }
      return { schemas: schemas.map(([name, schema]) => [name, name === 'structured' ? declared : schema]) }
    }
  }
  return { schemas: listed(ofType), ...(isRecord(ofType) && { root: ofType }) }
}

function asSchema(value: unknown): JsonSchema {
  return isRecord(value) ? value : true
}

function keysOf(value: unknown): string[] {
  return isRecord(value) ? Object.keys(value) : []
}

function frameGroup(frame: GraphNode, sources: Titled): ScopeGroup {
  const { words, values } = sources
  const about = {
    key: `frame:${frame.id}`,
    title: sources.titles.get(frame.id) ?? frame.id,
    nodeType: frame.type,
    note: words.thisFrame,
  }
  const input = values.get(frame.id)?.input
  if (frame.type === 'loop') {
    const initial = isRecord(frame.config.vars) ? frame.config.vars : {}
    const vars = {
      type: 'object',
      properties: Object.fromEntries(Object.keys(initial).map((name) => [name, true])),
    }
    const first = member(input, 'vars')
    return {
      ...about,
      names: [
        { name: 'loop.index', path: ['loop', 'index'], schema: { type: 'integer' }, value: 0 },
        withValue(
          { name: 'loop.vars', path: ['loop', 'vars'], schema: vars },
          isRecord(first) ? first : undefined,
        ),
        { name: 'loop.last', path: ['loop', 'last'], schema: true },
      ],
    }
  }
  const items = member(input, 'items')
  const item: ScopeNode = { name: 'item', path: ['item'], schema: true }
  return {
    ...about,
    names: [
      withValue(item, Array.isArray(items) ? items[0] : undefined),
      { name: 'index', path: ['index'], schema: { type: 'integer' }, value: 0 },
    ],
  }
}

function variablesGroup({ graph, words }: ScopeSources): ScopeGroup {
  const names = new Map<string, ScopeNode>()
  for (const [name, about] of Object.entries(graph.variables ?? {})) {
    const preset = member(about, 'default')
    names.set(
      name,
      withValue(
        { name: `vars.${name}`, path: ['vars', name], schema: asSchema(member(about, 'schema')) },
        preset,
      ),
    )
  }
  for (const node of graph.nodes) {
    if (node.type !== 'set_variable') continue
    for (const name of keysOf(node.config.values)) {
      if (!names.has(name)) names.set(name, { name: `vars.${name}`, path: ['vars', name], schema: true })
    }
  }
  return { key: 'vars', title: words.variables, names: [...names.values()] }
}

function envGroup({ graph, words }: ScopeSources): ScopeGroup {
  const names = Object.entries(graph.env ?? {}).map(([name, value]): ScopeNode => {
    const node: ScopeNode = { name: `env.${name}`, path: ['env', name], schema: { type: 'string' } }
    return typeof value === 'string' && value.includes('${secret:') ? node : withValue(node, value)
  })
  return { key: 'env', title: words.env, names }
}

function systemGroup({ run, words }: ScopeSources): ScopeGroup {
  const text = { type: 'string' }
  const name = (key: string, value?: string): ScopeNode =>
    withValue({ name: `sys.${key}`, path: ['sys', key], schema: text }, value)
  return {
    key: 'sys',
    title: words.system,
    names: [
      name('time', run?.time),
      name('run_id', run?.id),
      name('workflow'),
      name('user'),
      name('conversation_id'),
    ],
  }
}
