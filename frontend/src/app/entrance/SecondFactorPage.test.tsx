import { useQuery } from '@tanstack/react-query'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { meQuery } from '@/api/queries'
import { FakeServer, refusal, show } from '@/testing/server'
import { SecondFactorPage } from './SecondFactorPage'

const OFF = { on: false, since: null, last_used_at: null, codes_left: 0 }
const ON = { on: true, since: '2026-11-22T01:54:19Z', last_used_at: null, codes_left: 2 }
const SETUP = {
  secret: 'JBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/x',
  svg: '<svg xmlns="http://www.w3.org/2000/svg"/>',
}

let server: FakeServer

beforeEach(() => {
  server = new FakeServer().on('GET /api/me/passkeys', { body: { results: [], next: null } })
  security(OFF)
})

afterEach(() => {
  vi.unstubAllGlobals()
})

const security = (two_factor: typeof OFF | typeof ON, password_set = true) =>
  server.on('GET /api/me/security', {
    body: { password_set, asks_password: true, identity_provider: null, two_factor },
  })

/** The page behind the question of who is signed in, as the app asks it. */
function Behind() {
  useQuery(meQuery)
  return <SecondFactorPage />
}

const page = () => show(<Behind />, 'editor')
const button = (name: string) => screen.getByRole('button', { name })

describe('the page of a team that demands a second factor', () => {
  it('leads nowhere until there is one, but out', async () => {
    server.on('DELETE /_allauth/browser/v1/auth/session', { status: 401, body: {} })
    page()
    expect(await screen.findByRole('button', { name: 'Set up' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull()
    expect(screen.queryByLabelText('New password')).toBeNull()
    const assign = vi.fn()
    vi.stubGlobal('location', { ...window.location, assign })
    await userEvent.click(button('Sign out'))
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/'))
    expect(server.to('DELETE /_allauth/browser/v1/auth/session')).toHaveLength(1)
  })

  it('sets an app up: password, code, recovery codes, and on', async () => {
    const user = userEvent.setup()
    server
      .on('POST /api/me/two-factor/begin', { body: SETUP })
      .on('POST /api/me/two-factor/confirm', { body: { codes: ['aaaa-1111', 'bbbb-2222'] } })
      .on('GET /api/me', { status: 401, body: {} })
    page()
    await user.click(await screen.findByRole('button', { name: 'Set up' }))
    await user.type(screen.getByLabelText('Current password'), 'correct horse battery')
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Continue' }))
    await user.type(await screen.findByLabelText('Code'), '123 456')
    security(ON)
    await user.click(button('Turn on'))
    expect(await screen.findByText(/aaaa-1111/)).toBeTruthy()
    expect(server.to('POST /api/me/two-factor/confirm')[0]?.body).toEqual({ code: '123456' })
    await user.click(button('Done'))
    await user.click(await screen.findByRole('button', { name: 'Continue' }))
    await waitFor(() => expect(server.to('GET /api/me').length).toBeGreaterThan(0))
  })

  it('says what the server says against a code', async () => {
    const user = userEvent.setup()
    server
      .on('POST /api/me/two-factor/begin', { body: SETUP })
      .on(
        'POST /api/me/two-factor/confirm',
        refusal(403, 'FORBIDDEN', { message: 'This code is not right.' }),
      )
    page()
    await user.click(await screen.findByRole('button', { name: 'Set up' }))
    await user.type(screen.getByLabelText('Current password'), 'correct horse battery')
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Continue' }))
    await user.type(await screen.findByLabelText('Code'), '000000')
    await user.click(button('Turn on'))
    expect(await screen.findByText('This code is not right.')).toBeTruthy()
    expect(screen.queryByText(/Recovery codes/)).toBeNull()
  })

  it('asks for a password first where there is none', async () => {
    security(OFF, false)
    page()
    expect(await screen.findByLabelText('New password')).toBeTruthy()
    expect(button('Set up').getAttribute('aria-disabled')).toBe('true')
  })

  it('goes on with a passkey alone', async () => {
    const passkey = { id: 'pk_1', name: 'laptop', created_at: '2026-11-22T01:54:19Z', last_used_at: null }
    server.on('GET /api/me/passkeys', { body: { results: [passkey], next: null } })
    page()
    expect(await screen.findByRole('button', { name: 'Continue' })).toBeTruthy()
  })
})
