import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Role } from '@/api/queries'
import { FakeServer, refusal, show } from '@/testing/server'
import { Members } from './Members'
import { decidesOn, givable, ROLES } from './roles'

let server: FakeServer

const member = (user: string, role: Role) => ({
  id: `mem_${user}`,
  user: `usr_${user}`,
  email: `${user}@example.org`,
  name: user,
  role,
  joined_at: '2026-11-22T01:54:19.733Z',
  two_factor: null,
})

const ALL = [
  member('alice', 'owner'),
  member('adam', 'admin'),
  member('bob', 'editor'),
  member('vera', 'viewer'),
]

beforeEach(() => {
  server = new FakeServer().on('GET /api/teams/members', { body: { results: ALL, next: null } })
})

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('who decides on whom', () => {
  it('is said as the server says it', () => {
    const decided = ROLES.flatMap((role) =>
      ROLES.filter((other) => decidesOn(role, other)).map((other) => `${role} ${other}`),
    )
    expect(decided).toEqual([
      'owner owner',
      'owner admin',
      'owner editor',
      'owner viewer',
      'admin editor',
      'admin viewer',
    ])
    expect(givable('editor')).toEqual([])
  })

  it.each([
    ['viewer', [], []],
    ['editor', [], []],
    ['admin', ['bob', 'vera'], ['bob', 'vera']],
    ['owner', ['alice', 'adam', 'bob', 'vera'], ['alice', 'adam', 'bob', 'vera']],
  ] as const)('shows a %s what can be changed', async (role, changed, acted) => {
    show(<Members />, role)
    await screen.findByText('vera@example.org')
    const names = (list: HTMLElement[]) =>
      list.map((element) => element.getAttribute('aria-label')?.split(' ').at(-1))
    expect(names(screen.queryAllByRole('combobox')).sort()).toEqual([...changed].sort())
    expect(names(screen.queryAllByRole('button', { name: /^Actions for/ })).sort()).toEqual([...acted].sort())
  })
})

describe('removing a member', () => {
  it('says what goes, lets choose, and sends the choice', async () => {
    server
      .on('GET /api/teams/members/mem_bob/belongings', {
        body: { tokens: 1, servers: 2, providers: 0, running: 3 },
      })
      .on('DELETE /api/teams/members/mem_bob', {})
    const user = userEvent.setup()
    show(<Members />, 'admin')
    await user.click(await screen.findByRole('button', { name: 'Actions for bob' }))
    await user.click(screen.getByRole('menuitem', { name: 'Remove…' }))
    const dialog = await screen.findByRole('dialog', { name: 'Remove bob' })
    expect(await within(dialog).findByText('An API token for this team ends at once.')).toBeTruthy()
    expect(within(dialog).getByText('3 runs continue and belong to the team.')).toBeTruthy()
    await user.click(within(dialog).getByLabelText('Transfer them to the team, without their keys'))
    await user.click(within(dialog).getByRole('button', { name: 'Remove bob' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(server.to('DELETE /api/teams/members/mem_bob')[0]?.path).toContain('private=hand_over')
  })

  it('shows what the server says against it', async () => {
    server
      .on('GET /api/teams/members/mem_vera/belongings', {
        body: { tokens: 0, servers: 0, providers: 0, running: 0 },
      })
      .on('DELETE /api/teams/members/mem_vera', refusal(409, 'CONFLICT'))
    const user = userEvent.setup()
    show(<Members />, 'admin')
    await user.click(await screen.findByRole('button', { name: 'Actions for vera' }))
    await user.click(screen.getByRole('menuitem', { name: 'Remove…' }))
    const dialog = await screen.findByRole('dialog')
    await within(dialog).findByText('Open pages of this team close at once.')
    expect(within(dialog).queryByText('Delete them')).toBeNull()
    await user.click(within(dialog).getByRole('button', { name: 'Remove vera' }))
    expect(await within(dialog).findByText('CONFLICT')).toBeTruthy()
  })
})
