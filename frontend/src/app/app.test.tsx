import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pageData } from '@/api/client'
import { meQuery, queryClient } from '@/api/queries'
import { setLanguage } from '@/i18n'
import { FakeServer, refusal } from '@/testing/server'
import { App } from './App'
import { loadedPage } from './pages'

const team = { id: 'team_1', name: 'Platform', slug: 'platform', role: 'owner' }
const me = {
  id: 'usr_1',
  email: 'alice@example.org',
  name: 'Alice',
  language: 'en',
  theme: 'light',
  auto_execute: false,
  team,
  teams: [team],
}
const LOGIN = 'POST /_allauth/browser/v1/auth/login'

let server: FakeServer

/** A websocket that never opens: nothing here is about what is live. */
class SilentSocket {
  close() {}
  send() {}
}

beforeEach(() => {
  queryClient.clear()
  vi.stubGlobal('WebSocket', SilentSocket)
  server = new FakeServer()
  server.on('GET /api/me', refusal(401, 'UNAUTHENTICATED'))
  for (const list of [
    'mcp/servers',
    'mcp/declarations',
    'interactions',
    'workflows',
    'runs',
    'secrets',
    'tokens',
  ]) {
    server.on(`GET /api/${list}`, { body: { results: [], next: null } })
  }
})

afterEach(async () => {
  vi.unstubAllGlobals()
  window.history.replaceState(null, '', '/')
  await setLanguage('en')
})

function visit(path: string) {
  window.history.replaceState(null, '', path)
  render(<App />)
  return userEvent.setup()
}

const signedIn = () => server.on('GET /api/me', { body: me })

describe('signing in', () => {
  it('says when the password does not match or was tried too often, and leads on to where one was going', async () => {
    server.on(LOGIN, { status: 400, body: { status: 400, errors: [{ code: 'email_password_mismatch' }] } })
    const user = visit('/settings/about')
    await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'alice@example.org')
    await user.type(screen.getByLabelText('Password'), 'wrong')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByText('Email and password do not match.')).toBeTruthy()

    server.on(LOGIN, refusal(429, 'RATE_LIMITED'))
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByText(/Too many attempts/)).toBeTruthy()

    server.on(LOGIN, { body: {} })
    signedIn()
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Settings' })).toBeTruthy()
    expect(await screen.findByRole('heading', { name: 'About' })).toBeTruthy()
  })

  it('shows what is typed when it is asked to', async () => {
    const user = visit('/')
    const password = await screen.findByLabelText<HTMLInputElement>('Password')
    expect(password.type).toBe('password')
    await user.click(screen.getByRole('button', { name: 'Show password' }))
    expect(password.type).toBe('text')
  })

  it('leads through the identity provider where there is one, and says why it did not', async () => {
    const refused = { code: 'FORBIDDEN', message: 'The identity provider did not sign you in.', hint: '' }
    Object.assign(pageData(), { sso: 'Example Corp', sso_error: refused })
    visit('/')
    expect(await screen.findByRole('button', { name: 'Continue with Example Corp' })).toBeTruthy()
    expect(screen.getByRole('alert').textContent).toContain('did not sign you in')
    Object.assign(pageData(), { sso: '', sso_error: null })
  })

  it('is asked for again when the session ends', async () => {
    signedIn()
    const user = visit('/settings/tokens')
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    server.on('POST /api/tokens', refusal(401, 'UNAUTHENTICATED'))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'ci')
    await user.click(screen.getByRole('button', { name: 'Create token' }))
    expect(await screen.findByRole('heading', { name: 'Sign in to Patchbay' })).toBeTruthy()
  })

  it('says so when nothing answers, and tries again', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, retry: false } })
    const user = visit('/')
    const retry = await screen.findByRole('button', { name: 'Try again' })
    vi.unstubAllGlobals()
    vi.stubGlobal('WebSocket', SilentSocket)
    server = new FakeServer()
    server.on('GET /api/me', refusal(401, 'UNAUTHENTICATED'))
    await user.click(retry)
    expect(await screen.findByRole('heading', { name: 'Sign in to Patchbay' })).toBeTruthy()
  })
})

