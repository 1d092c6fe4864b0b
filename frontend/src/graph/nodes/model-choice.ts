/** Which model a new node asks at first: that of the last node that asks one, else the one that is offered. */
import type { Graph, NodeType } from '@/graph/types'

export interface ModelChoice {
  provider: string
  model: string
}

/** Whether nodes of this type ask a model, by the marks in their configuration's schema. */
export function asksModel(type: Pick<NodeType, 'config_schema'>): boolean {
  const properties = type.config_schema?.properties
  if (properties === null || typeof properties !== 'object') return false
  const marks = Object.values(properties as Record<string, { 'x-widget'?: unknown } | null>).map(
    (property) => property?.['x-widget'],
  )
  return marks.includes('provider') && marks.includes('model')
}

/** The choice of the last node that has both. */
export function lastChoice(graph: Graph): ModelChoice | undefined {
  for (const { config } of [...graph.nodes].reverse()) {
    const { provider, model } = config
    if (typeof provider === 'string' && provider && typeof model === 'string' && model)
      return { provider, model }
  }
  return undefined
}
