import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { aServer } from '@/registry/registry.testing'
import { FakeServer, refusal, show } from '@/testing/server'
import type { SignInState } from './data'
import ReturnPage from './ReturnPage'
import { SignIn } from './SignIn'

const octo = aServer('octo', { transport: 'http', url: 'https://octo.example/mcp', auth_type: 'oauth' })
const AT = '/api/mcp/servers/srv_octo/sign-in'

const nobody: SignInState = {
  state: 'none',
  shared: true,
  may_sign_in: true,
  signed_in_as: '',
  signed_in_by: null,
  signed_in_at: null,
  issuer: '',
  scopes: [],
  needs: [],
  expires_at: null,
  renews: false,
  refreshed_at: null,
  client_kind: '',
  client_id: '',
  callback: 'https://patchbay.example/oauth/callback',
  problem: null,
  steps: [],
}
const somebody: SignInState = {
  ...nobody,
  state: 'signed_in',
  signed_in_as: 'octocat',
  signed_in_by: 'adam@example.org',
  issuer: 'https://octo.example',
  scopes: ['repo', 'read:org'],
  expires_at: '2026-11-27T13:41:00Z',
  renews: true,
  refreshed_at: '2026-11-27T12:41:00Z',
  client_id: 'https://patchbay.example/oauth/client.json',
  steps: [
    {
      stage: 'refresh',
      method: 'POST',
      url: 'https://octo.example/token',
      sent: 'grant_type=refresh_token refresh_token=••••••',
      status: 400,
      body: '{"error": "invalid_grant"}',
      ms: 131,
      at: '2026-11-27T13:41:00Z',
      problem: 'sign_in_ended',
    },
  ],
}

afterEach(() => {
  window.history.replaceState(null, '', '/')
  sessionStorage.clear()
})

it('sends the browser to the page of the authorization server', async () => {
  const assign = vi.fn()
  const { location } = window
  vi.spyOn(window, 'location', 'get').mockReturnValue({ ...location, assign } as unknown as Location)
  new FakeServer()
    .on(`GET ${AT}`, { body: nobody })
    .on('POST /api/mcp/sign-in/begin', { body: { url: 'https://octo.example/authorize?state=x' } })
  show(<SignIn server={octo} />, 'admin')
  expect(await screen.findByText('Nobody is signed in at this server')).toBeTruthy()
  await userEvent.setup().click(screen.getByRole('button', { name: 'Sign in' }))
  await waitFor(() => expect(assign).toHaveBeenCalledWith('https://octo.example/authorize?state=x'))
  vi.restoreAllMocks()
})

it('says why a sign-in could not begin', async () => {
  new FakeServer()
    .on(`GET ${AT}`, { body: nobody })
    .on('POST /api/mcp/sign-in/begin', refusal(502, 'MCP_AUTH_FAILED'))
  show(<SignIn server={octo} />, 'admin')
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Sign in' }))
  expect((await screen.findByRole('alert')).textContent).toContain('MCP_AUTH_FAILED')
})

it('shows as whom, until when and each step, and signs out when asked', async () => {
  const server = new FakeServer().on(`GET ${AT}`, { body: somebody }).on(`DELETE ${AT}`, { status: 204 })
  show(<SignIn server={octo} />, 'admin')
  const facts = await screen.findByRole('region', { name: 'Sign-in' })
  expect(facts.textContent).toContain('octocat')
  expect(facts.textContent).toContain('repo read:org')
  expect(facts.textContent).toMatch(/last refreshed/)
  const steps = screen.getByRole('region', { name: 'Steps of the sign-in' })
  expect(within(steps).getByText(/400 · octo.example\/token/)).toBeTruthy()
  expect(within(steps).getByText('{"error": "invalid_grant"}')).toBeTruthy()
  const user = userEvent.setup()
  await user.click(screen.getByRole('button', { name: 'Sign out' }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Sign out' }))
  await waitFor(() => expect(server.to(`DELETE ${AT}`)).toHaveLength(1))
})

it('says that the sign-in has ended, and asks for more rights where they are missing', async () => {
  const problem = {
    code: 'MCP_AUTH_FAILED',
    reason: 'sign_in_ended',
    stage: 'refresh',
    message: 'It ended.',
    hint: '',
  }
  new FakeServer().on(`GET ${AT}`, { body: { ...somebody, state: 'ended', problem } })
  const { unmount } = show(<SignIn server={octo} brief />, 'admin')
  expect((await screen.findByRole('alert')).textContent).toContain(
    'The sign-in has endedMCP_AUTH_FAILEDIt ended.',
  )
  unmount()
  new FakeServer().on(`GET ${AT}`, { body: { ...somebody, needs: ['admin:org'] } })
  show(<SignIn server={octo} brief />, 'admin')
  expect(await screen.findByText('The server asks for more rights: admin:org')).toBeTruthy()
})

it('takes the code out of the address and hands it over once', async () => {
  window.history.replaceState(null, '', '/oauth/callback?code=c1&state=s1&iss=https%3A%2F%2Focto.example')
  const server = new FakeServer().on('POST /api/mcp/sign-in/return', {
    body: { server: 'srv_octo', slug: 'octo' },
  })
  show(<ReturnPage />, 'admin')
  await waitFor(() => expect(window.location.pathname).toBe('/registry/octo/overview'))
  expect(window.location.search).toBe('')
  expect(server.to('POST /api/mcp/sign-in/return').map((request) => request.body)).toEqual([
    { state: 's1', code: 'c1', iss: 'https://octo.example', error: '', error_description: '' },
  ])
})

it('stays and says what failed, with the way back to the server', async () => {
  sessionStorage.setItem('patchbay-sign-in-at', 'octo')
  window.history.replaceState(null, '', '/oauth/callback?error=access_denied&state=s1')
  new FakeServer().on('POST /api/mcp/sign-in/return', refusal(502, 'MCP_AUTH_FAILED'))
  show(<ReturnPage />, 'admin')
  expect(await screen.findByText('The sign-in failed')).toBeTruthy()
  expect(window.location.search).toBe('')
  await userEvent.setup().click(screen.getByRole('button', { name: 'Back to the server' }))
  await waitFor(() => expect(window.location.pathname).toBe('/registry/octo/overview'))
})
