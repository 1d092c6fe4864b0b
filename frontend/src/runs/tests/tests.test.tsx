import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Role } from '@/api/queries'
import { loadRest } from '@/i18n'
import { logOf } from '@/live/fold.testing'
import { RunViewProvider } from '@/live/run-store'
import { RunFeed, RunView } from '@/live/run-view'
import { Commands, command } from '@/testing/commands'
import { FakeServer, refusal, show } from '@/testing/server'
import { Toasts } from '@/ui'
import { SaveTest } from './SaveTest'
import { TestsTab } from './TestsTab'

const node = (id: string, status: string, more = {}) => ({
  node: id,
  title: id,
  type: 'template',
  status,
  expected: { output: { text: 'before' } },
  got: { output: { text: 'now' } },
  missing: [],
  ...more,
})
const RESULT = {
  ok: false,
  version: null,
  at: '2026-11-22T01:00:00Z',
  ms: 4,
  nodes: [
    node('start', 'same'),
    node('say', 'differs'),
    node('ask', 'missing', {
      missing: [{ target: 'mail/send', arguments: { to: 'all' }, recorded: { to: 'one' } }],
    }),
  ],
}
const test = (id: string, result: unknown = null) => ({
  id,
  name: `Test ${id}`,
  run: 'r',
  created_by: 'bob@example.org',
  created_at: '2026-11-22T01:00:00Z',
  result,
})

function tab(tests: readonly unknown[], role: Role = 'editor') {
  const server = new FakeServer().on('GET /api/workflows/wf/tests', { body: { results: tests, next: null } })
  const chosen: string[] = []
  show(
    <>
      <TestsTab workflow="wf" titleOf={(id) => id} onShowNode={(id) => chosen.push(id)} />
      <Toasts />
    </>,
    role,
  )
  return { server, chosen, user: userEvent.setup() }
}

function saving(role: Role = 'editor') {
  const server = new FakeServer()
  const due: (() => void)[] = []
  const feed = new RunFeed('r', null, (flush) => due.push(flush))
  const view = new RunView(feed)
  view.attach()
  feed.take(
    logOf([
      [0, null, 'FLOW_START'],
      [1, null, 'FLOW_SUCCESS', { outputs: {} }],
    ]),
  )
  for (const flush of due.splice(0)) flush()
  show(
    <RunViewProvider view={view}>
      <SaveTest workflow="wf" />
      <Commands />
      <Toasts />
    </RunViewProvider>,
    role,
  )
  return { server, user: userEvent.setup() }
}

