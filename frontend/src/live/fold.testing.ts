/** Logs for tests: one that a person can read, and any number that fast-check makes up. */

import type { RunEvent } from '@/api/run-types'
import { fc } from '@/testing/properties'

const BEGIN = Date.parse('2026-11-21T14:02:07Z')

export type Line = [
  ms: number,
  node: string | null,
  type: string,
  data?: Record<string, unknown>,
  index?: number,
  step?: string,
]

/** A log from short lines; a step is its node, in an iteration its node and the round, else the step that is named. */
export function logOf(lines: readonly Line[], run = 'r'): RunEvent[] {
  return lines.map(([ms, node, type, data = {}, index, step], position) => ({
    run,
    seq: position + 1,
    ts: new Date(BEGIN + ms).toISOString(),
    type,
    node,
    path: index === undefined ? [] : [{ node: 'each', index }],
    step: node === null ? null : (step ?? (index === undefined ? `step_${node}` : `step_${node}_${index}`)),
    data,
  }))
}

export function at(ms: number): number {
  return BEGIN + ms
}

/** A run whose tool fails once, is tried again, and whose second tool asks a person. */
export function aRun(): RunEvent[] {
  return logOf([
    [0, null, 'FLOW_QUEUED'],
    [10, null, 'FLOW_START', { inputs: { q: 'x' }, version: 7 }],
    [20, 'fetch', 'STEP_INIT', { attempt: 1 }],
    [21, 'fetch', 'STEP_INPUT', { input: { url: 'u' } }],
    [22, 'fetch', 'TOOL_REQUEST', { call: 'call', server: 'web', tool: 'get', arguments: { url: 'u' } }],
    [1022, 'fetch', 'STEP_RETRY', { attempt: 2, delay_ms: 1000, code: 'MCP_TIMEOUT' }],
    [2022, 'fetch', 'STEP_INIT', { attempt: 2 }],
    [2023, 'fetch', 'STEP_INPUT', { input: { url: 'u' } }],
    [2024, 'fetch', 'TOOL_REQUEST', { call: 'call', server: 'web', tool: 'get', arguments: { url: 'u' } }],
    [
      2524,
      'fetch',
      'TOOL_RESPONSE',
      { call: 'call', content: [], structured: { a: 1 }, is_error: false, ms: 500 },
    ],
    [2525, 'fetch', 'STEP_OUTPUT', { output: { result: 'ok' } }],
    [2530, 'save', 'STEP_INIT', { attempt: 1 }],
    [2531, 'save', 'STEP_INPUT', { input: {} }],
    [
      2532,
      'save',
      'STEP_WAITING_FOR_START',
      {
        interaction: 'int_1',
        tool: { server: 'fs', name: 'write' },
        arguments: { path: 'p' },
        risk: { level: 'HIGH', reasons: ['destructive'] },
      },
    ],
    [2533, null, 'FLOW_STOP', { waiting: [{ kind: 'person', interaction: 'int_1' }] }],
    [62_533, null, 'FLOW_RESUME'],
    [62_534, 'save', 'STEP_ANSWERED', { interaction: 'int_1', action: 'accept', by: 'bob@example.org' }],
    [62_535, 'save', 'TOOL_REQUEST', { call: 'call', server: 'fs', tool: 'write', arguments: { path: 'p' } }],
    [62_600, 'save', 'TOOL_RESPONSE', { call: 'call', content: [], is_error: false, ms: 65 }],
    [62_601, 'save', 'STEP_OUTPUT', { output: { result: 'saved' } }],
    [62_602, 'other', 'STEP_SKIP'],
    [62_610, null, 'FLOW_SUCCESS', { outputs: { result: 'saved' } }],
  ])
}

// as it comes off the wire, where -0 is 0
const payload = fc.jsonValue({ maxDepth: 1 }).map((value): unknown => JSON.parse(JSON.stringify(value)))
const call = fc.constantFrom('a', 'b')

