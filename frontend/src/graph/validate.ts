/**
 * The cheap local check: what can be said at once while a person edits. The server stays the authority; its findings
 * replace these when a save comes back. Only codes and places here, the texts are `graph.problem.<code>`.
 */
import { RESERVED, references } from './expressions'
import { isFrame } from './layout/geometry'
import { inPorts, outPorts } from './nodes/ports'
import type { Graph, NodeTypes } from './types'
import { framesOf, upstreamOf } from './upstream'

export type LocalCode =
  | 'no_start'
  | 'two_starts'
  | 'unreachable'
  | 'unknown_type'
  | 'unknown_port'
  | 'not_upstream'
  | 'unknown_reference'
  | 'dangling_edge'

export interface LocalProblem {
  code: LocalCode
  severity: 'error' | 'warning'
  node?: string
  edge?: string
  params: Record<string, string>
}

function reachable(graph: Graph, start: string): Set<string> {
  const targets = new Map<string, string[]>()
  for (const edge of graph.edges) targets.set(edge.source, [...(targets.get(edge.source) ?? []), edge.target])
  const entered = new Set(
    graph.edges
      .filter((edge) => graph.nodes.some((node) => node.id === edge.source))
      .map((edge) => edge.target),
  )
  const seen = new Set([start])
  const queue = [start]
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    const next = [...(targets.get(id) ?? [])]
    for (const node of graph.nodes) if (node.parent === id && !entered.has(node.id)) next.push(node.id)
    for (const each of next) {
      if (seen.has(each)) continue
      seen.add(each)
      queue.push(each)
    }
  }
  return seen
}

function checkEdges(graph: Graph, types: NodeTypes): LocalProblem[] {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]))
  const matches: LocalProblem[] = []
  for (const edge of graph.edges) {
    const source = byId.get(edge.source)
    const target = byId.get(edge.target)
    if (!source || !target) {
      matches.push({ code: 'dangling_edge', severity: 'error', edge: edge.id, params: { edge: edge.id } })
      continue
    }
    const leaves = outPorts(source, types.get(source.type)).some((port) => port.name === edge.source_port)
    const arrives = inPorts(target, types.get(target.type)).some((port) => port.name === edge.target_port)
    if (leaves && arrives) continue
    matches.push({
      code: 'unknown_port',
      severity: 'error',
      edge: edge.id,
      node: leaves ? target.id : source.id,
      params: { port: leaves ? edge.target_port : edge.source_port },
    })
  }
  return matches
}

function checkReferences(graph: Graph): LocalProblem[] {
  const known = new Set(graph.nodes.map((node) => node.id))
  const matches: LocalProblem[] = []
  for (const node of graph.nodes) {
    if (node.type === 'template') continue // a template may name loop variables of its own
    const names = [...references(node)].filter((name) => !RESERVED.has(name))
    if (names.length === 0) continue
    const allowed = new Set(
      [...upstreamOf(graph, node.id), ...framesOf(graph, node.id)].map((other) => other.id),
    )
    if (isFrame(node)) for (const other of graph.nodes) if (other.parent === node.id) allowed.add(other.id)
    for (const name of names) {
      if (allowed.has(name)) continue
      const code = known.has(name) ? 'not_upstream' : 'unknown_reference'
      matches.push({ code, severity: 'error', node: node.id, params: { name } })
    }
  }
  return matches
}

/** What is wrong with the graph as far as the page can tell. */
export function checkLocally(graph: Graph, types: NodeTypes): LocalProblem[] {
  const matches: LocalProblem[] = []
  const starts = graph.nodes.filter((node) => node.type === 'start')
  const [start] = starts
  if (!start) matches.push({ code: 'no_start', severity: 'error', params: {} })
  for (const extra of starts.slice(1))
    matches.push({ code: 'two_starts', severity: 'error', node: extra.id, params: {} })
  if (types.size > 0) {
    for (const node of graph.nodes) {
      if (types.has(node.type)) continue
      matches.push({ code: 'unknown_type', severity: 'error', node: node.id, params: { type: node.type } })
    }
  }
  if (start) {
    const seen = reachable(graph, start.id)
    for (const node of graph.nodes) {
      if (seen.has(node.id) || node.type === 'start') continue
      matches.push({ code: 'unreachable', severity: 'warning', node: node.id, params: {} })
    }
  }
  return [...matches, ...checkEdges(graph, types), ...checkReferences(graph)]
}
