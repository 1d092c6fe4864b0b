import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { chooseTeam, chosenTeam } from '@/api/client'
import type { Role } from '@/api/queries'
import { FakeServer, refusal, show } from '@/testing/server'
import { Invitations } from './Invitations'
import { Leaving } from './Leaving'
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
  chooseTeam(null)
})

const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
const inDialog = (name: string) =>
  userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name }))
const inMenu = async (whom: string, name: string) => {
  await press(`Actions for ${whom}`)
  await userEvent.click(screen.getByRole('menuitem', { name }))
}
const sent = (route: string) => server.to(route).map(({ body }) => body)
const has = (members: readonly object[]) =>
  server.on('GET /api/teams/members', { body: { results: members, next: null } })

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

  it('does not happen where the question is answered with no', async () => {
    server.on('GET /api/teams/members/mem_bob/belongings', {
      body: { tokens: 0, servers: 0, providers: 0, running: 0 },
    })
    show(<Members />, 'admin')
    await inMenu('bob', 'Remove…')
    await inDialog('Cancel')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(server.to('DELETE /api/teams/members/mem_bob')).toHaveLength(0)
  })
})

it('a member gets another role, as the list then says', async () => {
  server.on('PATCH /api/teams/members/mem_bob', () => {
    has([member('bob', 'viewer')])
    return {}
  })
  show(<Members />, 'admin')
  const role = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Role of bob' })
  await userEvent.selectOptions(role, 'viewer')
  await waitFor(() => expect(screen.queryByText('vera@example.org')).toBeNull())
  expect(role.value).toBe('viewer')
  expect(sent('PATCH /api/teams/members/mem_bob')).toEqual([{ role: 'viewer' }])
})

