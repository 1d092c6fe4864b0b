/** Which ports a node has: those of its type, those that its configuration names, and the error port. */
import type { GraphNode, NodeType, PortSpec } from '@/graph/types'

export interface Port {
  name: string
  /** What the card shows beside the port. */
  label: string
}

function asPort(port: string | PortSpec): Port {
  return typeof port === 'string'
    ? { name: port, label: port }
    : { name: port.name, label: port.title ?? port.name }
}

/** Lists in a configuration that give one port per entry. */
const CASE_LISTS: Record<string, { key: string; rest?: string }> = {
  switch: { key: 'cases', rest: 'default' },
  classifier: { key: 'classes' },
}

function casePorts(node: GraphNode): Port[] | null {
  if (node.type === 'placeholder' && Array.isArray(node.config.ports)) return node.config.ports.map(asPort)
  const list = CASE_LISTS[node.type]
  if (!list) return null
  const entries = node.config[list.key]
  const ports: Port[] = []
  for (const entry of Array.isArray(entries) ? entries : []) {
    const id: unknown = entry?.id
    if (typeof id === 'string' && id && !ports.some((port) => port.name === id))
      ports.push({ name: id, label: id })
  }
  if (list.rest) ports.push({ name: list.rest, label: list.rest })
  return ports
}

/** Ports for types that the server did not describe (an unknown type, or the list is still loading). */
const FALLBACK_OUT: Record<string, string[]> = {
  end: [],
  answer: ['out'],
  if: ['true', 'false'],
  approval: ['approved', 'declined'],
}

/** The ports that edges may leave from, in the order they stand on the card. */
export function outPorts(node: GraphNode, type: NodeType | undefined): Port[] {
  const dynamic = casePorts(node)
  const ports =
    dynamic ?? (type ? type.ports.out.map(asPort) : (FALLBACK_OUT[node.type] ?? ['out']).map(asPort))
  return node.on_error === 'port' ? [...ports, { name: 'error', label: 'error' }] : ports
}

/** The ports that edges may end at. */
export function inPorts(node: GraphNode, type: NodeType | undefined): Port[] {
  if (type) return type.ports.in.map(asPort)
  return node.type === 'start' ? [] : [{ name: 'in', label: 'in' }]
}
