import { describe, expect, it } from 'vitest'
import type { RunEvent } from '@/api/run-types'
import { fc } from '@/testing/properties'
import { emptyFold, fold, RunHistory, replaceFrom } from './fold'
import { aRun, at, logOf, logs } from './fold.testing'

const folded = (log: readonly RunEvent[]) => fold(emptyFold('r'), log).state

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (value instanceof Map) {
    for (const entry of value.values()) frozen(entry)
    return value
  }
  Object.freeze(value)
  for (const entry of Object.values(value)) frozen(entry)
  return value
}

describe('the fold', () => {
  it('gives the same state from a snapshot and what follows as from the whole log', () => {
    fc.assert(
      fc.property(logs(), fc.nat(), (log, cut) => {
        const index = cut % (log.length + 1)
        const snapshot = frozen(folded(log.slice(0, index)))
        expect(fold(snapshot, log.slice(index)).state).toEqual(folded(log))
      }),
      { numRuns: 300 },
    )
  })

  it('is not changed by what it was told before', () => {
    fc.assert(
      fc.property(logs(), (log) => {
        const state = folded(log)
        expect(fold(state, log).state).toEqual(state)
      }),
    )
  })

  it('shows any moment of the log as it was then, also between checkpoints', () => {
    fc.assert(
      fc.property(logs(), fc.integer({ min: 1, max: 9 }), fc.nat(), (log, every, seq) => {
        const history = new RunHistory('r', every)
        for (const event of log) history.append([event])
        const index = seq % (log.length + 2)
        expect(history.at(index)).toEqual(folded(log.slice(0, index)))
      }),
    )
  })

  it('names the nodes that changed, and no other step is a new object', () => {
    fc.assert(
      fc.property(logs(), logs(5), (log, more) => {
        const before = folded(log)
        const next = fold(
          before,
          more.map((event) => ({ ...event, seq: event.seq + log.length })),
        )
        for (const [id, step] of before.steps) {
          if (!next.touched.has(step.node)) expect(next.state.steps.get(id)).toBe(step)
        }
      }),
    )
  })

  it('tells how a run went', () => {
    const state = folded(aRun())
    expect(state.state).toBe('SUCCESS')
    expect(state.outputs).toEqual({ result: 'saved' })
    expect([state.queuedAt, state.startedAt, state.endedAt]).toEqual([at(0), at(10), at(62_610)])
    expect([...state.steps.values()].map((step) => [step.node, step.state])).toEqual([
      ['fetch', 'SUCCESS'],
      ['save', 'SUCCESS'],
      ['other', 'SKIPPED'],
    ])
  })

  it('keeps every attempt, why it was tried again and the wait in between', () => {
    const fetch = folded(aRun()).steps.get('step_fetch')
    expect(fetch?.attempt).toBe(2)
    expect(fetch?.attempts).toEqual([
      { attempt: 1, from: at(20), to: at(1022), code: 'MCP_TIMEOUT' },
      { attempt: 2, from: at(2022), to: at(2525), code: null },
    ])
    expect(fetch?.waits).toEqual([{ kind: 'retry', from: at(1022), to: at(2022), interaction: null }])
    expect(fetch?.toolCalls.map((call) => [call.attempt, call.ms])).toEqual([
      [1, null],
      [2, 500],
    ])
  })

  it('holds a question open until it is answered', () => {
    const log = aRun()
    const waiting = folded(log.slice(0, 15))
    expect(waiting.state).toBe('WAITING')
    expect(waiting.questions.get('int_1')).toMatchObject({ state: 'open', kind: 'approval', node: 'save' })
    expect(waiting.steps.get('step_save')).toMatchObject({ state: 'WAITING', interaction: 'int_1' })
    const answered = folded(log.slice(0, 17))
    expect(answered.questions.get('int_1')).toMatchObject({
      state: 'answered',
      action: 'accept',
      by: 'bob@example.org',
    })
    expect(answered.steps.get('step_save')).toMatchObject({ state: 'RUNNING', interaction: null })
    expect(answered.steps.get('step_save')?.waits).toEqual([
      { kind: 'approval', from: at(2532), to: at(62_534), interaction: 'int_1' },
    ])
  })

  it('closes open questions with the run', () => {
    const log = [
      ...aRun().slice(0, 15),
      ...logOf([[9000, null, 'FLOW_CANCEL', { by: 'bob' }]]).map((e) => ({ ...e, seq: 16 })),
    ]
    const state = folded(log)
    expect(state.state).toBe('CANCELLED')
    expect(state.questions.get('int_1')?.state).toBe('cancelled')
  })

  it('tells a pause from a wait', () => {
    const log = logOf([
      [0, null, 'FLOW_START', { inputs: {} }],
      [5, null, 'FLOW_STOP', { waiting: [{ kind: 'pause' }] }],
    ])
    expect(folded(log).state).toBe('PAUSED')
  })

  it('keeps what an iteration did in each round apart', () => {
    const log = logOf([
      [0, 'read', 'STEP_INIT', { attempt: 1 }, 0],
      [1, 'read', 'STEP_INIT', { attempt: 1 }, 1],
      [2, 'read', 'STEP_OUTPUT', { output: 1 }, 1],
    ])
    const state = folded(log)
    expect(state.byNode.get('read')).toEqual(['step_read_0', 'step_read_1'])
    expect(state.steps.get('step_read_0')?.state).toBe('INIT')
    expect(state.steps.get('step_read_1')?.state).toBe('SUCCESS')
  })

  it('lets a planner announce its own flow without ending the run', () => {
    const log = logOf([
      [0, null, 'FLOW_START', { inputs: {} }],
      [1, 'plan', 'STEP_INIT', { attempt: 1 }],
      [2, 'plan', 'FLOW_FAILED', { code: 'X' }],
    ])
    expect(folded(log).state).toBe('RUNNING')
  })

  it("puts a model's text and its cost where they belong", () => {
    const log = logOf([
      [0, 'ask', 'STEP_INIT', { attempt: 1 }],
      [1, 'ask', 'LLM_REQUEST', { call: 'round:1', model: 'm', messages: [] }],
      [2, 'ask', 'TEXT_ADD', { text: 'Hel', offset: 0, channel: 'text' }],
      [3, 'ask', 'TEXT_ADD', { text: 'lo', offset: 3, channel: 'text' }],
      [
        4,
        'ask',
        'LLM_RESPONSE',
        { call: 'round:1', text: 'Hello', usage: { input_tokens: 5, output_tokens: 2, cost: 0.1 }, ms: 3 },
      ],
    ])
    expect(folded(log.slice(0, 4)).steps.get('step_ask')?.llmCalls[0]?.text).toBe('Hello')
    expect(folded(log).usage).toMatchObject({ input_tokens: 5, output_tokens: 2, cost: 0.1 })
  })
})

describe('text by offsets', () => {
  it('counts code points, and what stood after the offset is gone', () => {
    expect(replaceFrom('ab😀d', 3, 'XY')).toBe('ab😀XY')
    expect(replaceFrom('ab😀d', 2, 'X')).toBe('abX')
    expect(replaceFrom('ab', 2, '😀')).toBe('ab😀')
    expect(replaceFrom('as it was', 0, 'again')).toBe('again')
  })

  it('refuses to leave a hole', () => {
    expect(replaceFrom('ab', 3, 'x')).toBeNull()
    expect(replaceFrom('😀', 2, 'x')).toBeNull()
  })
})