describe('the ownership', () => {
  it('is handed over after a question, as the list then says', async () => {
    server.on('POST /api/teams/current/transfer', () => {
      has([member('bob', 'owner')])
      return {}
    })
    show(<Members />, 'owner')
    await inMenu('bob', 'Transfer ownership…')
    await inDialog('Transfer')
    await waitFor(() => expect(screen.queryByText('vera@example.org')).toBeNull())
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(sent('POST /api/teams/current/transfer')).toEqual([{ member: 'mem_bob' }])
  })

  it('is kept where the question is answered with no', async () => {
    show(<Members />, 'owner')
    await inMenu('bob', 'Transfer ownership…')
    await inDialog('Cancel')
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('an invitation', () => {
  const URL_ONCE = 'https://patchbay.test/join/abc'
  const ANN = {
    id: 'inv_1',
    email: 'ann@example.org',
    role: 'viewer',
    created_by: null,
    expires_at: '2040-01-01T00:00:00Z',
  }
  const invited = (...rows: readonly object[]) =>
    server.on('GET /api/teams/invitations', { body: { results: rows, next: null } })
  const make = async () => {
    server.on('POST /api/teams/invitations', () => {
      invited(ANN)
      return { status: 201, body: { ...ANN, url: URL_ONCE } }
    })
    show(<Invitations />, 'admin')
    await press('Invite')
  }
  beforeEach(() => invited())

  it('is made for somebody, shown once, and then stands in the list', async () => {
    await make()
    const dialog = within(screen.getByRole('dialog'))
    await userEvent.type(dialog.getByLabelText('Email'), 'ann@example.org')
    await userEvent.selectOptions(dialog.getByLabelText('Role'), 'viewer')
    await userEvent.selectOptions(dialog.getByLabelText('The link is valid for'), '30')
    await inDialog('Create link')
    expect(await screen.findByText(URL_ONCE)).toBeTruthy()
    expect(sent('POST /api/teams/invitations')).toEqual([
      { role: 'viewer', email: 'ann@example.org', expires_in_days: 30 },
    ])
    await inDialog('Done')
    expect(screen.queryByText(URL_ONCE)).toBeNull()
    expect(await screen.findByRole('button', { name: /^Withdraw the invitation for ann/ })).toBeTruthy()
  })

  it('is shown until its dialog is closed', async () => {
    await make()
    await inDialog('Create link')
    await screen.findByText(URL_ONCE)
    await inDialog('Close')
    expect(screen.queryByText(URL_ONCE)).toBeNull()
  })

  it('is not made where the dialog is closed', async () => {
    await make()
    await inDialog('Close')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(sent('POST /api/teams/invitations')).toEqual([])
  })

  it('is withdrawn after a question', async () => {
    invited(ANN)
    server.on('DELETE /api/teams/invitations/inv_1', () => {
      invited()
      return {}
    })
    show(<Invitations />, 'admin')
    await press('Withdraw the invitation for ann@example.org')
    await inDialog('Withdraw')
    await waitFor(() => expect(screen.queryByText('ann@example.org')).toBeNull())
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('the end', () => {
  const none = { tokens: 0, servers: 0, providers: 0, running: 0 }
  beforeEach(() => {
    server.on('GET /api/teams/current/belongings', { body: none })
    chooseTeam('team_1')
  })

  it('comes by leaving, to whatever other team there is', async () => {
    server.on('POST /api/teams/current/leave', {})
    show(<Leaving />, 'editor')
    await press('Leave team')
    await screen.findByText('Open pages of this team close at once.')
    await inDialog('Leave team')
    await waitFor(() => expect(chosenTeam()).toBeNull())
    expect(sent('POST /api/teams/current/leave')).toEqual([{ private: 'delete' }])
  })

  it('comes by deleting the team, once its name is typed', async () => {
    server.on('DELETE /api/teams/current', {})
    show(<Leaving />, 'owner')
    await press('Delete team')
    await userEvent.type(screen.getByLabelText(/^Type “Platform”/), 'Platform')
    await inDialog('Delete team')
    await waitFor(() => expect(chosenTeam()).toBeNull())
    expect(server.to('DELETE /api/teams/current')[0]?.path).toBe('/api/teams/current?name=Platform')
  })

  it.each([
    ['Leave team', 'editor'],
    ['Delete team', 'owner'],
  ] as const)('does not come where the question is answered with no: %s', async (name, role) => {
    show(<Leaving />, role)
    await press(name)
    await inDialog('Cancel')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(chosenTeam()).toBe('team_1')
  })
})

describe('a team of more members than a page holds', () => {
  it('is shown page by page, and searched by the server', async () => {
    const many = Array.from({ length: 120 }, (_, n) => member(`person${n}`, 'viewer'))
    server.on('GET /api/teams/members', ({ path }) => {
      const query = new URLSearchParams(path.split('?')[1])
      const from = Number(query.get('cursor') ?? 0)
      const matches = many.filter(({ email }) => email.includes(query.get('q') ?? ''))
      const next = from + 50 < matches.length ? String(from + 50) : null
      return { body: { results: matches.slice(from, from + 50), next } }
    })
    const user = userEvent.setup()
    show(<Members />, 'owner')
    await screen.findByText('person0@example.org')
    for (const last of [99, 119]) {
      await user.click(screen.getByRole('button', { name: 'Load more' }))
      await screen.findByText(`person${last}@example.org`)
    }
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
    await user.click(screen.getByRole('searchbox', { name: 'Search names and emails' }))
    await user.paste('person119')
    await waitFor(() => expect(screen.queryByText('person0@example.org')).toBeNull())
    expect(screen.getByText('person119@example.org')).toBeTruthy()
    await user.paste('x')
    expect(await screen.findByText('Nothing matches.')).toBeTruthy()
  })
})

it('members who could not be read are asked for again', async () => {
  server.on('GET /api/teams/members', refusal(500, 'INTERNAL'))
  show(<Members />, 'admin')
  const again = await screen.findByRole('button', { name: 'Try again' })
  has(ALL)
  await userEvent.click(again)
  expect(await screen.findByText('vera')).toBeTruthy()
})
