import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { chooseTeam, pageData } from '@/api/client'
import { meQuery, queryClient } from '@/api/queries'
import { setLanguage } from '@/i18n'
import { FakeServer, refusal } from '@/testing/server'
import { App } from './App'

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

/** Where the browser is sent from now on: jsdom goes nowhere. */
function leaving() {
  const assign = vi.fn()
  vi.stubGlobal('location', { ...window.location, assign })
  return assign
}

const LOGOUT = 'DELETE /_allauth/browser/v1/auth/session'

describe('signing in', () => {
  it('says when the password does not match or was tried too often, and leads on to where one was going', async () => {
    server.on(LOGIN, { status: 400, body: { status: 400, errors: [{ code: 'email_password_mismatch' }] } })
    const user = visit('/settings/about')
    await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'alice@example.org')
    await user.type(screen.getByLabelText('Password'), 'wrong')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByText('Email and password do not match.')).toBeTruthy()
    expect(server.to(LOGIN)[0]?.body).toEqual({ email: 'alice@example.org', password: 'wrong' })

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

  it('leads to the identity provider, and from there to where one was going', async () => {
    Object.assign(pageData(), { sso: 'Example Corp' })
    const user = visit('/runs?state=ERROR')
    const button = await screen.findByRole('button', { name: 'Continue with Example Corp' })
    const assign = leaving()
    await user.click(button)
    expect(assign).toHaveBeenCalledWith('/api/sso/start?next=%2Fruns%3Fstate%3DERROR')
    Object.assign(pageData(), { sso: '' })
  })

  it('can be read in the other language', async () => {
    const user = visit('/')
    await user.click(await screen.findByRole('radio', { name: '中文' }))
    expect(await screen.findByRole('heading', { name: '登录 Patchbay' })).toBeTruthy()
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

  it('leads back to the password', async () => {
    server.on(LOGIN, { status: 401, body: pending })
    const user = visit('/')
    await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'alice@example.org')
    await user.type(screen.getByLabelText('Password'), 'right')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await user.click(await screen.findByRole('button', { name: 'Back to the password' }))
    expect(screen.getByLabelText('Password')).toHaveProperty('value', '')
  })
})

/** The browser's part of a passkey: it has one, and asks nobody. */
class Passkey {
  static parseRequestOptionsFromJSON = () => ({})
  toJSON = () => ({ id: 'known' })
}

function withPasskey(): void {
  vi.stubGlobal('PublicKeyCredential', Passkey)
  const value = { get: async () => new Passkey() }
  Object.defineProperty(navigator, 'credentials', { configurable: true, value })
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'credentials'))
  server
    .on('POST /api/sign-in/passkey/begin', { body: { options: { publicKey: {} } } })
    .on('POST /api/sign-in/passkey', { body: {} })
}

