/** What a node gives its model to use, changed one thing at a time. Keys that nobody edits here are kept. */
import { contains } from '@/graph/layout/geometry'
import type { Graph, GraphNode, NodeTypes, Point, Rect } from '@/graph/types'

export interface ServerChoice {
  server: unknown
  /** Names of the tools chosen; undefined: all. */
  include: readonly string[] | undefined
  /** By tool: parameters that the model does not see, with what is put in their place. */
  fixed: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The entry as it stands in the document. */
  entry: Record<string, unknown>
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : []

export function serversOf(tools: unknown): ServerChoice[] {
  const servers = isRecord(tools) ? tools.servers : undefined
  if (!Array.isArray(servers)) return []
  return servers.map((server) => {
    const entry = isRecord(server) ? server : {}
    const fixed = isRecord(entry.fixed) ? entry.fixed : {}
    return {
      server: entry.server,
      include: Array.isArray(entry.include) ? texts(entry.include) : undefined,
      fixed: Object.fromEntries(
        Object.entries(fixed).map(([tool, values]) => [tool, isRecord(values) ? values : {}]),
      ),
      entry,
    }
  })
}

export const namesOf = (tools: unknown, kind: 'workflows' | 'local'): string[] =>
  texts(isRecord(tools) ? tools[kind] : undefined)

function whole(tools: unknown): Record<string, unknown> {
  return isRecord(tools) ? tools : {}
}

export function withServers(tools: unknown, servers: readonly unknown[]): Record<string, unknown> {
  return { ...whole(tools), servers: [...servers] }
}

export function withNames(
  tools: unknown,
  kind: 'workflows' | 'local',
  names: readonly string[],
): Record<string, unknown> {
  const { [kind]: _before, ...others } = whole(tools)
  return names.length > 0 ? { ...others, [kind]: [...names] } : others
}

/** An entry with all tools (undefined) or these. What is fixed of a tool that is not chosen any more goes. */
export function withInclude(choice: ServerChoice, include: readonly string[] | undefined) {
  const { include: _before, fixed: _fixed, ...others } = choice.entry
  const fixed = Object.fromEntries(
    Object.entries(choice.fixed).filter(([tool]) => include === undefined || include.includes(tool)),
  )
  return {
    ...others,
    ...(include !== undefined && { include: [...include] }),
    ...(Object.keys(fixed).length > 0 && { fixed }),
  }
}

/** An entry with a parameter of a tool fixed, or free again (undefined). */
export function withFixed(choice: ServerChoice, tool: string, parameter: string, value: unknown) {
  const { fixed: _before, ...others } = choice.entry
  const { [parameter]: _value, ...kept } = choice.fixed[tool] ?? {}
  const values = value === undefined ? kept : { ...choice.fixed[tool], [parameter]: value }
  const { [tool]: _tool, ...rest } = choice.fixed
  const fixed = Object.keys(values).length > 0 ? { ...choice.fixed, [tool]: values } : rest
  return { ...others, ...(Object.keys(fixed).length > 0 && { fixed }) }
}

/** The tools object with a tool of a server added: as its card was dropped on a node. */
export function withTool(tools: unknown, server: string, tool: string): Record<string, unknown> {
  const choices = serversOf(tools)
  const position = choices.findIndex((choice) => choice.server === server)
  const serverChoice = choices[position]
  if (!serverChoice) {
    return withServers(tools, [...choices.map((choice) => choice.entry), { server, include: [tool] }])
  }
  if (serverChoice.include === undefined || serverChoice.include.includes(tool)) return whole(tools)
  return withServers(
    tools,
    choices.map((choice, index) =>
      index === position ? withInclude(serverChoice, [...(serverChoice.include ?? []), tool]) : choice.entry,
    ),
  )
}

/** Whether nodes of this type give a model tools to use, by the mark in their configuration's schema. */
export function takesTools(types: NodeTypes, type: string): boolean {
  const properties = types.get(type)?.config_schema?.properties
  const tools = isRecord(properties) ? properties.tools : undefined
  return isRecord(tools) && tools['x-widget'] === 'tools'
}

/** The card at a point that would take a tool dropped there. */
export function takerAt(
  graph: Graph,
  types: NodeTypes,
  rects: ReadonlyMap<string, Rect>,
  point: Point,
): GraphNode | undefined {
  return graph.nodes.find((node) => {
    const rect = takesTools(types, node.type) ? rects.get(node.id) : undefined
    return rect !== undefined && contains(rect, point)
  })
}
