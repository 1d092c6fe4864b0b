import { fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { GraphProvider, useGraph } from '@/graph/context'
import { createGraphStore } from '@/graph/store'
import type { Problem } from '@/graph/types'
import { FakeServer, refusal, show } from '@/testing/server'
import { listenToKeys } from '@/ui'
import { RunButton, type RunButtonProps } from './RunForm'

const START = 'POST /api/workflows/wf_1/runs'
const CITY = {
  type: 'object',
  properties: { city: { type: 'string', title: 'City', default: 'Oslo' } },
  required: ['city'],
}

function editor(
  inputs: unknown,
  problems: readonly Problem[] = [],
  role: Parameters<typeof show>[1] = 'editor',
  more: Partial<RunButtonProps> = {},
) {
  const server = new FakeServer().on(START, {
    status: 202,
    body: { id: 'run_1', workflow: 'wf_1', state: 'QUEUED' },
  })
  const started: string[] = []
  const matches: string[] = []
  const start = { id: 'start', type: 'start', v: 1, position: { x: 0, y: 0 }, config: { inputs } }
  const store = createGraphStore({ schema: 1, nodes: [start], edges: [] })
  const draw = () =>
    show(
      <GraphProvider store={store}>
        <RunButton
          workflowId="wf_1"
          problems={problems}
          save={async () => 7}
          onStarted={(run) => started.push(run.id)}
          onProblems={(list) => matches.push(...list.map((problem) => problem.message))}
          {...more}
        />
      </GraphProvider>,
      role,
    )
  return { server, started, found: matches, draw, user: userEvent.setup(), shown: draw() }
}

/** The button with the problems that the store tells, as the editor has it. */
function WithProblems(props: Omit<RunButtonProps, 'problems'>) {
  return <RunButton {...props} problems={useGraph((state) => state.problems)} />
}

const run = () => screen.getByRole('button', { name: 'Run' })

describe('starting a run', () => {
  it('by key asks again about problems of before the last edit, and shows those that are left', async () => {
    const server = new FakeServer().on(START, {
      status: 202,
      body: { id: 'run_1', workflow: 'wf_1', state: 'QUEUED' },
    })
    const problem = { severity: 'error', code: 'X', message: 'A value is missing', node: 'start' } as Problem
    const store = createGraphStore({ schema: 1, nodes: [], edges: [] })
    store.getState().setProblems([problem])
    let mended = false
    let shown = 0
    const started: string[] = []
    const save = async () => {
      if (mended) store.getState().setProblems([])
      return 7
    }
    const onShowProblems = () => {
      shown += 1
    }
    const stop = listenToKeys()
    show(
      <GraphProvider store={store}>
        <WithProblems
          workflowId="wf_1"
          save={save}
          onStarted={(run) => started.push(run.id)}
          onShowProblems={onShowProblems}
        />
      </GraphProvider>,
      'editor',
    )
    const user = userEvent.setup()
    await user.keyboard('{Control>}{Enter}{/Control}')
    await waitFor(() => expect(shown).toBe(1))
    expect(server.to(START)).toEqual([])
    mended = true
    await user.keyboard('{Control>}{Enter}{/Control}')
    await waitFor(() => expect(started).toEqual(['run_1']))
    expect(shown).toBe(1)
    stop()
  })

  it('starts at once where nothing is asked, with the saved revision of the draft', async () => {
    const { server, started, user } = editor({ type: 'object' })
    await user.click(run())
    await waitFor(() => expect(started).toEqual(['run_1']))
    expect(server.to(START).map((request) => request.body)).toEqual([
      { inputs: {}, version: 'draft', revision: 7 },
    ])
  })

  it('asks for the inputs, shows their defaults, and remembers what was given', async () => {
    const { server, started, user, shown, draw } = editor(CITY)
    await user.click(run())
    const city = await screen.findByDisplayValue('Oslo')
    await user.clear(city)
    await user.type(city, 'Lima')
    await user.keyboard('{Control>}{Enter}{/Control}')
    await waitFor(() => expect(started).toEqual(['run_1']))
    expect(server.to(START)[0]?.body).toMatchObject({ inputs: { city: 'Lima' } })
    shown.unmount()
    draw()
    await user.click(run())
    expect(await screen.findByDisplayValue('Lima')).toBeTruthy()
  })

  it('shows a refused input at its field', async () => {
    const { server, user } = editor(CITY)
    server.on(START, refusal(400, 'VALIDATION_ERROR', { fields: { 'inputs.city': ['is not a city'] } }))
    await user.click(run())
    await user.click(await screen.findByRole('button', { name: 'Start run' }))
    expect(await screen.findByText('is not a city')).toBeTruthy()
  })

  it('lists the problems that the server found', async () => {
    const { server, found, user } = editor({ type: 'object' })
    const problem = { code: 'x', severity: 'error', node: 'a', message: 'The server is unknown.' }
    server.on(START, refusal(400, 'GRAPH_INVALID', { detail: { problems: [problem] } }))
    await user.click(run())
    expect(await screen.findByText('The server is unknown.')).toBeTruthy()
    expect(found).toEqual(['The server is unknown.'])
  })

  it('counts down after too many starts', async () => {
    const { server, user } = editor({ type: 'object' })
    server.on(START, { ...refusal(429, 'RATE_LIMITED'), headers: { 'Retry-After': '9' } })
    await user.click(run())
    expect(await screen.findByText(/Try again in [89] s/)).toBeTruthy()
    fireEvent.click(run())
    expect(server.to(START)).toHaveLength(1)
  })

  it('does not start with problems and says how many there are', () => {
    const problems: Problem[] = [{ code: 'x', severity: 'error', message: 'm' }]
    const { server } = editor({ type: 'object' }, problems)
    expect(run().getAttribute('data-tip')).toBe('1 problem prevents it from running')
    fireEvent.click(run())
    expect(server.requests).toEqual([])
  })

  it('is not for viewers', () => {
    editor({ type: 'object' }, [], 'viewer')
    expect(run().getAttribute('aria-disabled')).toBe('true')
  })

  it('Escape closes the form without a start', async () => {
    const { server, user } = editor(CITY)
    await user.click(run())
    await screen.findByDisplayValue('Oslo')
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(server.requests).toEqual([])
  })

  it('starts empty again when the inputs of the last run are not wanted', async () => {
    localStorage.setItem('run-inputs:wf_1', JSON.stringify({ city: 'Lima' }))
    const { user } = editor(CITY)
    await user.click(run())
    expect(await screen.findByDisplayValue('Lima')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Start empty' }))
    expect(screen.getByDisplayValue('Oslo')).toBeTruthy()
  })

  it('a person who tries to run is heard, whether or not that can be done', () => {
    const problems: Problem[] = [{ code: 'x', severity: 'error', message: 'm' }]
    const tried = vi.fn()
    editor({ type: 'object' }, problems, 'editor', { onTried: tried })
    fireEvent.click(run())
    expect(tried).toHaveBeenCalledTimes(1)
  })

  it('how many problems there are leads to them', async () => {
    const problems: Problem[] = [{ code: 'x', severity: 'error', message: 'm' }]
    const shown = vi.fn()
    const { user } = editor({ type: 'object' }, problems, 'editor', { onShowProblems: shown })
    await user.click(screen.getByRole('button', { name: '1 problem prevents it from running' }))
    expect(shown).toHaveBeenCalledTimes(1)
  })

  it('what the server found leads to the problems', async () => {
    const shown = vi.fn()
    const { server, user } = editor({ type: 'object' }, [], 'editor', { onShowProblems: shown })
    const problem = { code: 'x', severity: 'error', node: 'a', message: 'The server is unknown.' }
    server.on(START, refusal(400, 'GRAPH_INVALID', { detail: { problems: [problem] } }))
    await user.click(run())
    await user.click(await screen.findByRole('button', { name: 'Show the problems' }))
    expect(shown).toHaveBeenCalledTimes(1)
  })
})
