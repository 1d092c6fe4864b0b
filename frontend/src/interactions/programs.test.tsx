import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { Program } from '@/api/servers'
import { FakeServer, refusal, show } from '@/testing/server'
import { ProgramList } from './programs'

const PROGRAM = {
  id: 'prog_1',
  name: 'Git',
  team: { id: 'team_1', name: 'Platform' },
  asked_for: 'server',
  requested_by: 'bob@example.org',
  created_at: '2026-11-22T03:00:00Z',
  command: 'uvx',
  args: ['mcp-server-git'],
  env: [],
  package: '',
  cwd: '',
  box: {},
  hash: 'sha256:1',
  concerns: [],
  state: 'waiting',
  basis: null,
  decided_by: null,
} as unknown as Program

/** The list of an operator; the server remembers what was decided. */
function programs() {
  let state = 'waiting'
  const decided = { basis: 'operator', decided_by: 'olivia@example.org' }
  const server = new FakeServer().on('GET /api/operator/programs', ({ path }) => {
    const filter = new URLSearchParams(path.split('?')[1]).get('state') ?? state
    const program = { ...PROGRAM, ...(state === 'waiting' ? {} : decided), state }
    const counts = { waiting: 0, approved: 0, rejected: 0, decided: 0, teams: 1, [state]: 1 }
    return { body: { results: filter === state ? [program] : [], next: null, counts } }
  })
  for (const [action, after] of [
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ])
    server.on(`POST /api/operator/programs/prog_1/${action}`, () => {
      state = after ?? ''
      return { body: PROGRAM }
    })
  show(<ProgramList />, 'admin')
  return server
}

it.each([
  ['Approve', 'Approved', 'Reject'],
  ['Reject', 'Rejected', 'Approve'],
])('%s moves a program from the waiting ones to the others', async (action, list, stillPossible) => {
  const server = programs()
  await userEvent.click(await screen.findByRole('button', { name: action }))
  expect(await screen.findByText('No program is waiting.')).toBeTruthy()
  expect(server.to(`POST /api/operator/programs/prog_1/${action.toLowerCase()}`)).toHaveLength(1)
  const other = action === 'Approve' ? 'Rejected' : 'Approved'
  await userEvent.click(await screen.findByRole('radio', { name: `${other} 0` }))
  expect(
    await screen.findByText(action === 'Approve' ? 'No program was rejected.' : 'No program is approved.'),
  ).toBeTruthy()
  await userEvent.click(await screen.findByRole('radio', { name: `${list} 1` }))
  expect(await screen.findByText('uvx')).toBeTruthy()
  expect(screen.getByRole('button', { name: stillPossible })).toBeTruthy()
  expect(screen.queryByRole('button', { name: action })).toBeNull()
})

it('a decision that the server refuses leaves the program waiting, with the reason', async () => {
  const server = programs()
  server.on('POST /api/operator/programs/prog_1/approve', refusal(409, 'CONFLICT'))
  await userEvent.click(await screen.findByRole('button', { name: 'Approve' }))
  expect(await screen.findByText('CONFLICT in words.')).toBeTruthy()
  await waitFor(() => expect(screen.getByRole('radio', { name: 'Waiting 1' })).toBeTruthy())
})