describe('the second factor', () => {
  const CODE = 'POST /_allauth/browser/v1/auth/2fa/authenticate'
  const pending = {
    status: 401,
    data: { flows: [{ id: 'login' }, { id: 'mfa_authenticate', is_pending: true }] },
  }

  it('asks for a code after the password, says when it is wrong, and leads in', async () => {
    server.on(LOGIN, { status: 401, body: pending })
    server.on(CODE, {
      status: 400,
      body: { status: 400, errors: [{ code: 'incorrect_code', param: 'code' }] },
    })
    const user = visit('/settings/about')
    await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'alice@example.org')
    await user.type(screen.getByLabelText('Password'), 'right')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await user.type(await screen.findByRole('textbox', { name: 'Code' }), '123 456')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByText('This code is wrong or was already used.')).toBeTruthy()
    expect(server.to(CODE)[0]?.body).toEqual({ code: '123456' })

    server.on(CODE, { body: {} })
    signedIn()
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Settings' })).toBeTruthy()
  })
})

describe('an invitation', () => {
  const LOOK = 'POST /api/invitations/look'
  const ACCEPT = 'POST /api/invitations/accept'
  const seen = {
    team: 'Platform',
    role: 'editor',
    invited_by: 'Alice',
    expires_at: '2026-11-29T05:22:10.112Z',
    email: '',
    account: false,
    you: null,
    member: false,
  }

  it('asks a new person for name and password, and says at the field what is wrong', async () => {
    server.on(LOOK, { body: seen })
    server.on(ACCEPT, refusal(400, 'VALIDATION_ERROR', { fields: { password: ['Too common.'] } }))
    const user = visit('/join#abc')
    expect(await screen.findByText(/Alice invites you to the team Platform as Editor/)).toBeTruthy()
    await user.type(screen.getByRole('textbox', { name: 'Email' }), 'nina@example.org')
    await user.type(screen.getByRole('textbox', { name: 'Your name' }), 'Nina')
    await user.type(screen.getByLabelText('Password'), 'password12')
    await user.click(screen.getByRole('button', { name: 'Join Platform' }))
    expect(await screen.findByText('Too common.')).toBeTruthy()
    expect(server.to(LOOK)[0]?.body).toEqual({ token: 'abc' })
    expect(server.to(ACCEPT)[0]?.body).toEqual({
      token: 'abc',
      language: 'en',
      name: 'Nina',
      email: 'nina@example.org',
      password: 'password12',
    })
  })

  it('lets somebody with an account sign in first', async () => {
    server.on(LOOK, { body: { ...seen, email: 'bob@example.org', account: true } })
    server.on(LOGIN, { body: {} })
    const user = visit('/join#abc')
    await user.type(await screen.findByLabelText('Password'), 'right')
    server.on(LOOK, { body: { ...seen, email: 'bob@example.org', account: true, you: 'bob@example.org' } })
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByRole('button', { name: 'Join Platform' })).toBeTruthy()
    expect(server.to(LOGIN)[0]?.body).toEqual({ email: 'bob@example.org', password: 'right' })
  })

  it('that is for somebody else, or used, says so', async () => {
    server.on(LOOK, { body: { ...seen, email: 'nina@example.org', you: 'bob@example.org' } })
    visit('/join#abc')
    expect(await screen.findByText('This invitation is for nina@example.org.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Join Platform' })).toBeNull()
  })
})

