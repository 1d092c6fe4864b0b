import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useEffect, useState } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { changeOf, type Draft, draftOf, emptyDraft, newServer } from '@/registry/draft'
import { aServer } from '@/registry/registry.testing'
import { FakeServer, refusal, show } from '@/testing/server'
import { ClientFields } from './ClientFields'
import type { SignInState } from './data'
import ReturnPage from './ReturnPage'
import { SignIn } from './SignIn'

const octo = aServer('octo', { transport: 'http', url: 'https://octo.example/mcp', auth_type: 'oauth' })
const AT = '/api/mcp/servers/srv_octo/sign-in'

const nobody: SignInState = {
  state: 'none',
  shared: true,
  machine: false,
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
  expect(await screen.findByText('Nobody is signed in')).toBeTruthy()
  await userEvent.setup().click(screen.getByRole('button', { name: 'Sign in' }))
  await waitFor(() => expect(assign).toHaveBeenCalledWith('https://octo.example/authorize?state=x'))
  vi.restoreAllMocks()
})

it('says why a sign-in could not begin', async () => {
  const server = new FakeServer()
    .on(`GET ${AT}`, { body: nobody })
    .on('POST /api/mcp/sign-in/begin', refusal(502, 'MCP_AUTH_FAILED'))
  show(<SignIn server={octo} />, 'admin')
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Sign in' }))
  expect((await screen.findByRole('alert')).textContent).toContain('MCP_AUTH_FAILED')
  await waitFor(() => expect(server.to(`GET ${AT}`)).toHaveLength(2))
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

it('asks before it signs out, and reads anew how it stands', async () => {
  const server = new FakeServer().on(`GET ${AT}`, { body: somebody }).on(`DELETE ${AT}`, { status: 200 })
  show(<SignIn server={octo} />, 'admin')
  const user = userEvent.setup()
  const confirm = async () => {
    await user.click(await screen.findByRole('button', { name: 'Sign out' }))
    return within(await screen.findByRole('dialog'))
  }
  const gone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await user.click((await confirm()).getByRole('button', { name: 'Cancel' }))
  await gone()
  expect(server.to(`DELETE ${AT}`)).toEqual([])
  await user.click((await confirm()).getByRole('button', { name: 'Sign out' }))
  await gone()
  await waitFor(() => expect(server.to(`GET ${AT}`)).toHaveLength(2))
})

it('asks again for how it stands where that could not be read', async () => {
  const server = new FakeServer().on(`GET ${AT}`, refusal(500, 'INTERNAL'))
  show(<SignIn server={octo} />, 'admin')
  const again = await screen.findByRole('button', { name: 'Try again' })
  server.on(`GET ${AT}`, { body: nobody })
  await userEvent.setup().click(again)
  expect(await screen.findByText('Nobody is signed in')).toBeTruthy()
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
  expect(await screen.findByText('More rights are needed: admin:org')).toBeTruthy()
})

it('takes the code out of the address and hands it over once', async () => {
  window.history.replaceState(null, '', '/oauth/callback?code=c1&state=s1&iss=https%3A%2F%2Focto.example')
  const server = new FakeServer().on(`GET ${AT}`, { body: nobody }).on('POST /api/mcp/sign-in/return', () => {
    server.on(`GET ${AT}`, { body: somebody })
    return { body: { server: 'srv_octo', slug: 'octo' } }
  })
  show(
    <>
      <SignIn server={octo} />
      <ReturnPage />
    </>,
    'admin',
  )
  await waitFor(() => expect(window.location.pathname).toBe('/registry/octo/overview'))
  expect(await screen.findByText(/octocat/)).toBeTruthy()
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
  await userEvent.setup().click(screen.getByRole('button', { name: 'Back' }))
  await waitFor(() => expect(window.location.pathname).toBe('/registry/octo/overview'))
})

const machine: SignInState = { ...nobody, machine: true, renews: true, client_id: 'robot' }

it('gets a token at once where Patchbay signs in itself', async () => {
  const server = new FakeServer().on(`GET ${AT}`, { body: machine }).on(`POST ${AT}`, { body: machine })
  show(<SignIn server={octo} />, 'admin')
  expect(await screen.findByText('Patchbay signs in itself')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Sign in' })).toBeNull()
  server.on(`GET ${AT}`, { body: { ...machine, state: 'signed_in', refreshed_at: '2026-11-27T12:41:00Z' } })
  await userEvent.setup().click(screen.getByRole('button', { name: 'Get a token' }))
  expect(await screen.findByText(/last fetched/)).toBeTruthy()
  expect(server.to(`POST ${AT}`)).toHaveLength(1)
})

it('says that its credentials were refused, and tries again', async () => {
  const problem = {
    code: 'MCP_AUTH_FAILED',
    reason: 'machine_refused',
    stage: 'token',
    message: 'It refuses Patchbay.',
    hint: 'Check them.',
  }
  const server = new FakeServer()
    .on(`GET ${AT}`, { body: { ...machine, state: 'ended', problem } })
    .on(`POST ${AT}`, refusal(502, 'MCP_AUTH_FAILED'))
  show(<SignIn server={octo} brief />, 'admin')
  expect((await screen.findByRole('alert')).textContent).toContain('The credentials were refused')
  await userEvent.setup().click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(server.to(`POST ${AT}`)).toHaveLength(1))
})

it('revokes the token of Patchbay itself when asked', async () => {
  const held: SignInState = { ...somebody, machine: true, signed_in_as: '', signed_in_by: null }
  const server = new FakeServer().on(`GET ${AT}`, { body: held }).on(`DELETE ${AT}`, { status: 204 })
  show(<SignIn server={octo} />, 'admin')
  const facts = await screen.findByRole('region', { name: 'Sign-in' })
  expect(facts.textContent).toContain('Patchbay itself')
  expect(facts.textContent).toMatch(/last fetched/)
  const user = userEvent.setup()
  await user.click(screen.getByRole('button', { name: 'Revoke token' }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Revoke token' }))
  await waitFor(() => expect(server.to(`DELETE ${AT}`)).toHaveLength(1))
})

function Form({ seen }: { readonly seen: (draft: Draft) => void }) {
  const [draft, setDraft] = useState<Draft>(() => ({
    ...emptyDraft('http'),
    url: octo.url,
    auth: 'oauth',
  }))
  useEffect(() => {
    seen(draft)
  }, [draft, seen])
  return (
    <ClientFields
      draft={draft}
      fields={{}}
      onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
    />
  )
}

it('takes the client with which people sign in, and its secret', async () => {
  let draft = emptyDraft('http')
  show(
    <Form
      seen={(next) => {
        draft = next
      }}
    />,
    'admin',
  )
  const user = userEvent.setup()
  await user.type(await screen.findByLabelText(/^Client ID/), 'app')
  await user.type(screen.getByLabelText(/^Client secret/), 's3cret')
  expect(newServer(draft)).toMatchObject({ oauth_client_id: 'app', oauth_client_secret: 's3cret' })
})

it('asks for what Patchbay signs in with: a secret, or a key', async () => {
  let draft = emptyDraft('http')
  show(
    <Form
      seen={(next) => {
        draft = next
      }}
    />,
    'admin',
  )
  const user = userEvent.setup()
  await user.click(await screen.findByRole('radio', { name: 'Patchbay itself' }))
  await user.type(screen.getByLabelText(/^Client ID/), 'robot')
  await user.type(screen.getByLabelText(/^Client secret/), 's3cret')
  expect(newServer(draft)).toMatchObject({
    oauth_grant: 'client_credentials',
    oauth_client_auth: '',
    oauth_client_id: 'robot',
    oauth_client_secret: 's3cret',
  })
  await user.selectOptions(screen.getByLabelText('Client authentication'), 'private_key_jwt')
  await user.type(screen.getByLabelText(/^Private key/), 'PEM')
  await user.type(screen.getByLabelText(/^Key ID/), 'k-1')
  const sent = newServer(draft)
  expect(sent).toMatchObject({
    oauth_client_auth: 'private_key_jwt',
    oauth_private_key: 'PEM',
    oauth_key_id: 'k-1',
  })
  expect(sent).not.toHaveProperty('oauth_client_secret')
})

it('sends of a client only what changed, and all of its name where the address does', () => {
  const kept = {
    ...octo,
    oauth_grant: 'client_credentials' as const,
    oauth_client_id: 'robot',
    oauth_client_auth: 'private_key_jwt' as const,
    oauth_key_id: 'k-1',
  }
  const draft = draftOf(kept)
  expect(changeOf(kept, draft)).toEqual({})
  expect(changeOf(kept, { ...draft, keyId: '' })).toEqual({ oauth_key_id: '' })
  expect(changeOf(kept, { ...draft, url: 'https://other.example/mcp' })).toEqual({
    url: 'https://other.example/mcp',
    oauth_client_id: 'robot',
  })
  expect(changeOf(kept, { ...draft, grant: 'authorization_code' })).toEqual({
    oauth_grant: 'authorization_code',
  })
})
