import { describe, expect, it } from 'vitest'
import type { RunEvent } from '@/api/run-types'
import { emptyFold, fold } from '@/live/fold'
import { logOf } from '@/live/fold.testing'
import { anAgent, aPlanner } from '@/live/talks.testing'
import { type RoundTurn, transcript, turnsOf } from './turns'

function turns(log: readonly RunEvent[], id = 'step_agent') {
  const state = fold(emptyFold('r'), log).state
  const step = state.steps.get(id)
  return step ? turnsOf(step, state) : []
}
const rounds = (log: readonly RunEvent[]) =>
  turns(log).filter((turn): turn is RoundTurn => turn.kind === 'round')

describe('a conversation', () => {
  it('shows each thing once, in order', () => {
    expect(turns(anAgent()).map((turn) => (turn.kind === 'message' ? turn.role : turn.kind))).toEqual([
      'system',
      'user',
      'round',
      'round',
      'budget',
      'user',
      'round',
    ])
  })

  it('keeps the tries of a round with it', () => {
    const [first] = rounds(anAgent())
    expect(first?.tries.map((call) => call.error?.code)).toEqual(['LLM_RATE_LIMITED'])
    expect(first?.retries).toHaveLength(1)
    expect(first?.call.text).toBe('First I look.')
  })

  it('puts to each call what became of it', () => {
    const [first, second] = rounds(anAgent())
    expect(first?.called.map((call) => [call.name, call.status])).toEqual([
      ['git/git_log', 'succeeded'],
      ['git/git_show', 'failed'],
    ])
    expect(second?.called.map((call) => [call.name, call.status, call.changed])).toEqual([
      ['fs/edit_file', 'succeeded', true],
      ['fs/delete', 'skipped', false],
      ['fs__fly', 'failed', false],
    ])
    expect(second?.called[0]?.arguments).toEqual({ path: 'c.md' })
    expect(second?.called[1]?.questions[0]?.reason).toBe('keep it')
    expect(second?.called[2]).toMatchObject({
      arguments: '{broken',
      modelText: 'The arguments are not JSON.',
    })
  })

  it('shows a call that waits for a person, and one whose turn has not come', () => {
    const log = anAgent()
    const index = log.findIndex((event) => event.data.interaction === 'int_c')
    const round = rounds(log.slice(0, index + 1)).at(-1)
    expect(round?.called.map((call) => call.status)).toEqual(['person', 'queued', 'queued'])
    expect(round?.called[0]?.name).toBe('fs/edit_file')
  })

  it('says that a call may have happened when the step ended without its answer', () => {
    const log = logOf([
      [0, 'agent', 'STEP_INIT', { attempt: 1 }],
      [1, 'agent', 'LLM_REQUEST', { call: 'round:1', messages: [] }],
      [
        2,
        'agent',
        'LLM_RESPONSE',
        { call: 'round:1', tool_calls: [{ id: 'a', name: 'w', arguments: '{}' }] },
      ],
      [3, 'agent', 'TOOL_REQUEST', { call: 'round:1/call:1', server: 's', tool: 'w', arguments: {} }],
      [4, 'agent', 'STEP_CANCEL'],
    ])
    expect(rounds(log)[0]?.called[0]).toMatchObject({ status: 'waiting', lost: true })
  })

  it('keeps calls with their round where the list of them is stored elsewhere', () => {
    const stored = { $ref: 'blob_1', size: 20_000, preview: '[' }
    const log = logOf([
      [0, 'agent', 'STEP_INIT', { attempt: 1 }],
      [1, 'agent', 'LLM_REQUEST', { call: 'round:1', messages: [] }],
      [2, 'agent', 'LLM_RESPONSE', { call: 'round:1', tool_calls: stored }],
      [3, 'agent', 'TOOL_REQUEST', { call: 'round:1/call:1', server: 's', tool: 'w', arguments: stored }],
      [4, 'agent', 'TOOL_REQUEST', { call: 'round:1/call:2', server: 's', tool: 'v', arguments: {} }],
    ])
    expect(turns(log).map((turn) => turn.kind)).toEqual(['round'])
    expect(rounds(log)[0]?.called.map((call) => call.name)).toEqual(['s/w', 's/v'])
  })

  it('names messages that are stored elsewhere', () => {
    const log = logOf([
      [0, 'agent', 'LLM_REQUEST', { call: 'round:1', messages: { $ref: 'blob_1', size: 9, preview: '[' } }],
    ])
    expect(turns(log)[0]).toMatchObject({ kind: 'message', role: 'stored' })
  })

  it('gives a question that is about no call a place of its own', () => {
    expect(turns(aPlanner(), 'sub_2').map((turn) => turn.kind)).toEqual([
      'message',
      'round',
      'question',
      'call',
    ])
  })

  it('can be copied', () => {
    const text = transcript(turns(anAgent()))
    expect(text).toContain('## system\nYou keep the changelog.')
    expect(text).toContain('### git/git_log {"n":2}\ntwo commits')
  })
})
