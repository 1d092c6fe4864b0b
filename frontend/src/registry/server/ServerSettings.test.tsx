/** Each setting of a server: what is sent when a person changes it and saves, and that nothing else is. */
import { screen, waitFor } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { Server } from '@/api/servers'
import { aServer } from '@/registry/registry.testing'
import { FakeServer, show } from '@/testing/server'
import { ServerSettings } from './ServerSettings'

const PATCH = 'PATCH /api/mcp/servers/srv_notes'
const REMOTE: Partial<Server> = {
  transport: 'http',
  url: 'https://notes.example/mcp',
  trust_annotations: false,
}
const API: Partial<Server> = {
  transport: 'openapi',
  url: 'https://api.example/v2',
  document_url: 'https://api.example/openapi.json',
  auth_type: 'api_key',
  api_key_set: true,
}
const SECRET: Partial<Server> = { ...REMOTE, url: 'https://notes.example/····', url_secret: true }

/** The settings of a server, against an API that keeps what it is sent. */
function settings(more: Partial<Server> = {}) {
  const before = aServer('notes', more)
  const server = new FakeServer()
  server.on(PATCH, ({ body }) => ({ body: { ...before, ...(body as object) } }))
  show(<ServerSettings server={before} />, 'admin')
  return { sent: () => server.to(PATCH).map((request) => request.body), user: userEvent.setup() }
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name)
const save = () => screen.getByRole('button', { name: 'Save' })

type Act = (user: UserEvent) => Promise<void>
const writes =
  (name: string | RegExp, text: string): Act =>
  async (user) => {
    const input = await screen.findByLabelText<HTMLInputElement>(name)
    await user.clear(input)
    await user.type(input, text)
  }
const chooses =
  (name: string): Act =>
  async (user) =>
    user.click(await screen.findByRole('radio', { name }))
const ticks =
  (name: RegExp): Act =>
  (user) =>
    user.click(screen.getByRole('checkbox', { name }))
const adds =
  (button: string, label: string): Act =>
  async (user) => {
    await user.click(screen.getByRole('button', { name: button }))
    await user.type(field(`${label}: name`), 'X-A')
    await user.type(field('Value of X-A'), 'b')
  }

describe('saving sends only', () => {
  it.each<[string, Partial<Server>, Act, Record<string, unknown>]>([
    ['the name', {}, writes('Name', 'N'), { name: 'N' }],
    ['the description', {}, writes('Description', 'D'), { description: 'D' }],
    ['the command', {}, writes('Command', 'npx'), { command: 'npx' }],
    ['the arguments', {}, writes('Arguments', 'a{Enter}b'), { args: ['a', 'b'] }],
    ['a variable', {}, adds('Add variable', 'Environment'), { env: { 'X-A': 'b' } }],
    ['the working directory', {}, writes('Working directory', '/w'), { cwd: '/w' }],
    ['the timeout of a program', {}, writes('Timeout', '5'), { timeout_ms: 5000 }],
    ['who may use it', {}, chooses('Only me'), { visibility: 'private' }],
    ['whose key it is', {}, chooses('Per member'), { credentials: 'user' }],
    ['a connection for each run', {}, chooses('One per run'), { session: 'run' }],
    ['the runs at once', {}, writes('Concurrent runs', '3'), { max_runs: 3 }],
    ['the calls at once', {}, writes('Concurrent calls', '4'), { max_calls: 4 }],
    ['that its annotations are not trusted', {}, ticks(/^Trust/), { trust_annotations: false }],
    ['that it may ask', {}, ticks(/^It may ask/), { asks: true }],
    ['the address', REMOTE, writes('URL', 'https://b.example/mcp'), { url: 'https://b.example/mcp' }],
    ['the transport', REMOTE, chooses('SSE'), { transport: 'sse' }],
    ['the timeout of an address', REMOTE, writes('Timeout', '5'), { timeout_ms: 5000 }],
    [
      'the key header',
      { ...REMOTE, auth_type: 'api_key' },
      writes('Key header', 'K'),
      { api_key_header: 'K' },
    ],
    ['the key', { ...REMOTE, auth_type: 'bearer' }, writes('Token', 'k'), { api_key: 'k' }],
    ['how it signs in', REMOTE, chooses('Bearer token'), { auth_type: 'bearer' }],
    ['a header', REMOTE, adds('Add header', 'Headers'), { headers: { 'X-A': 'b' } }],
    ['that the address is a secret', REMOTE, ticks(/^The URL itself/), { url_secret: true }],
    [
      'the client of a sign-in',
      { ...REMOTE, auth_type: 'oauth' },
      writes(/^Client ID/, 'app'),
      { oauth_client_id: 'app' },
    ],
    ['where an API is', API, writes(/^Base URL/, 'https://b.example'), { url: 'https://b.example' }],
    [
      'where its document is',
      API,
      writes(/^Document URL/, 'https://api.example/new.json'),
      { document_url: 'https://api.example/new.json' },
    ],
    ['its document', { ...API, document_url: '' }, writes('Replace document', 'x'), { document: 'x' }],
    ['the name of its key', API, writes('Key name', 'K'), { api_key_header: 'K' }],
    ['where its key is sent', API, chooses('Query'), { api_key_in: 'query' }],
    ['a new secret address', SECRET, writes('URL', 'https://c.example'), { url: 'https://c.example' }],
  ])('%s', async (_, server, act, body) => {
    const { sent, user } = settings(server)
    await act(user)
    await user.click(save())
    await waitFor(() => expect(sent()).toEqual([body]))
  })

  it('the end of a secret address, at the end of its day here', async () => {
    const { sent, user } = settings(SECRET)
    await user.type(field('Expires'), '2030-05-06')
    await user.click(save())
    const expires = new Date('2030-05-06T23:59:59').toISOString()
    await waitFor(() => expect(sent()).toEqual([{ expires_at: expires }]))
  })
})

it('goes back to what was, and sends nothing', async () => {
  const { sent, user } = settings({ description: 'Before' })
  await writes('Description', 'After')(user)
  expect(screen.getByText('Not saved yet')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Revert' }))
  expect(field('Description').value).toBe('Before')
  expect(screen.queryByText('Not saved yet')).toBeNull()
  expect(sent()).toEqual([])
})
