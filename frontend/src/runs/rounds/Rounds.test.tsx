/** Rounds of a frame: pages of a list, those that failed, and what happened in one of them. */
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { GraphProvider } from '@/graph/context'
import { sample } from '@/graph/graph.testing'
import { createGraphStore } from '@/graph/store'
import { RunHistory, type Step } from '@/live/fold'
import { FakeServer, show } from '@/testing/server'
import { Rounds } from './Rounds'

const TS = '2026-01-01T00:00:00Z'

const round = (index: number, state = 'SUCCESS') => ({
  index,
  state,
  steps: 1,
  failed: state === 'ERROR' ? 1 : 0,
  started_at: TS,
  ended_at: '2026-01-01T00:00:01Z',
  first_seq: index * 2 + 3,
  last_seq: index * 2 + 4,
})
const COUNTS = { total: 10_000, states: { RUNNING: 0, SUCCESS: 9999, ERROR: 1, CANCELLED: 0 } }

const event = (seq: number, type: string, data: unknown, index: number) => ({
  run: 'run_1',
  seq,
  ts: TS,
  type,
  node: 'log',
  path: [{ node: 'each', index }],
  step: `step_log_${index}`,
  data,
})

function frame(): Step {
  const history = new RunHistory('run_1')
  history.append([
    {
      run: 'run_1',
      seq: 1,
      ts: TS,
      type: 'STEP_INIT',
      node: 'each',
      path: [],
      step: 'step_each',
      data: { attempt: 1 },
    },
    {
      run: 'run_1',
      seq: 2,
      ts: TS,
      type: 'STEP_OUTPUT',
      node: 'each',
      path: [],
      step: 'step_each',
      data: { output: {} },
    },
  ] as never)
  return history.state.steps.get('step_each') as Step
}

function open(server: FakeServer) {
  const store = createGraphStore(sample(), () => 0)
  show(
    <GraphProvider store={store}>
      <Rounds run="run_1" step={frame()} />
    </GraphProvider>,
  )
  return { server, user: userEvent.setup() }
}

describe('the rounds of a frame', () => {
  it('come by the page, and those that failed alone', async () => {
    const server = new FakeServer().on('GET /api/runs/run_1/rounds', ({ path }) => {
      const query = new URLSearchParams(path.split('?')[1])
      if (query.get('state') === 'ERROR')
        return { body: { results: [round(7344, 'ERROR')], next: null, ...COUNTS } }
      const after = Number(query.get('after'))
      return { body: { results: [round(after + 1), round(after + 2)], next: after + 2, ...COUNTS } }
    })
    const { user } = open(server)
    expect(await screen.findByRole('button', { name: /round 2/ })).toBeTruthy()
    expect(screen.getByRole('radio', { name: 'All 10,000' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: /round 3/ })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Load more' }))
    expect(await screen.findByRole('button', { name: /round 4/ })).toBeTruthy()
    await user.click(screen.getByRole('radio', { name: 'Failed 1' }))
    expect(await screen.findByRole('button', { name: /round 7,345/ })).toBeTruthy()
    expect(screen.queryByRole('button', { name: /round 2/ })).toBeNull()
  })

  it('show what happened in one, of which alone the events are read', async () => {
    const server = new FakeServer()
      .on('GET /api/runs/run_1/rounds', { body: { results: [round(0), round(1)], next: null, ...COUNTS } })
      .on('GET /api/runs/run_1/events', ({ path }) => {
        const after = new URLSearchParams(path.split('?')[1]).get('after')
        return after === '0'
          ? { body: { results: [event(5, 'STEP_INIT', { attempt: 1 }, 1)], next: 5 } }
          : {
              body: {
                results: [event(6, 'STEP_OUTPUT', { output: { result: 'what came out' } }, 1)],
                next: null,
              },
            }
      })
    const { user } = open(server)
    await user.click(await screen.findByRole('button', { name: /round 2/ }))
    const steps = await screen.findByRole('list', { name: 'Steps of the round' })
    expect(server.to('GET /api/runs/run_1/events').map(({ path }) => path)).toEqual([
      '/api/runs/run_1/events?round=each%3A1&after=0',
      '/api/runs/run_1/events?round=each%3A1&after=5',
    ])
    await user.click(within(steps).getByRole('button'))
    expect(await screen.findByText(/what came out/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Close the step' }))
    await waitFor(() => expect(screen.queryByText(/what came out/)).toBeNull())
  })
})
