import { describe, expect, it } from 'vitest'
import type { RunEvent } from '@/api/run-types'
import { emptyFold, fold } from '@/live/fold'
import { aRun, at, type Line, logOf } from '@/live/fold.testing'
import { anAgent, aPlanner } from '@/live/talks.testing'
import { legible } from './time-scale'
import { rowsOf, spans, timeOf } from './waterfall'

const rows = (log: readonly RunEvent[], folded: string[] = []) =>
  rowsOf(fold(emptyFold('r'), log).state, new Set(folded))
const row = (log: readonly RunEvent[], id: string) => rows(log).find((row) => row.id === id)

describe('the waterfall', () => {
  it('shows a retry as a failed piece, a wait and another piece, with both calls below', () => {
    expect(row(aRun(), 'step_fetch')?.bars).toEqual([
      { from: at(20), to: at(1022), status: 'failed', waiting: false },
      { from: at(1022), to: at(2022), status: 'retrying', waiting: true },
      { from: at(2022), to: at(2525), status: 'succeeded', waiting: false },
    ])
    expect(
      rows(aRun())
        .filter((row) => row.kind === 'tool')
        .map((row) => [row.label, row.attempt, row.status]),
    ).toEqual([
      ['web/get', 1, 'failed'],
      ['web/get', 2, 'succeeded'],
    ])
  })

  it('tells how long a step worked and how long it waited for a person', () => {
    const save = row(aRun(), 'step_save')
    expect(save?.bars.map((bar) => bar.waiting)).toEqual([false, true, false])
    expect(save && spans(save, 0)).toEqual({ worked: 69, waited: 60_002 })
  })

  it('counts an open wait up to now', () => {
    const save = row(aRun().slice(0, 15), 'step_save')
    expect(save?.status).toBe('person')
    expect(save && spans(save, at(12_532))).toEqual({ worked: 2, waited: 10_000 })
  })

  it('hatches the time in which the whole run stood still', () => {
    const log = logOf([
      [0, null, 'FLOW_START', {}],
      [10, 'nap', 'STEP_INIT', { attempt: 1 }],
      [20, null, 'FLOW_STOP', { waiting: [{ kind: 'timer' }] }],
      [5020, null, 'FLOW_RESUME'],
      [5030, 'nap', 'STEP_OUTPUT', { output: {} }],
    ])
    expect(row(log, 'step_nap')?.bars).toEqual([
      { from: at(10), to: at(20), status: 'succeeded', waiting: false },
      { from: at(20), to: at(5020), status: 'waiting', waiting: true },
      { from: at(5020), to: at(5030), status: 'succeeded', waiting: false },
    ])
  })

  it('says of a wait that was called off how long it waited', () => {
    const napping: Line[] = [
      [0, null, 'FLOW_START', {}],
      [10, 'nap', 'STEP_INIT', { attempt: 1 }],
      [20, null, 'FLOW_STOP', { waiting: [{ kind: 'timer' }] }],
      [5020, null, 'FLOW_RESUME'],
    ]
    const off = row(logOf([...napping, [5021, 'nap', 'STEP_CANCEL', {}]]), 'step_nap')
    expect(off?.status).toBe('cancelled')
    expect(off && timeOf(off, 0)).toBe(5000)
    const over = row(logOf([...napping, [5030, 'nap', 'STEP_OUTPUT', { output: {} }]]), 'step_nap')
    expect(over && timeOf(over, 0)).toBe(20)
  })

  it('puts the rounds of an iteration under it, and folds them away', () => {
    const log = logOf([
      [0, 'each', 'STEP_INIT', { attempt: 1 }],
      [1, 'read', 'STEP_INIT', { attempt: 1 }, 0],
      [2, 'read', 'STEP_INIT', { attempt: 1 }, 1],
    ])
    expect(rows(log).map((row) => [row.node, row.depth, row.round])).toEqual([
      ['each', 0, null],
      ['read', 1, 1],
      ['read', 1, 2],
    ])
    expect(rows(log, ['step_each']).map((row) => row.node)).toEqual(['each'])
  })

  it('shows rounds and calls inside an agent, with their tokens and cost; a try that failed is failed', () => {
    expect(
      rows(anAgent()).map((row) => [row.kind, row.label, row.call, row.status, row.tokens, row.cost]),
    ).toEqual([
      ['step', null, null, 'succeeded', 540, 0.006],
      ['llm', 'm', 'round:1', 'failed', null, null],
      ['llm', 'm', 'round:1', 'succeeded', 120, 0.001],
      ['tool', 'git/git_log', 'round:1/call:1', 'succeeded', null, null],
      ['tool', 'git/git_show', 'round:1/call:2', 'failed', null, null],
      ['llm', 'm', 'round:2', 'succeeded', 180, 0.002],
      ['tool', 'fs/edit_file', 'round:2/call:1', 'succeeded', null, null],
      ['llm', 'm', 'round:3', 'succeeded', 240, 0.003],
    ])
  })

  it("puts a planner's steps under it, between the rounds about the whole", () => {
    expect(rows(aPlanner()).map((row) => [row.depth, row.kind, row.label ?? row.node])).toEqual([
      [0, 'step', 'plan'],
      [1, 'llm', 'm'],
      [1, 'step', 'Who is in the team'],
      [1, 'step', 'Make the event'],
      [2, 'llm', 'm'],
      [2, 'tool', 'cal/create'],
      [1, 'step', 'Tell everyone'],
      [1, 'llm', 'm'],
    ])
  })

  it('draws nothing for a step that was skipped', () => {
    expect(row(aRun(), 'step_other')).toMatchObject({ status: 'skipped', bars: [] })
  })
})

describe('the labels of the axis', () => {
  it('are left out where their end would be cut, on a phone sooner than on a desk', () => {
    const late = { place: 0.9, label: '20' }
    expect([84, 400].map((track) => legible(track, [late]))).toEqual([[], [late]])
    expect(legible(84, [{ place: 0, label: '0 ms' }])).toHaveLength(1)
    expect(legible(400, [{ place: 0.92, label: '1 h 20 min' }])).toEqual([])
  })

  it('are left out where they would lie on the one before them', () => {
    const marks = [0, 0.18, 0.36, 0.9].map((place, index) => ({ place, label: `0.00${index}` }))
    const shown = (track: number) => legible(track, marks).map((mark) => mark.place)
    expect(shown(154)).toEqual([0, 0.36])
    expect(shown(600)).toEqual([0, 0.18, 0.36, 0.9])
  })
})
