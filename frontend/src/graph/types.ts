/**
 * The graph document as it is stored, and what describes it.
 *
 * The shapes follow the contract exactly. Unknown keys are kept: reading and writing a document gives back the same JSON.
 */

export interface Point {
  x: number
  y: number
}

export interface Size {
  width: number
  height: number
}

export interface Rect extends Point, Size {}

export type OnError = 'fail' | 'continue' | 'port'

export interface Retry {
  max: number
  delay_s?: number
  factor?: number
  max_delay_s?: number
}

export interface GraphNode {
  id: string
  type: string
  /** Version of the node's type. */
  v: number
  title?: string
  /** The frame (iteration, loop) around the node. */
  parent?: string | null
  /** Relative to the document, also inside a frame. */
  position: Point
  config: Record<string, unknown>
  on_error?: OnError
  retry?: Retry
  timeout_s?: number
  disabled?: boolean
  /** Outputs that a draft run uses instead of running the node. */
  pinned?: unknown
  [extra: string]: unknown
}

export interface GraphEdge {
  id: string
  source: string
  source_port: string
  target: string
  target_port: string
  [extra: string]: unknown
}

export interface Annotation {
  id: string
  kind: 'note' | 'group'
  text: string
  position: Point
  size: Size
  color?: string
  [extra: string]: unknown
}

/** The document. Keys that are not listed (variables, env, mcp_servers, …) are kept as they are. */
export interface Graph {
  schema: 1
  language?: string
  variables?: Record<string, unknown>
  env?: Record<string, unknown>
  mcp_servers?: Record<string, unknown>
  /** Who must agree to what its runs ask approval for. */
  approvers?: string
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

export function emptyGraph(): Graph {
  return { schema: 1, nodes: [], edges: [], annotations: [] }
}
