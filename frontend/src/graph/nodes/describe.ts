/** What a card says about its node, beside its state. */

import type { GraphNode, NodeTypes } from '@/graph/types'
import { visible } from '@/ui/display/visible'

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A server as a document names it: a slug, or an object written into the node. */
export function serverName(value: unknown): string {
  if (typeof value === 'string') return value
  if (value !== null && typeof value === 'object') {
    const { name, url, command } = value as Record<string, unknown>
    return text(name) || text(url) || text(command)
  }
  return ''
}

/** The node's title: its own, else that of its tool, else that of its type. */
export function titleOf(node: GraphNode, types: NodeTypes): string {
  return visible(node.title || text(node.config.tool) || types.get(node.type)?.title || node.type)
}

/** The titles by node, each with its id where several nodes have that title: in lists one has to tell them apart. */
export function distinctTitles(nodes: readonly GraphNode[], types: NodeTypes): Map<string, string> {
  const titles = nodes.map((node) => [node.id, titleOf(node, types)] as const)
  const count = new Map<string, number>()
  for (const [, title] of titles) count.set(title, (count.get(title) ?? 0) + 1)
  return new Map(titles.map(([id, title]) => [id, count.get(title) === 1 ? title : `${title} · ${id}`]))
}

/** The second line as it is seen: nothing that the title says already, and the type as the reader calls it. */
export function shownSubtitle(node: GraphNode, types: NodeTypes): { lead: string; tail: string } {
  const { lead, tail } = describedSubtitle(node, types)
  const called = types.get(node.type)?.title.toLowerCase() ?? node.type
  const words = (part: string) => (part === node.type ? called : part)
  return { lead: words(lead), tail: words(tail) }
}

function describedSubtitle(node: GraphNode, types: NodeTypes): { lead: string; tail: string } {
  const { lead, tail } = subtitleOf(node)
  const title = titleOf(node, types).trim().toLowerCase()
  const repeats = (text: string) => text.replaceAll('_', ' ').toLowerCase() === title.replaceAll('_', ' ')
  if (repeats(tail) || (tail === node.type && repeats(types.get(node.type)?.title ?? '')))
    return { lead: '', tail: lead }
  return lead && repeats(lead) ? { lead: '', tail } : { lead, tail }
}

/** The second line in two parts: the first may be shortened, the second never is. */
export function subtitleOf(node: GraphNode): { lead: string; tail: string } {
  const { config } = node
  if (node.type === 'tool') return { lead: serverName(config.server), tail: visible(text(config.tool)) }
  if (node.type === 'resource') return { lead: serverName(config.server), tail: text(config.uri) }
  if (node.type === 'prompt') return { lead: serverName(config.server), tail: text(config.prompt) }
  if (typeof config.model === 'string' && config.model) return { lead: '', tail: config.model }
  if (node.type === 'workflow') return { lead: '', tail: text(config.workflow) || node.type }
  if (node.type === 'http') return { lead: '', tail: `http ${text(config.method) || 'GET'}` }
  if (node.type === 'code') return { lead: '', tail: 'Python' }
  if (node.type === 'iteration' && Number(config.concurrency) > 1)
    return { lead: node.type, tail: `×${config.concurrency}` }
  return { lead: '', tail: node.type }
}

/** The servers whose tools a model may use, with the number of tools chosen (null = all). */
export function toolServers(node: GraphNode): { server: string; count: number | null }[] {
  const tools = node.config.tools
  const servers =
    tools !== null && typeof tools === 'object' ? (tools as { servers?: unknown }).servers : null
  if (!Array.isArray(servers)) return []
  return servers.map((entry) => ({
    server: serverName(entry?.server),
    count: Array.isArray(entry?.include) ? entry.include.length : null,
  }))
}
