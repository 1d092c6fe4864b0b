/** What the server says a retry or fork would do, and what is read out of documents for its dialog. */

export interface RerunStep {
  readonly node: string
  readonly title: string
  readonly type: string
}

export interface RerunPlan {
  readonly origin_run: string
  readonly origin_node: string | null
  readonly kept: readonly RerunStep[]
  readonly runs: readonly (RerunStep & { readonly why: Why; readonly rounds_kept: number })[]
  readonly inside: readonly RerunningStep[]
  readonly below: readonly RerunDescendant[]
  readonly writes: readonly Write[]
  readonly writes_total: number
}

/** An iteration or a loop in a round of another that goes on. */
export interface RerunningStep extends RerunStep {
  readonly path: readonly { readonly node: string; readonly index: number }[]
  readonly rounds_kept: number
}

/** A run that a step had started: what is taken over where it starts one again with the same inputs. */
export interface RerunDescendant extends RerunningStep {
  readonly run: string
  readonly workflow: string
  readonly steps_kept: number
}

export type Why = 'point' | 'after' | 'unfinished' | 'changed' | 'new'

/** A call that changed the world; `unknown` = it may have happened. */
export interface Write {
  readonly node: string
  readonly run: string
  readonly step: string
  readonly server: string | null
  readonly tool: string | null
  readonly arguments: unknown
  readonly at: string
  readonly effect: 'write' | 'idempotent'
  readonly outcome: 'done' | 'failed' | 'unknown'
}

interface DocumentNode {
  readonly id?: unknown
  readonly type?: unknown
  readonly config?: { readonly inputs?: unknown }
}

function startOf(graph: unknown): DocumentNode | undefined {
  const nodes = (graph as { nodes?: unknown } | null)?.nodes
  return Array.isArray(nodes) ? (nodes as DocumentNode[]).find((node) => node?.type === 'start') : undefined
}

/** The id of a document's start node. */
export function startNode(graph: unknown): string | null {
  const id = startOf(graph)?.id
  return typeof id === 'string' ? id : null
}

/** What the start node asks for; null where it asks for nothing. */
export function inputSchema(graph: unknown): Readonly<Record<string, unknown>> | null {
  const schema = startOf(graph)?.config?.inputs
  if (typeof schema !== 'object' || schema === null) return null
  const { properties } = schema as { properties?: unknown }
  const asks = typeof properties === 'object' && properties !== null && Object.keys(properties).length > 0
  return asks ? (schema as Readonly<Record<string, unknown>>) : null
}

/** Whether two documents say the same; the order of members does not count. */
export function sameGraph(entry: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(entry)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([value], [other]) => (value < other ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