describe('saved tests', () => {
  beforeEach(loadRest)

  it('says per node what differs and what was not recorded', async () => {
    const { chosen, user } = tab([test('a', RESULT)])
    await user.click(await screen.findByRole('button', { name: /Test a 2 nodes differ/ }))
    const say = screen.getByRole('region', { name: 'say' })
    expect(within(say).getByText('differs')).toBeTruthy()
    expect(within(say).getByText(/"text": "now"/)).toBeTruthy()
    expect(screen.getByText('No recorded answer for mail/send')).toBeTruthy()
    expect(screen.getByText(/"to": "one"/)).toBeTruthy()
    expect(screen.queryByRole('region', { name: 'start' })).toBeNull()
    await user.click(within(say).getByRole('button', { name: 'say' }))
    expect(chosen).toEqual(['say'])
  })

  it('runs all of them and reads what came of it', async () => {
    const { server, user } = tab([test('a'), test('b')])
    await screen.findAllByText('not run yet')
    for (const id of ['a', 'b']) server.on(`POST /api/workflows/wf/tests/${id}/run`, { body: RESULT })
    const right = { ...RESULT, ok: true, nodes: [] }
    server.on('GET /api/workflows/wf/tests', {
      body: { results: [test('a', right), test('b', right)], next: null },
    })
    await user.click(screen.getByRole('button', { name: 'Run all' }))
    expect(await screen.findByText('2 of 2 give the same')).toBeTruthy()
    expect(server.to('POST /api/workflows/wf/tests/b/run')).toHaveLength(1)
  })

  it('deletes one after a question', async () => {
    const { server, user } = tab([test('a')])
    server.on('DELETE /api/workflows/wf/tests/a', { status: 200 })
    await user.click(await screen.findByRole('button', { name: 'Delete the test Test a' }))
    server.on('GET /api/workflows/wf/tests', { body: { results: [], next: null } })
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete test' }))
    expect(await screen.findByText('No tests yet')).toBeTruthy()
  })

  it('shows those who only look how tests went', async () => {
    tab([test('a', RESULT)], 'viewer')
    await screen.findByText('Test a')
    expect(screen.queryByRole('button', { name: /Run/ })).toBeNull()
  })

  it('saves the run under a name, and says when that is taken', async () => {
    const { server, user } = saving()
    server.on(
      'POST /api/workflows/wf/tests',
      refusal(400, 'VALIDATION_ERROR', { fields: { name: ['is the name of another test'] } }),
    )
    await user.click(screen.getByRole('button', { name: 'Save run as a test' }))
    await user.type(screen.getByRole('textbox', { name: 'Test name' }), 'Greets{Enter}')
    expect(await screen.findByText('is the name of another test')).toBeTruthy()
    server.on('POST /api/workflows/wf/tests', { status: 201, body: test('a') })
    await user.type(screen.getByRole('textbox', { name: 'Test name' }), ' Vera{Enter}')
    expect(await screen.findByText('The test “Greets Vera” is saved.')).toBeTruthy()
    expect(server.to('POST /api/workflows/wf/tests').at(-1)?.body).toEqual({ run: 'r', name: 'Greets Vera' })
  })

  it('runs one of them, and leaves the others', async () => {
    const { server, user } = tab([test('a'), test('b')])
    server.on('POST /api/workflows/wf/tests/b/run', { body: RESULT })
    await user.click(await screen.findByRole('button', { name: 'Run the test Test b' }))
    await waitFor(() => expect(server.to('POST /api/workflows/wf/tests/b/run')).toHaveLength(1))
    expect(server.to('POST /api/workflows/wf/tests/a/run')).toEqual([])
  })

  it('deletes nothing when the question is cancelled', async () => {
    const { server, user } = tab([test('a')])
    await user.click(await screen.findByRole('button', { name: 'Delete the test Test a' }))
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(server.to('DELETE /api/workflows/wf/tests/a')).toEqual([])
  })

  it('says why one was not deleted', async () => {
    const { server, user } = tab([test('a')])
    server.on('DELETE /api/workflows/wf/tests/a', refusal(409, 'CONFLICT'))
    await user.click(await screen.findByRole('button', { name: 'Delete the test Test a' }))
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete test' }))
    expect(await screen.findByText('CONFLICT in words.')).toBeTruthy()
  })

  it('closes the question once one of several is deleted', async () => {
    const { server, user } = tab([test('a'), test('b')])
    server.on('DELETE /api/workflows/wf/tests/a', {})
    await user.click(await screen.findByRole('button', { name: 'Delete the test Test a' }))
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete test' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('saves the run by the button of the dialog, which then closes', async () => {
    const { server, user } = saving()
    server.on('POST /api/workflows/wf/tests', { status: 201, body: test('a') })
    await command('runs.save_test')
    await user.type(screen.getByRole('textbox', { name: 'Test name' }), 'Greets')
    await user.click(screen.getByRole('button', { name: 'Save test' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(server.to('POST /api/workflows/wf/tests')[0]?.body).toEqual({ run: 'r', name: 'Greets' })
  })

  it.each(['Close', 'Cancel'])('saves nothing when the dialog is left: %s', async (name) => {
    const { server, user } = saving()
    await user.click(screen.getByRole('button', { name: 'Save run as a test' }))
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(server.requests).toEqual([])
  })
})
