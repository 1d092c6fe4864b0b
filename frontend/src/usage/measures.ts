/** What can be looked at: runs, tokens, cost, tool calls; each as the parts that a bar is stacked of. */
import type { Amounts } from '@/api/usage'

import { compact, cost, number } from '@/ui'

export const MEASURES = ['runs', 'tokens', 'cost', 'tool_calls'] as const
export type Measure = (typeof MEASURES)[number]

/** Words that need nothing filled in. */
export type Label = `usage.${Measure | 'rounds' | 'succeeded' | 'failed' | 'cancelled' | 'input' | 'output'}`

export interface Part {
  readonly name: Label
  /** A colour of the tokens, by its CSS class. */
  readonly tone: 'ok' | 'failed' | 'idle' | 'accent' | 'soft'
  readonly of: (amounts: Amounts) => number
}

interface Look {
  readonly label: Label
  readonly parts: readonly Part[]
  readonly full: (value: number) => string
  readonly short: (value: number) => string
}

export const LOOKS: Readonly<Record<Measure, Look>> = {
  runs: {
    label: 'usage.runs',
    parts: [
      { name: 'usage.succeeded', tone: 'ok', of: (a) => a.runs - a.failed - a.cancelled },
      { name: 'usage.failed', tone: 'failed', of: (a) => a.failed },
      { name: 'usage.cancelled', tone: 'idle', of: (a) => a.cancelled },
    ],
    full: number,
    short: compact,
  },
  tokens: {
    label: 'usage.tokens',
    parts: [
      { name: 'usage.input', tone: 'accent', of: (a) => a.input_tokens },
      { name: 'usage.output', tone: 'soft', of: (a) => a.output_tokens },
    ],
    full: number,
    short: compact,
  },
  cost: {
    label: 'usage.cost',
    parts: [{ name: 'usage.cost', tone: 'accent', of: (a) => a.cost }],
    full: cost,
    short: cost,
  },
  tool_calls: {
    label: 'usage.tool_calls',
    parts: [{ name: 'usage.tool_calls', tone: 'accent', of: (a) => a.tool_calls }],
    full: number,
    short: compact,
  },
}

export const totalOf = (measure: Measure, amounts: Amounts): number =>
  LOOKS[measure].parts.reduce((sum, part) => sum + part.of(amounts), 0)

/** Days in a row, both included, of the last `count` until today (UTC). */
export function lastDays(count: number, today = new Date()): readonly string[] {
  const end = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate())
  return Array.from({ length: count }, (_, n) =>
    new Date(end - (count - 1 - n) * 86_400_000).toISOString().slice(0, 10),
  )
}

/** The next round number at or above: 1, 2, 3, 4, 5, 6, 8 times a power of ten. */
export function ceiling(value: number, whole: boolean): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const match =
    [1, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= value * 0.999_999) ?? value
  return whole ? Math.max(1, Math.ceil(match)) : match
}