describe('in no team', () => {
  it('says so, and which team it was', async () => {
    signedIn()
    visit('/settings/about')
    await screen.findByRole('heading', { name: 'About' })
    server.on(
      'GET /api/me',
      refusal(401, 'UNAUTHENTICATED', { detail: { reason: 'no_team', email: 'alice@example.org' } }),
    )
    await act(() => queryClient.invalidateQueries(meQuery))
    expect(await screen.findByRole('heading', { name: 'You are not in any team' })).toBeTruthy()
    expect(screen.getByText('You are no longer in the team Platform.')).toBeTruthy()
    expect(screen.getByDisplayValue('alice@example.org')).toBeTruthy()
  })

  it('goes on in another team, and says which one is lost', async () => {
    const other = { id: 'team_2', name: 'Research', slug: 'research', role: 'editor' }
    signedIn()
    visit('/settings/about')
    await screen.findByRole('heading', { name: 'About' })
    server.on('GET /api/me', { body: { ...me, team: other, teams: [other] } })
    await act(() => queryClient.invalidateQueries(meQuery))
    expect(await screen.findByText('You are no longer in the team Platform.')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Team Research' })).toBeTruthy()
  })
})

describe('the one-time link', () => {
  it('makes the first owner, says at the field what is wrong, then opens the page', async () => {
    server.on('GET /api/setup', { body: { purpose: 'first_owner', email: '' } })
    server.on(
      'POST /api/setup',
      refusal(400, 'VALIDATION_ERROR', { fields: { password: ['This password is too common.'] } }),
    )
    const user = visit('/start/abc')
    await user.type(await screen.findByRole('textbox', { name: 'Your name' }), 'Alice')
    await user.type(screen.getByRole('textbox', { name: 'Email' }), 'alice@example.org')
    await user.type(screen.getByLabelText('Password'), 'password')
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    expect(await screen.findByText('This password is too common.')).toBeTruthy()

    signedIn()
    server.on('POST /api/setup', { body: me })
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    await waitFor(() => expect(window.location.pathname).toBe('/'))
    expect(server.to('POST /api/setup').at(-1)?.body).toEqual({
      token: 'abc',
      name: 'Alice',
      email: 'alice@example.org',
      password: 'password',
      team: 'My team',
      language: 'en',
    })
  })

  it('signs in only when its button is pressed: looking does not use it up', async () => {
    server.on('GET /api/setup', { body: { purpose: 'sign_in', email: 'alice@example.org' } })
    const user = visit('/start/abc')
    await screen.findByText(/alice@example.org/)
    expect(server.to('POST /api/setup')).toHaveLength(0)
    signedIn()
    server.on('POST /api/setup', { body: me })
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await waitFor(() => expect(window.location.pathname).toBe('/'))
  })

  it('that does not work says why', async () => {
    server.on('GET /api/setup', refusal(404, 'NOT_FOUND'))
    visit('/start/old')
    expect(await screen.findByRole('heading', { name: 'This link does not work' })).toBeTruthy()
    expect(screen.getByText(/older than 15 minutes/)).toBeTruthy()
  })
})

describe('the frame', () => {
  beforeEach(() => signedIn())

  it('counts the open questions at the inbox', async () => {
    server.on('GET /api/interactions', { body: { results: [{}, {}, {}], next: null } })
    visit('/settings')
    const nav = within(await screen.findByRole('navigation', { name: 'Main navigation' }))
    expect(await nav.findByRole('link', { name: 'Inbox, 3 open questions' })).toBeTruthy()
    expect(nav.getByRole('link', { name: 'Settings' }).getAttribute('aria-current')).toBe('page')
  })

  it('shows a page at once whose code came while the hand was on its way', async () => {
    signedIn()
    server.on('GET /api/usage', { body: { results: [], next: null } })
    const user = visit('/settings')
    const link = await screen.findByRole('link', { name: 'Usage' })
    await user.hover(link)
    await act(() => loadedPage('/usage'))
    act(() => link.click())
    expect(screen.queryByRole('heading', { level: 1, name: 'Usage' })).not.toBeNull()
  })

  it('says so where there is nothing', async () => {
    visit('/nowhere')
    expect(
      await screen.findByRole('heading', { level: 1, name: 'There is nothing at this address.' }),
    ).toBeTruthy()
  })

  it('does by name what there is to do', async () => {
    server.on('PATCH /api/me', ({ body }) => ({ body: { ...me, ...(body as object) } }))
    const user = visit('/settings')
    await screen.findByRole('heading', { level: 1, name: 'Settings' })
    await user.keyboard('{Control>}k{/Control}')
    await user.type(await screen.findByRole('combobox'), 'dark theme{Enter}')
    await waitFor(() => expect(document.documentElement.dataset.theme).toBe('dark'))
    expect(server.to('PATCH /api/me')[0]?.body).toEqual({ theme: 'dark' })
  })

  it('lists its keys', async () => {
    const user = visit('/settings')
    await screen.findByRole('heading', { level: 1, name: 'Settings' })
    await user.keyboard('?')
    expect(
      within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })).getByText('Command palette'),
    ).toBeTruthy()
  })

  it('speaks the other language at once, and keeps it', async () => {
    server.on('PATCH /api/me', ({ body }) => ({ body: { ...me, ...(body as object) } }))
    const user = visit('/settings/profile')
    await user.click(await screen.findByRole('radio', { name: '中文' }))
    expect(await screen.findByRole('heading', { level: 1, name: '设置' })).toBeTruthy()
    expect(server.to('PATCH /api/me')[0]?.body).toEqual({ language: 'zh' })
    expect(localStorage.getItem('language')).toBe('zh')
  })

  it('asks anew, in the other language, for what the server put into words', async () => {
    server.on('PATCH /api/me', ({ body }) => ({ body: { ...me, ...(body as object) } }))
    const user = visit('/settings/profile')
    const radio = await screen.findByRole('radio', { name: '中文' })
    await waitFor(() => expect(server.to('GET /api/interactions').length).toBeGreaterThan(0))
    const before = server.to('GET /api/interactions').length
    await user.click(radio)
    await waitFor(() => expect(server.to('GET /api/interactions').length).toBeGreaterThan(before))
  })

  it('takes back what the server did not take', async () => {
    server.on('PATCH /api/me', refusal(403, 'FORBIDDEN'))
    const user = visit('/settings/profile')
    await user.click(await screen.findByRole('radio', { name: 'Dark' }))
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Light' }).checked).toBe(true)
    expect(queryClient.getQueryData(meQuery.queryKey)).toMatchObject({ theme: 'light' })
  })
})