const stepEvent: fc.Arbitrary<[type: string, data: Record<string, unknown>]> = fc.oneof(
  fc.tuple(fc.constant('STEP_INIT'), fc.record({ attempt: fc.integer({ min: 1, max: 3 }) })),
  fc.tuple(fc.constant('STEP_INPUT'), fc.record({ input: payload })),
  fc.tuple(
    fc.constantFrom('STEP_WAITING_FOR_START', 'STEP_WAITING_FOR_PARAM', 'STEP_WAITING_FOR_INPUT'),
    fc.record({ interaction: fc.constantFrom('int_1', 'int_2'), message: fc.string() }),
  ),
  fc.tuple(
    fc.constant('STEP_ANSWERED'),
    fc.record({
      interaction: fc.constantFrom('int_1', 'int_2', 'int_3'),
      action: fc.constant('accept'),
      by: fc.string(),
    }),
  ),
  fc.tuple(
    fc.constant('STEP_RETRY'),
    fc.record({ attempt: fc.integer(), delay_ms: fc.nat(), code: fc.string() }),
  ),
  fc.tuple(
    fc.constant('STEP_RETRY'),
    fc.record({ attempt: fc.integer(), delay_ms: fc.nat(), code: fc.string(), call }),
  ),
  fc.tuple(
    fc.constant('BUDGET_EXCEEDED'),
    fc.record({ budget: fc.constantFrom('tokens', 'cost'), limit: fc.nat(), used: fc.nat() }),
  ),
  fc.tuple(
    fc.constantFrom('FLOW_START', 'FLOW_SUCCESS', 'FLOW_FAILED', 'FLOW_CANCEL'),
    fc.record({ name: fc.string(), risk: fc.constantFrom('LOW', 'HIGH', 3), reason: fc.string() }),
  ),
  fc.tuple(
    fc.constant('STEP_PROGRESS'),
    fc.record({ progress: fc.nat(), total: fc.option(fc.nat()), message: fc.option(fc.string()) }),
  ),
  fc.tuple(
    fc.constant('STEP_LOG'),
    fc.record({ level: fc.constantFrom('info', 'error'), text: fc.string() }),
  ),
  fc.tuple(
    fc.constant('TOOL_REQUEST'),
    fc.record({ call, server: fc.string(), tool: fc.string(), arguments: payload }),
  ),
  fc.tuple(
    fc.constant('TOOL_RESPONSE'),
    fc.record({ call, content: payload, is_error: fc.boolean(), ms: fc.nat() }),
  ),
  fc.tuple(
    fc.constant('LLM_REQUEST'),
    fc.record({
      call,
      model: fc.string(),
      messages: fc.oneof(payload, fc.array(payload, { maxLength: 3 })),
      base: fc.option(fc.record({ call, messages: fc.nat(4), tools: fc.boolean() })),
    }),
  ),
  fc.tuple(
    fc.constant('LLM_RESPONSE'),
    fc.record({
      call,
      text: fc.string(),
      tool_calls: fc.oneof(payload, fc.array(fc.record({ id: fc.string(), name: fc.string() }))),
      error: fc.option(fc.record({ code: fc.string() })),
      usage: fc.record({ input_tokens: fc.nat(99), output_tokens: fc.nat(99), cost: fc.constant(0) }),
    }),
  ),
  fc.tuple(
    fc.constant('TEXT_ADD'),
    fc.record({
      text: fc.string({ unit: 'binary' }),
      call: fc.option(call, { nil: undefined }),
      offset: fc.nat(6),
      channel: fc.constantFrom('text', 'reasoning'),
    }),
  ),
  fc.tuple(
    fc.constantFrom('STEP_OUTPUT', 'STEP_SKIP', 'STEP_CANCEL', 'STEP_OF_TOMORROW'),
    fc.record({ output: payload }),
  ),
  fc.tuple(fc.constant('STEP_ERROR'), fc.record({ code: fc.string(), message: fc.string() })),
)

const runEvent: fc.Arbitrary<[type: string, data: Record<string, unknown>]> = fc.oneof(
  fc.tuple(fc.constantFrom('FLOW_QUEUED', 'FLOW_RESUME', 'FLOW_OF_TOMORROW'), fc.constant({})),
  fc.tuple(fc.constant('FLOW_START'), fc.record({ inputs: payload, version: fc.option(fc.nat()) })),
  fc.tuple(
    fc.constant('FLOW_STOP'),
    fc.record({ waiting: fc.array(fc.record({ kind: fc.constantFrom('person', 'timer', 'pause') })) }),
  ),
  fc.tuple(fc.constantFrom('FLOW_SUCCESS', 'FLOW_CANCEL'), fc.record({ outputs: payload, by: fc.string() })),
)

/** Any log: also orders that no engine would write, since the fold must not depend on good manners. */
export function logs(maxLength = 40): fc.Arbitrary<RunEvent[]> {
  const line = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.tuple(
        fc.nat(50),
        fc.constantFrom('a', 'b', 'c'),
        stepEvent,
        fc.option(fc.nat(2), { nil: undefined }),
      ),
    },
    { weight: 1, arbitrary: fc.tuple(fc.nat(50), fc.constant(null), runEvent, fc.constant(undefined)) },
  )
  return fc.array(line, { minLength: 1, maxLength }).map((lines) => {
    let ms = 0
    return logOf(
      lines.map(([later, node, [type, data], index]): Line => {
        ms += later
        // the third node's steps lie inside the first one's, as a planner's do
        return [ms, node, type, node === 'c' ? { ...data, parent: 'step_a' } : data, index]
      }),
    )
  })
}
