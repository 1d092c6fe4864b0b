import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeServer, show } from '@/testing/server'
import { Security } from './Security'

const OFF = { on: false, since: null, last_used_at: null, codes_left: 0 }

let server: FakeServer

beforeEach(() => {
  vi.stubGlobal('PublicKeyCredential', { parseRequestOptionsFromJSON: () => ({}) })
  server = new FakeServer()
    .on('GET /api/me/passkeys', { body: { results: [], next: null } })
    .on('GET /api/me/sessions', { body: { results: [], next: null } })
})

afterEach(() => {
  vi.unstubAllGlobals()
})

const about = (identity_provider: string | null) =>
  server.on('GET /api/me/security', {
    body: {
      password_set: identity_provider === null,
      asks_password: true,
      identity_provider,
      two_factor: OFF,
    },
  })

describe('whom the identity provider lets in', () => {
  it('is told so, in place of what asks for a password', async () => {
    about('Example Corp')
    show(<Security />, 'editor')
    expect(await screen.findByText(/You sign in through Example Corp\. Your password/)).toBeTruthy()
    expect(screen.queryByLabelText('New password')).toBeNull()
    expect(screen.queryByRole('heading', { name: /Second factor/ })).toBeNull()
    const add = screen.getByRole('button', { name: 'Add a passkey' })
    await userEvent.setup().click(add)
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(add.getAttribute('aria-disabled')).toBe('true')
    expect(screen.getByRole('button', { name: 'Delete account' }).getAttribute('aria-disabled')).toBe('true')
  })

  it('is nobody who has a password', async () => {
    about(null)
    show(<Security />, 'editor')
    expect(await screen.findByLabelText('New password')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Add a passkey' }).getAttribute('aria-disabled')).toBeNull()
    expect(screen.queryByText(/You sign in through/)).toBeNull()
  })
})
