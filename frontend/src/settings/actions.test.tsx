/** What a person does in the settings of their own and of the team, and what is sent and shown then. */
import { screen, waitFor, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Route, Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import { chooseTeam, chosenTeam } from '@/api/client'
import type { Me, Role } from '@/api/queries'
import { onScreen } from '@/testing/screen'
import { FakeServer, refusal, show } from '@/testing/server'
import SettingsPage from './SettingsPage'

const TEAM = { id: 'team_1', name: 'Platform', slug: 'platform', role: 'admin', currency: 'USD' } as const
const OTHER = { ...TEAM, id: 'team_2', name: 'Research' }
const ME = {
  id: 'usr_1',
  email: 'bob@example.org',
  name: 'Bob',
  language: 'en',
  theme: 'light',
  auto_execute: false,
  team: TEAM,
  teams: [TEAM],
}
const list = (results: readonly unknown[]) => ({ body: { results, next: null } })

let server: FakeServer
let user: UserEvent

beforeEach(() => {
  user = userEvent.setup()
  server = new FakeServer()
    .on('GET /api/me', { body: ME })
    .on('PATCH /api/me', ({ body }) => ({ body: { ...ME, ...(body as object) } }))
    .on('GET /api/tokens', list([]))
    .on('GET /api/secrets', list([]))
    .on('GET /api/workflows', list([]))
    .on('GET /api/teams/members', list([]))
    .on('GET /api/teams/invitations', list([]))
    .on('GET /api/teams/current', { body: { ...TEAM, second_factor: false, request_hosts: [], budget: {} } })
})
afterEach(() => chooseTeam(null))

function open(section: string, role: Role = 'admin', more: Partial<Me> = {}) {
  const { hook, history } = memoryLocation({ path: `/settings/${section}`, record: true })
  show(
    <Router hook={hook}>
      <Route path="/settings/:section?/:item?" component={SettingsPage} />
    </Router>,
    role,
    more,
  )
  return () => history.at(-1)
}

const field = (name: string) => screen.findByLabelText<HTMLInputElement>(name)
const button = (name: string) => screen.findByRole('button', { name })
const inDialog = () => within(screen.getByRole('dialog'))
const sent = (route: string) => server.to(route).map(({ body }) => body)
const closed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
const close = () => user.click(inDialog().getByRole('button', { name: 'Close' }))

it('the sections on a phone are one field, which leads from one to the other', async () => {
  onScreen('phone')
  const at = open('profile')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Section of the settings' }), 'about')
  expect(at()).toBe('/settings/about')
})

describe('the profile', () => {
  it('takes another name', async () => {
    open('profile')
    await user.clear(await field('Your name'))
    await user.type(await field('Your name'), 'Robert')
    await user.click(await button('Save'))
    await waitFor(() => expect(sent('PATCH /api/me')).toEqual([{ name: 'Robert' }]))
  })

  it.each([
    ['中文', { language: 'zh' }],
    ['Dark', { theme: 'dark' }],
  ])('changes at once: %s', async (name, body) => {
    open('profile')
    await user.click(await screen.findByRole('radio', { name }))
    await waitFor(() => expect(sent('PATCH /api/me')).toEqual([body]))
    expect(screen.getByRole<HTMLInputElement>('radio', { name }).checked).toBe(true)
  })

  it('lets agents act without asking', async () => {
    open('profile')
    await user.click(await screen.findByRole('switch', { name: /^Let agents act/ }))
    await waitFor(() => expect(sent('PATCH /api/me')).toEqual([{ auto_execute: true }]))
  })
})

describe('the teams that one is in', () => {
  it('are gone to', async () => {
    open('profile', 'admin', { teams: [TEAM, OTHER] as Me['teams'] })
    await user.click(await button('Open'))
    expect(chosenTeam()).toBe('team_2')
  })

  it('become one more, which is gone to', async () => {
    server.on('POST /api/teams', { status: 201, body: { id: 'team_9' } })
    open('profile')
    await user.click(await button('New team'))
    await user.type(inDialog().getByLabelText('Name of the team'), 'N')
    await user.click(inDialog().getByRole('button', { name: 'Create team' }))
    await waitFor(() => expect(chosenTeam()).toBe('team_9'))
    expect(sent('POST /api/teams')).toEqual([{ name: 'N' }])
  })

  it('stay as they are where one thinks better of it', async () => {
    open('profile')
    await user.click(await button('New team'))
    await close()
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(sent('POST /api/teams')).toEqual([])
  })
})

describe('the team', () => {
  const PATCH = 'PATCH /api/teams/current'

  it('takes another name, and oneself is read anew', async () => {
    server.on(PATCH, { body: TEAM })
    open('team')
    await user.clear(await field('Name of the team'))
    await user.type(await field('Name of the team'), 'Core')
    await user.click((await screen.findAllByRole('button', { name: 'Save' }))[0] as HTMLElement)
    await waitFor(() => expect(server.to('GET /api/me')).toHaveLength(1))
    expect(sent(PATCH)).toEqual([{ name: 'Core' }])
  })

  it('counts in another currency, and everything is read anew', async () => {
    server.on(PATCH, { body: TEAM })
    open('team')
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Currency' }), 'EUR')
    await waitFor(() => expect(server.to('GET /api/me')).toHaveLength(1))
    expect(sent(PATCH)).toEqual([{ currency: 'EUR' }])
  })

  it('demands a second factor of its members', async () => {
    server.on(PATCH, () => {
      const team = { ...TEAM, second_factor: true, request_hosts: [], budget: {} }
      server.on('GET /api/teams/current', { body: team })
      return { body: team }
    })
    open('team')
    const demand = await screen.findByRole<HTMLInputElement>('checkbox', { name: /second factor/ })
    await user.click(demand)
    await waitFor(() => expect(demand.checked).toBe(true))
    expect(sent(PATCH)).toEqual([{ second_factor: true }])
  })
})

describe('secrets', () => {
  const KEPT = {
    name: 'WIKI',
    hint: '····7f2a',
    hosts: ['wiki.example'],
    created_at: '2026-11-21T12:00:00Z',
    updated_at: '2026-11-21T12:00:00Z',
  }
  const has = (...secrets: readonly (typeof KEPT)[]) => server.on('GET /api/secrets', list(secrets))

  it('become one more', async () => {
    server.on('POST /api/secrets', () => {
      has(KEPT)
      return { status: 201, body: KEPT }
    })
    open('secrets')
    await user.click(await button('New secret'))
    await user.type(inDialog().getByLabelText('Name'), 'WIKI')
    await user.type(inDialog().getByLabelText('Value'), 'v')
    await user.type(inDialog().getByLabelText('Allowed hosts'), 'wiki.example')
    await user.click(inDialog().getByRole('button', { name: 'Save' }))
    expect(await button('Change secret WIKI')).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(sent('POST /api/secrets')).toEqual([{ name: 'WIKI', value: 'v', hosts: ['wiki.example'] }])
  })

  it('are changed without a new value', async () => {
    has(KEPT)
    server.on('PATCH /api/secrets/WIKI', { body: KEPT })
    open('secrets')
    await user.click(await button('Change secret WIKI'))
    await user.type(inDialog().getByLabelText('Allowed hosts'), ' b.example')
    await user.click(inDialog().getByRole('button', { name: 'Save' }))
    await closed()
    expect(sent('PATCH /api/secrets/WIKI')).toEqual([{ hosts: ['wiki.example', 'b.example'] }])
  })

  it('stay as they are where the dialog is closed', async () => {
    has(KEPT)
    open('secrets')
    await user.click(await button('Change secret WIKI'))
    await close()
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(sent('PATCH /api/secrets/WIKI')).toEqual([])
  })

  it('are deleted after a question', async () => {
    has(KEPT)
    server.on('DELETE /api/secrets/WIKI', () => {
      has()
      return {}
    })
    open('secrets')
    await user.click(await button('Delete secret WIKI'))
    expect(sent('DELETE /api/secrets/WIKI')).toEqual([])
    await user.click(inDialog().getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('No secrets yet')).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('are kept where the question is answered with no', async () => {
    has(KEPT)
    open('secrets')
    await user.click(await button('Delete secret WIKI'))
    await user.click(inDialog().getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(sent('DELETE /api/secrets/WIKI')).toEqual([])
  })
})

describe('tokens', () => {
  const TOKEN = {
    id: 'tok_1',
    name: 'Script',
    prefix: 'pb_1',
    scopes: ['read'],
    user: { id: 'usr_1', email: 'bob@example.org' },
    created_at: '2026-11-21T12:00:00Z',
    expires_at: null,
    last_used_at: null,
    approves_until: null,
    workflows: [],
    networks: [],
  }
  const has = (...tokens: readonly (typeof TOKEN)[]) => server.on('GET /api/tokens', list(tokens))
  const begin = async () => {
    server.on('POST /api/tokens', () => {
      has(TOKEN)
      return { status: 201, body: { ...TOKEN, token: 'pb_1_whole' } }
    })
    open('tokens')
    await user.click(await button('New token'))
    await user.type(inDialog().getByLabelText('Name'), 'S')
  }
  const make = () => user.click(inDialog().getByRole('button', { name: 'Create token' }))
  const created = () => waitFor(() => expect(sent('POST /api/tokens')).toHaveLength(1))

  it('are made, shown once, and then stand in the list', async () => {
    await begin()
    await make()
    expect(await screen.findByText('pb_1_whole')).toBeTruthy()
    expect(sent('POST /api/tokens')).toEqual([{ name: 'S', scopes: ['read', 'run'], expires_in_days: 90 }])
    await user.click(inDialog().getByRole('button', { name: 'Done' }))
    expect(screen.queryByText('pb_1_whole')).toBeNull()
    expect(await button('Delete token Script')).toBeTruthy()
  })

  it('are shown until their dialog is closed', async () => {
    await begin()
    await make()
    await screen.findByText('pb_1_whole')
    await close()
    expect(screen.queryByText('pb_1_whole')).toBeNull()
  })

  it('are not made where the dialog is closed', async () => {
    await begin()
    await close()
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(sent('POST /api/tokens')).toEqual([])
  })

  it('may do what was chosen', async () => {
    await begin()
    await user.click(inDialog().getByRole('checkbox', { name: /^Run/ }))
    await user.click(inDialog().getByRole('checkbox', { name: /^Edit/ }))
    await make()
    await created()
    expect(sent('POST /api/tokens')).toMatchObject([{ scopes: ['read', 'edit'] }])
  })

  it('last as long as was chosen', async () => {
    await begin()
    await user.selectOptions(inDialog().getByLabelText('Expires'), 'never')
    await make()
    await created()
    expect(sent('POST /api/tokens')).toMatchObject([{ expires_in_days: null }])
  })

  it('are bound to workflows and to networks', async () => {
    server.on('GET /api/workflows', list([{ id: 'wf_1', name: 'Digest' }]))
    await begin()
    await user.click(await inDialog().findByRole('checkbox', { name: 'Digest' }))
    await user.type(inDialog().getByLabelText('Only from these addresses'), '192.0.2.1')
    await make()
    await created()
    expect(sent('POST /api/tokens')).toMatchObject([{ workflows: ['wf_1'], networks: ['192.0.2.1'] }])
  })

  it('are bound to a workflow that is looked for, where there are more than a page of them', async () => {
    server.on('GET /api/workflows', ({ path }) => {
      const q = new URLSearchParams(path.split('?')[1]).get('q')
      return {
        body: {
          results: [{ id: q ? 'wf_9' : 'wf_1', name: q ? 'Letters' : 'Digest' }],
          next: q ? null : 'more',
        },
      }
    })
    await begin()
    await user.type(await inDialog().findByRole('searchbox', { name: 'Search workflows' }), 'L')
    await user.click(await inDialog().findByRole('checkbox', { name: 'Letters' }))
    await make()
    await created()
    expect(sent('POST /api/tokens')).toMatchObject([{ workflows: ['wf_9'] }])
  })

  it('that could not be read are asked for again', async () => {
    server.on('GET /api/tokens', refusal(500, 'INTERNAL'))
    open('tokens')
    const again = await button('Try again')
    has(TOKEN)
    await user.click(again)
    expect(await button('Delete token Script')).toBeTruthy()
  })

  it('of the whole team are shown to who administers it', async () => {
    open('tokens')
    await user.click(await screen.findByRole('radio', { name: 'Whole team' }))
    await waitFor(() => expect(server.to('GET /api/tokens').at(-1)?.path).toContain('of=team'))
  })

  it('are deleted after a question', async () => {
    has(TOKEN)
    server.on('DELETE /api/tokens/tok_1', () => {
      has()
      return {}
    })
    open('tokens')
    await user.click(await button('Delete token Script'))
    await user.click(inDialog().getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('No tokens yet')).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('are kept where the question is answered with no', async () => {
    has(TOKEN)
    open('tokens')
    await user.click(await button('Delete token Script'))
    await user.click(inDialog().getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})
