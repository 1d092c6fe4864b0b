/** What can be added: servers with their tools (read from the cache, never by connecting) and node types. */
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { send } from '@/api/client'
import { providersQuery } from '@/api/providers'
import { type Server, serversQuery, type ToolName, toolNamesQuery } from '@/api/servers'
import { useGraph, useGraphStore } from '@/graph/context'
import { asksModel, lastChoice } from '@/graph/nodes/model-choice'
import { type NodeTemplate, toolTemplate, typeTemplate } from '@/graph/nodes/templates'
import type { NodeType } from '@/graph/types'
import { type Key, type Translate, useT } from '@/i18n'
import { visible } from '@/ui'

export type PaletteServer = Server
export type PaletteTool = ToolName

export function useServers() {
  return useQuery(serversQuery)
}

/** Without the tools that their server no longer lists. */
const listed = (tools: readonly PaletteTool[]): readonly PaletteTool[] => tools.filter((tool) => !tool.gone)

export function useTools(server: string, enabled: boolean) {
  return useQuery({ ...toolNamesQuery(server), enabled, select: listed })
}

/** Connect to a server and read its tools; only when a person asks for it. */
export function useReadTools(server: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () =>
      send<unknown>('GET', `/api/mcp/servers/${encodeURIComponent(server)}/tools?refresh=1&limit=1`),
    onSettled: () => client.invalidateQueries({ queryKey: ['server'] }),
  })
}

/** The tools of all servers by server id; read only while `wanted`. */
export function useAllTools(
  servers: readonly PaletteServer[],
  enabled: boolean,
): ReadonlyMap<string, readonly PaletteTool[]> {
  return useQueries({
    queries: servers.map((server) => ({ ...toolNamesQuery(server.id), enabled })),
    combine: (results) =>
      new Map(
        servers.flatMap((server, index) => {
          const { data = [], isPending } = results[index] ?? {}
          return isPending ? [] : [[server.id, data.filter((tool) => !tool.gone)]]
        }),
      ),
  })
}

export const GROUPS = ['flow', 'ai', 'people', 'mcp', 'data'] as const

/** What the groups are called. */
const GROUP_NAMES: Readonly<Record<string, Key>> = {
  flow: 'palette.group_flow',
  ai: 'palette.group_ai',
  people: 'palette.group_people',
  mcp: 'palette.group_mcp',
  data: 'palette.group_data',
}

/** The group of a type as the palette sorts it; the server writes `AI` and `MCP` in capitals. */
export const groupOf = (type: NodeType): string => type.group.toLowerCase()

/** The group of what only an import makes. */
const IMPORTED = 'imported'

/** Types that are added from the palette: a tool comes from its server, and there is one start. */
export function usePaletteTypes(): readonly NodeType[] {
  const types = useGraph((state) => state.types)
  const hasStart = useGraph((state) => state.graph.nodes.some((node) => node.type === 'start'))
  return [...types.values()].filter((type) => type.group !== IMPORTED && (type.type !== 'start' || !hasStart))
}

export function nameOfGroup(group: string, t: Translate): string {
  const name = GROUP_NAMES[group]
  return name ? t(name as 'palette.group_flow') : group
}

/** What a node of a type is made from: one that asks a model begins with the last one chosen, or the only one there is. */
export function useTypeTemplate(): (type: NodeType) => NodeTemplate {
  const graph = useGraphStore()
  const client = useQueryClient()
  return (type) => {
    if (!asksModel(type)) return typeTemplate(type.type, type.title)
    const [first] = client.getQueryData(providersQuery.queryKey) ?? []
    const [model] = first?.models ?? []
    const offered = first && model ? { provider: first.slug, model: model.id } : undefined
    const choice = lastChoice(graph.getState().graph) ?? offered
    return typeTemplate(type.type, type.title, choice ? { ...choice } : {})
  }
}

export interface Entry {
  readonly key: string
  readonly title: string
  /** The second line or the right side: the server, the group. */
  readonly about: string
  readonly description: string
  readonly template: NodeTemplate
}

/** Everything as one list, for the quick-add menu; `all` once nothing of it is still being read. */
export function useEntries(): { readonly entries: readonly Entry[]; readonly all: boolean } {
  const t = useT()
  const { data: servers = [], isPending: reading } = useServers()
  const tools = useAllTools(servers, true)
  const types = usePaletteTypes()
  const template = useTypeTemplate()
  const { isPending } = useQuery(providersQuery)
  const entries: Entry[] = []
  for (const type of types) {
    if (isPending && asksModel(type)) continue // added now, it would lack the team's model for good
    entries.push({
      key: `type:${type.type}`,
      title: type.title,
      about: nameOfGroup(groupOf(type), t),
      description: type.description,
      template: template(type),
    })
  }
  for (const server of servers) {
    if (!server.enabled) continue
    for (const tool of tools.get(server.id) ?? []) {
      entries.push({
        key: `tool:${server.slug}/${tool.name}`,
        title: visible(tool.name),
        about: server.slug,
        description: tool.description ?? '',
        template: toolTemplate(server.slug, tool.name),
      })
    }
  }
  return { entries, all: !isPending && !reading && servers.every((server) => tools.has(server.id)) }
}

/** How well an entry fits, the less the better: its name, its name's beginning, a word of it, some of it, the rest. */
function rankOf(
  { key, title, about, template, description }: Entry,
  words: readonly string[],
): number | null {
  const name = title.toLowerCase()
  const all = `${name} ${about} ${template.type} ${key} ${description}`.toLowerCase()
  if (!words.every((word) => all.includes(word))) return null
  const parts = name.split(/[^\p{L}\p{N}]+/u)
  const phrase = words.join(' ')
  if (name === phrase || parts.join(' ') === phrase) return 0
  if (name.startsWith(phrase)) return 1
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 2
  if (words.every((word) => name.includes(word))) return 3
  const named = `${name} ${about} ${template.type}`.toLowerCase()
  return words.every((word) => named.includes(word)) ? 4 : 5
}

/** Entries that have all words of the query somewhere, node types and tools by how well their names fit. */
export function filterEntries(entries: readonly Entry[], query: string): readonly Entry[] {
  const words = query
    .toLowerCase()
    .split(/[\s/_-]+/)
    .filter(Boolean)
  if (words.length === 0) return entries
  return entries
    .flatMap((entry) => {
      const rank = rankOf(entry, words)
      return rank === null ? [] : [{ entry, rank }]
    })
    .sort((left, right) => left.rank - right.rank)
    .map(({ entry }) => entry)
}