describe('a passkey', () => {
  it('signs in without password and code', async () => {
    withPasskey()
    const user = visit('/settings/about')
    const button = await screen.findByRole('button', { name: 'Use a passkey' })
    signedIn()
    await user.click(button)
    expect(await screen.findByRole('heading', { name: 'About' })).toBeTruthy()
    expect(server.to('POST /api/sign-in/passkey')[0]?.body).toEqual({ credential: { id: 'known' } })
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

  it.each(['a code', 'a passkey'])('lets somebody with a second factor sign in by %s', async (what) => {
    const flows = [{ id: 'mfa_authenticate', is_pending: true }]
    server
      .on(LOOK, { body: { ...seen, email: 'bob@example.org', account: true } })
      .on(LOGIN, { status: 401, body: { status: 401, data: { flows } } })
      .on('POST /_allauth/browser/v1/auth/2fa/authenticate', { body: {} })
    withPasskey()
    const user = visit('/join#abc')
    await user.type(await screen.findByLabelText('Password'), 'right')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    const code = await screen.findByRole('textbox', { name: 'Code' })
    server.on(LOOK, { body: { ...seen, email: 'bob@example.org', account: true, you: 'bob@example.org' } })
    if (what === 'a passkey') await user.click(screen.getByRole('button', { name: 'Use a passkey' }))
    else await user.type(code, '123456{Enter}')
    expect(await screen.findByRole('button', { name: 'Join Platform' })).toBeTruthy()
  })

  it('that is for somebody else, or used, says so', async () => {
    server.on(LOOK, { body: { ...seen, email: 'nina@example.org', you: 'bob@example.org' } })
    visit('/join#abc')
    expect(await screen.findByText('This invitation is for nina@example.org.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Join Platform' })).toBeNull()
  })

  it('is accepted by who is signed in', async () => {
    server.on(LOOK, { body: { ...seen, you: 'bob@example.org' } })
    server.on(ACCEPT, refusal(409, 'CONFLICT'))
    const user = visit('/join#abc')
    await user.click(await screen.findByRole('button', { name: 'Join Platform' }))
    expect(await screen.findByText('CONFLICT in words.')).toBeTruthy()
    expect(server.to(ACCEPT)[0]?.body).toEqual({ token: 'abc', language: 'en' })
  })

  it('can be accepted by somebody else, after signing out', async () => {
    server.on(LOOK, { body: { ...seen, you: 'bob@example.org' } }).on(LOGOUT, { status: 401 })
    const user = visit('/join#abc')
    const button = await screen.findByRole('button', { name: 'Sign out to join as someone else' })
    const assign = leaving()
    await user.click(button)
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/'))
    expect(server.to(LOGOUT)).toHaveLength(1)
  })

  it('to a team that one is in leads to its workflows', async () => {
    server.on(LOOK, { body: { ...seen, you: 'bob@example.org', member: true } })
    const user = visit('/join#abc')
    await user.click(await screen.findByRole('button', { name: 'Open Patchbay' }))
    expect(window.location.pathname).toBe('/')
  })

  it.each([
    ['', /^Email/],
    ['nina@example.org', /^Your name/],
  ])('begins with the first field that is to be filled in: for “%s”', async (email, first) => {
    server.on(LOOK, { body: { ...seen, email } })
    visit('/join#abc')
    await waitFor(() => expect(screen.getByRole('textbox', { name: first })).toBe(document.activeElement))
  })

  it('lets one sign in instead of making an account, and back', async () => {
    server.on(LOOK, { body: seen })
    const user = visit('/join#abc')
    await user.click(await screen.findByRole('button', { name: 'I have an account here' }))
    expect(screen.queryByRole('textbox', { name: 'Your name' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'I am new here' }))
    expect(screen.getByRole('textbox', { name: 'Your name' })).toBeTruthy()
  })

  it('that is not valid any more leads to the sign-in', async () => {
    server.on(LOOK, refusal(404, 'NOT_FOUND'))
    const user = visit('/join#old')
    await user.click(await screen.findByRole('button', { name: 'Sign in' }))
    expect(window.location.pathname).toBe('/')
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

  it('leads out', async () => {
    server
      .on('GET /api/me', refusal(401, 'UNAUTHENTICATED', { detail: { reason: 'no_team', email: '' } }))
      .on(LOGOUT, { status: 401 })
    const user = visit('/')
    const button = await screen.findByRole('button', { name: 'Sign out' })
    const assign = leaving()
    await user.click(button)
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/'))
  })

  it('ends the account', async () => {
    const END = 'POST /api/me/end'
    server
      .on(
        'GET /api/me',
        refusal(401, 'UNAUTHENTICATED', { detail: { reason: 'no_team', email: 'alice@example.org' } }),
      )
      .on('GET /api/me/end', { body: { results: [], next: null } })
      .on('GET /api/me/security', { body: { asks_password: false } })
      .on(END, { body: {} })
      .on(LOGOUT, { status: 401 })
    const user = visit('/')
    await user.click(await screen.findByRole('button', { name: 'Delete account' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox'), 'alice@example.org')
    await waitFor(() =>
      expect(dialog.getByRole('button', { name: 'Delete account' })).toHaveProperty('disabled', false),
    )
    const assign = leaving()
    await user.click(dialog.getByRole('button', { name: 'Delete account' }))
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/'))
    expect(server.to(END)).toHaveLength(1)
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

  it('that does not work leads to the sign-in', async () => {
    server.on('GET /api/setup', refusal(404, 'NOT_FOUND'))
    const user = visit('/start/old')
    await user.click(await screen.findByRole('button', { name: 'Sign in with a password' }))
    expect(window.location.pathname).toBe('/')
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

  it('leads from where there is nothing to the workflows', async () => {
    const user = visit('/nowhere')
    await user.click(await screen.findByRole('button', { name: 'Go to workflows' }))
    expect(window.location.pathname).toBe('/')
  })

  it.each([
    ['Settings', '/settings'],
    ['Team settings', '/settings/team'],
  ])('leads by the menus of the rail to: %s', async (entry, path) => {
    const user = visit('/usage')
    const menu = entry === 'Settings' ? 'Account of alice@example.org' : 'Team Platform'
    await user.click(await screen.findByRole('button', { name: menu }))
    await user.click(screen.getByRole('menuitem', { name: entry }))
    expect(window.location.pathname).toBe(path)
  })

  it('signs out by the menu of the account', async () => {
    server.on(LOGOUT, { status: 401 })
    const user = visit('/settings')
    await user.click(await screen.findByRole('button', { name: 'Account of alice@example.org' }))
    const assign = leaving()
    await user.click(screen.getByRole('menuitem', { name: 'Sign out' }))
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/'))
    expect(server.to(LOGOUT)).toHaveLength(1)
  })

  it('signs out by name', async () => {
    server.on(LOGOUT, { status: 401 })
    const user = visit('/settings')
    await screen.findByRole('heading', { level: 1, name: 'Settings' })
    await user.keyboard('{Control>}k{/Control}')
    const assign = leaving()
    await user.type(await screen.findByRole('combobox'), 'sign out{Enter}')
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/'))
    expect(server.to(LOGOUT)).toHaveLength(1)
  })

  it('opens the documentation by the menu of the account, and by name', async () => {
    const open = vi.spyOn(window, 'open').mockReturnValue(null)
    const user = visit('/settings')
    await user.click(await screen.findByRole('button', { name: 'Account of alice@example.org' }))
    await user.click(screen.getByRole('menuitem', { name: 'Documentation' }))
    expect(open).toHaveBeenCalledTimes(1)
    await user.keyboard('{Control>}k{/Control}')
    await user.type(await screen.findByRole('combobox'), 'documentation{Enter}')
    await waitFor(() => expect(open).toHaveBeenCalledTimes(2))
  })

  it('goes to another team by the menu of teams', async () => {
    const other = { id: 'team_2', name: 'Research', slug: 'research', role: 'editor' }
    server.on('GET /api/me', { body: { ...me, teams: [team, other] } })
    const user = visit('/settings')
    await user.click(await screen.findByRole('button', { name: 'Team Platform' }))
    const assign = leaving()
    await user.click(screen.getByRole('menuitem', { name: 'Research' }))
    expect(assign).toHaveBeenCalledWith('/')
  })

  it('makes a new team from the menu of teams', async () => {
    const user = visit('/settings')
    await user.click(await screen.findByRole('button', { name: 'Team Platform' }))
    await user.click(screen.getByRole('menuitem', { name: 'New team…' }))
    const dialog = await screen.findByRole('dialog')
    await user.click(within(dialog).getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('goes to the new team once it is made', async () => {
    server.on('POST /api/teams', { status: 201, body: { id: 'team_9', name: 'Labs' } })
    const user = visit('/settings')
    await user.click(await screen.findByRole('button', { name: 'Team Platform' }))
    await user.click(screen.getByRole('menuitem', { name: 'New team…' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox'), 'Labs')
    const assign = leaving()
    await user.click(dialog.getByRole('button', { name: 'Create team' }))
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/'))
    chooseTeam(null)
  })

  describe('Enter that comes before the tools', () => {
    /** The palette with the name of two tools typed, Enter pressed; `come` lets the tools come. */
    async function early() {
      const answers: (() => void)[] = []
      // nothing else resembles what is typed
      const names = { body: { results: [{ name: 'zulu_a' }, { name: 'zulu_b' }], next: null } }
      server
        .on('GET /api/mcp/servers', {
          body: { results: [{ id: 'srv_1', name: 'Git', slug: 'git' }], next: null },
        })
        .on(
          'GET /api/mcp/servers/srv_1/tool-names',
          () => new Promise((resolve) => answers.push(() => resolve(names))),
        )
      const user = visit('/settings')
      await screen.findByRole('heading', { level: 1, name: 'Settings' })
      await user.keyboard('{Control>}k{/Control}')
      const box = await screen.findByRole('combobox')
      await waitFor(() => expect(answers.length).toBeGreaterThan(0))
      await user.type(box, 'zulu{Enter}')
      const come = async () => {
        for (const answer of answers) await act(async () => answer())
      }
      return { user, box, come }
    }

    it('is done once they have come', async () => {
      const { come } = await early()
      await come()
      await waitFor(() => expect(window.location.search).toBe('?tool=zulu_a'))
    })

    it('is not done once a pointer chooses', async () => {
      const { user, box, come } = await early()
      await user.pointer({ keys: '[MouseLeft]', target: box })
      await come()
      await screen.findByRole('option', { name: /zulu_b/ })
      // what was due once they came is done by the next turn
      await act(() => new Promise((resolve) => window.setTimeout(resolve)))
      await user.click(await screen.findByRole('option', { name: /zulu_b/ }))
      await waitFor(() => expect(window.location.search).toBe('?tool=zulu_b'))
    })
  })

  it('finds pages, workflows and tools by their names', async () => {
    server
      .on('GET /api/workflows', { body: { results: [{ id: 'wf_1', name: 'Invoices' }], next: null } })
      .on('GET /api/mcp/servers', {
        body: { results: [{ id: 'srv_1', name: 'Git', slug: 'git' }], next: null },
      })
      .on('GET /api/mcp/servers/srv_1/tool-names', { body: { results: [{ name: 'git_log' }], next: null } })
    const user = visit('/settings')
    await screen.findByRole('heading', { level: 1, name: 'Settings' })
    for (const [typed, option, path] of [
      ['usage', /usage/i, '/usage'],
      ['invoices', /Invoices/, '/workflows/wf_1'],
      ['git_log', /git_log/, '/registry/srv_1/tools'],
    ] as const) {
      await user.keyboard('{Control>}k{/Control}')
      await user.type(await screen.findByRole('combobox'), typed)
      await user.click(await screen.findByRole('option', { name: option }))
      await waitFor(() => expect(window.location.pathname).toBe(path))
    }
  })

  it.each([
    ['the command palette', '{Control>}k{/Control}', 'Command palette'],
    ['the list of keys', '?', 'Keyboard shortcuts'],
  ])('closes %s', async (_what, keys, name) => {
    const user = visit('/settings')
    await screen.findByRole('heading', { level: 1, name: 'Settings' })
    await user.keyboard(keys)
    const dialog = await screen.findByRole('dialog', { name })
    act(() => void dialog.dispatchEvent(new Event('cancel', { cancelable: true })))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it.each([
    ['light theme', { theme: 'light' }],
    ['system theme', { theme: 'system' }],
    ['English', { language: 'en' }],
    ['中文', { language: 'zh' }],
  ])('does by name: %s', async (typed, change) => {
    server.on('PATCH /api/me', ({ body }) => ({ body: { ...me, ...(body as object) } }))
    const user = visit('/settings')
    await screen.findByRole('heading', { level: 1, name: 'Settings' })
    await user.keyboard('{Control>}k{/Control}')
    await user.type(await screen.findByRole('combobox'), `${typed}{Enter}`)
    await waitFor(() => expect(server.to('PATCH /api/me')[0]?.body).toEqual(change))
  })

  it('says so where there is nothing', async () => {
    visit('/nowhere')
    expect(await screen.findByRole('heading', { level: 1, name: 'Not found' })).toBeTruthy()
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
