/** The corpus of expressions with their results, as the browser evaluates them; the server reads the same file. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { evaluate, lookupIn } from '@/forms/expressions/expression'

interface Case {
  readonly expression: string
  readonly value?: unknown
  readonly error?: string
  /** What the browser shows where its JSON has lost what the server knows: 3.0, the order of keys that are numbers. */
  readonly browser?: unknown
}

const { scope, cases } = JSON.parse(readFileSync('../tests/expressions.json', 'utf8')) as {
  scope: unknown
  cases: readonly Case[]
}

describe('expressions', () => {
  it.each(cases)('$expression', ({ expression, value, error, browser = value }) => {
    const outcome = evaluate(expression, lookupIn(scope))
    if (error === undefined) expect(outcome.ok ? outcome.value : outcome.reason).toEqual(browser)
    else expect(outcome.ok).toBe(false)
  })
})
