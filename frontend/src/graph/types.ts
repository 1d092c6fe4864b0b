/**
 * The graph document as it is stored, and what describes it.
 *
 * The shapes follow the contract exactly. Unknown keys are kept: reading and writing a document gives back the same JSON.
 */

import type { components } from '@/api/schema'

export interface Point {
  x: number
  y: number
}

export interface Size {
  width: number
  height: number
}

export interface Rect extends Point, Size {}

type Schemas = components['schemas']
type DocumentNode = Omit<Schemas['Node'], 'retry' | 'timeout_s'>
type DocumentEdge = Schemas['Edge']
type DocumentNote = Schemas['Annotation']
type DocumentGraph = Pick<Schemas['Graph'], 'schema' | 'language' | 'env' | 'mcp_servers' | 'approvers'>

export type OnError = NonNullable<Schemas['Node']['on_error']>

export type Retry = Schemas['Retry'] & { max: number }

/** A node as the editor holds it: with its place and a config, and with keys that nobody listed. */
export interface GraphNode extends DocumentNode {
  /** Version of the node's type. */
  v: number
  /** Relative to the document, also inside a frame. */
  position: Point
  config: Record<string, unknown>
  retry?: Retry
  timeout_s?: number
  [extra: string]: unknown
}

export interface GraphEdge extends DocumentEdge {
  source_port: string
  target_port: string
  [extra: string]: unknown
}

export interface Annotation extends DocumentNote {
  [extra: string]: unknown
}

/** The document. Keys that are not listed (budgets, concurrency, …) are kept as they are. */
export interface Graph extends DocumentGraph {
  variables?: Record<string, unknown>
  nodes: GraphNode[]
  edges: GraphEdge[]
  annotations?: Annotation[]
  [extra: string]: unknown
}

/** What is selected; the three lists together are one selection. */
export interface Selection {
  nodes: readonly string[]
  edges: readonly string[]
  annotations: readonly string[]
}

export const NOTHING: Selection = { nodes: [], edges: [], annotations: [] }

/** A finding about the graph, as the server gives it. */
export interface Problem {
  code: string
  severity: 'error' | 'warning'
  node?: string | null
  edge?: string | null
  /** JSON pointer into the node (or the document when no node is named). */
  path?: string
  message: string
  hint?: string
  /** What the sentences were made with. */
  params?: unknown
}

export interface PortSpec {
  name: string
  title?: string
}

/** One entry of `GET /api/node-types`. */
export interface NodeType {
  type: string
  v: number
  group: string
  title: string
  description: string
  config_schema: Record<string, unknown>
  output_schema: Record<string, unknown>
  ports: { in: readonly (string | PortSpec)[]; out: readonly (string | PortSpec)[] }
  /** The ports depend on the node's configuration. */
  dynamic_ports?: unknown
  effect?: string
}

export type NodeTypes = ReadonlyMap<string, NodeType>

/** What an undo step is called; the texts are `graph.edit.<label>` in the dictionaries. */
export type EditLabel =
  | 'add'
  | 'move'
  | 'resize'
  | 'connect'
  | 'reconnect'
  | 'delete'
  | 'duplicate'
  | 'paste'
  | 'cut'
  | 'rename'
  | 'retitle'
  | 'replace'
  | 'config'
  | 'settings'
  | 'disable'
  | 'pin'
  | 'align'
  | 'distribute'
  | 'tidy'
  | 'note'
  | 'group'
  | 'document'
  | 'restore'

export function emptyGraph(): Graph {
  return { schema: 1, nodes: [], edges: [], annotations: [] }
}