describe('settings', () => {
  beforeEach(() => signedIn())

  it("show a new token's text once", async () => {
    server.on('POST /api/tokens', {
      status: 201,
      body: {
        id: 'tok_1',
        name: 'ci',
        prefix: 'pb_ab',
        created_at: '',
        expires_at: null,
        last_used_at: null,
        token: 'pb_abcdef',
      },
    })
    const user = visit('/settings/tokens')
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'ci')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Expires' }), 'never')
    await user.click(screen.getByRole('button', { name: 'Create token' }))
    expect(await screen.findByText('pb_abcdef')).toBeTruthy()
    expect(server.to('POST /api/tokens')[0]?.body).toEqual({
      name: 'ci',
      scopes: ['read', 'run'],
      expires_in_days: null,
    })
    await user.click(screen.getByRole('button', { name: 'Done' }))
    expect(screen.queryByText('pb_abcdef')).toBeNull()
  })

  it('bind a token to workflows and addresses', async () => {
    server.on('GET /api/workflows', {
      body: {
        results: [
          { id: 'wf_1', name: 'Invoices' },
          { id: 'wf_2', name: 'Letters' },
        ],
        next: null,
      },
    })
    server.on('POST /api/tokens', refusal(400, 'VALIDATION_ERROR', { fields: { 'networks.0': ['No.'] } }))
    const user = visit('/settings/tokens')
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'ci')
    await user.click(await screen.findByRole('checkbox', { name: 'Letters' }))
    await user.type(screen.getByRole('textbox', { name: 'Only from these addresses' }), '192.0.2.0/24, here')
    await user.click(screen.getByRole('button', { name: 'Create token' }))
    expect(await screen.findByText('No.')).toBeTruthy()
    expect(server.to('POST /api/tokens')[0]?.body).toMatchObject({
      workflows: ['wf_2'],
      networks: ['192.0.2.0/24', 'here'],
    })
    await user.click(screen.getByRole('checkbox', { name: /^Edit/ }))
    expect(screen.queryByRole('checkbox', { name: 'Letters' })).toBeNull()
    expect(
      screen.getByText('A token with the scope edit or admin cannot be limited to workflows.'),
    ).toBeTruthy()
  })

  it('write a secret and never read it', async () => {
    const kept = {
      name: 'github',
      hint: '····7f2a',
      hosts: [],
      created_at: '2026-11-21T12:00:00Z',
      updated_at: '2026-11-21T12:00:00Z',
    }
    server.on('POST /api/secrets', { status: 201, body: kept })
    const user = visit('/settings/secrets')
    await user.click(await screen.findByRole('button', { name: 'New secret' }))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'github')
    await user.type(screen.getByLabelText('Value'), 's3cret')
    await user.type(screen.getByRole('textbox', { name: 'Allowed hosts' }), 'api.github.com, example.org')
    server.on('GET /api/secrets', { body: { results: [kept], next: null } })
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText(`\${secret:github}`)).toBeTruthy()
    expect(server.to('POST /api/secrets')[0]?.body).toEqual({
      name: 'github',
      value: 's3cret',
      hosts: ['api.github.com', 'example.org'],
    })
    expect(document.body.innerHTML).not.toContain('s3cret')
    await act(async () => {})
  })
})
