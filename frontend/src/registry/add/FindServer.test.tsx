/** Finding a server in an MCP registry: who published it is shown, and what it asks for before it is added. */
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import type { ListedServer } from '@/registry/queries'
import { FakeServer, refusal, show } from '@/testing/server'
import { aServer } from '../registry.testing'
import { FindServer } from './FindServer'

const FIND = 'POST /api/mcp/find'
const IMPORT = 'POST /api/mcp/servers/import'

const listed = (name: string, more: Partial<ListedServer> = {}): ListedServer => ({
  name: `org.example/${name}`,
  title: name,
  description: `What ${name} does`,
  version: '1.2.0',
  publisher: 'org.example',
  repository: 'https://example.org/code',
  website: '',
  deprecated: false,
  updated_at: '2026-10-14T08:00:00Z',
  ways: [{ kind: 'npm', target: `@example/${name}@1.2.0` }],
  config: `{"name": "${name}"}`,
  ...more,
})

const way = (name: string, label: string) => ({
  name,
  transport: 'http',
  target: 'https://example.org/mcp',
  secrets: [],
  missing: [],
  questions: [
    {
      id: 'tenant',
      label,
      where: 'url',
      description: '',
      secret: false,
      required: true,
      default: '',
      choices: [],
      multiple: false,
      token: '',
    },
  ],
  denied: [],
  allowed: null,
  notes: [],
  alternative: false,
})

let api: FakeServer

beforeEach(() => {
  window.localStorage.clear()
  api = new FakeServer()
    .on(FIND, { body: { results: [listed('Issues'), listed('Old', { deprecated: true })], next: null } })
    .on(IMPORT, ({ body }) => {
      const request = body as { config: string; preview?: boolean }
      const name = (JSON.parse(request.config) as { name: string }).name
      return {
        body: {
          created: request.preview ? [] : [aServer('issues')],
          skipped: [],
          found: request.preview ? [way(name, `tenant of ${name}`)] : [],
          dialect: 'server.json',
        },
      }
    })
})

async function searched(words = 'issues') {
  const onAdded = vi.fn()
  show(<FindServer onAdded={onAdded} />)
  const user = userEvent.setup()
  await user.type(await screen.findByRole('searchbox', { name: 'Search an MCP registry' }), words)
  return { user, onAdded }
}

it('adds what it finds once what that asks for is answered', async () => {
  const { user, onAdded } = await searched()
  expect(await screen.findByText('2 servers listed')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'example.org/code' }).getAttribute('href')).toBe(
    'https://example.org/code',
  )
  expect(screen.getByText('npm @example/Issues@1.2.0')).toBeTruthy()
  await user.type(await screen.findByRole('textbox', { name: /tenant of Issues/ }), 'alice')
  await user.click(screen.getByRole('button', { name: 'Add 1 server' }))
  await waitFor(() => expect(onAdded).toHaveBeenCalledWith([aServer('issues')]))
  expect(api.to(IMPORT).at(-1)?.body).toEqual({
    config: '{"name": "Issues"}',
    only: ['Issues'],
    values: { Issues: { tenant: 'alice' } },
  })
  expect(api.to(FIND).at(-1)?.body).toEqual({
    at: 'https://registry.modelcontextprotocol.io',
    q: 'issues',
    cursor: '',
  })
})

it('shows another listing with its own questions', async () => {
  const { user } = await searched()
  await user.click(await screen.findByRole('button', { name: /Old.*deprecated/ }))
  expect(await screen.findByRole('textbox', { name: /tenant of Old/ })).toBeTruthy()
  expect(screen.queryByRole('textbox', { name: /tenant of Issues/ })).toBeNull()
})

it('stops where the pages of a registry go in a circle, and says that there may be more', async () => {
  const next: Record<string, string> = { '': 'b', b: 'c', c: 'b' }
  api.on(FIND, ({ body }) => {
    const { cursor } = body as { cursor: string }
    return { body: { results: [listed(`Page${cursor}`)], next: next[cursor] ?? null } }
  })
  const { user } = await searched()
  for (const count of [2, 3]) {
    await user.click(await screen.findByRole('button', { name: 'Load more' }))
    await screen.findByText(`${count} servers listed`)
  }
  expect(await screen.findByText('The registry lists more. Search with more words to see them.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
})

it('searches another registry, and remembers its address', async () => {
  const { user } = await searched()
  const address = screen.getByRole('textbox', { name: 'Address of the registry' })
  await user.clear(address)
  await user.type(address, 'https://mcp.example.org')
  await waitFor(() =>
    expect(api.to(FIND).at(-1)?.body).toMatchObject({ at: 'https://mcp.example.org', q: 'issues' }),
  )
  show(<FindServer onAdded={() => {}} />)
  const again = await screen.findAllByRole('textbox', { name: 'Address of the registry' })
  expect((again.at(-1) as HTMLInputElement).value).toBe('https://mcp.example.org')
})

it('brings the next page when it is asked for', async () => {
  api.on(FIND, ({ body }) => ({
    body:
      (body as { cursor: string }).cursor === ''
        ? { results: [listed('Issues')], next: 'two' }
        : { results: [listed('Later')], next: null },
  }))
  const { user } = await searched()
  await user.click(await screen.findByRole('button', { name: /more/i }))
  expect(await screen.findByRole('button', { name: /Later/ })).toBeTruthy()
})

it('says that nothing is listed, and why a registry does not answer', async () => {
  api.on(FIND, { body: { results: [], next: null } })
  const { user } = await searched('nothing')
  expect(await screen.findByText('No server listed for these words.')).toBeTruthy()
  api.on(FIND, refusal(502, 'MCP_UNREACHABLE'))
  await user.type(screen.getByRole('searchbox', { name: 'Search an MCP registry' }), ' else')
  expect(await within(await screen.findByRole('alert')).findByText(/MCP_UNREACHABLE in words/)).toBeTruthy()
})

const READ = 'POST /api/mcp/modelscope/read'
const ON_MODELSCOPE = 'POST /api/mcp/modelscope/find'

async function searchedModelScope() {
  const onAdded = vi.fn()
  show(<FindServer onAdded={onAdded} />)
  const user = userEvent.setup()
  await user.click(await screen.findByRole('radio', { name: 'ModelScope' }))
  await user.type(screen.getByRole('searchbox', { name: 'Search ModelScope' }), 'maps')
  return { user, onAdded }
}

it('adds what ModelScope lists with the configuration that is read when it is chosen', async () => {
  const row = { version: '', updated_at: '', config: '' }
  const maps = listed('Maps', row)
  api
    .on(ON_MODELSCOPE, { body: { results: [maps, listed('Hosted', row)], next: null } })
    .on(READ, ({ body }) => ({
      body:
        (body as { id: string }).id === maps.name
          ? { ...maps, config: '{"name": "Maps"}' }
          : listed('Hosted', row),
    }))
  const { user, onAdded } = await searchedModelScope()
  expect(await screen.findByRole('textbox', { name: /tenant of Maps/ })).toBeTruthy()
  expect(screen.queryByRole('textbox', { name: 'Address of the registry' })).toBeNull()
  expect(api.to(ON_MODELSCOPE).at(-1)?.body).toEqual({ q: 'maps', cursor: '' })
  await user.type(screen.getByRole('textbox', { name: /tenant of Maps/ }), 'alice')
  await user.click(screen.getByRole('button', { name: 'Add 1 server' }))
  await waitFor(() => expect(onAdded).toHaveBeenCalledWith([aServer('issues')]))
  await user.click(screen.getByRole('button', { name: /Hosted/ }))
  expect(await screen.findByText(/No configuration is listed for this server/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Add/ })).toBeNull()
})

it('says why ModelScope does not tell of a server', async () => {
  api
    .on(ON_MODELSCOPE, { body: { results: [listed('Maps', { config: '' })], next: null } })
    .on(READ, refusal(502, 'MCP_PROTOCOL_ERROR'))
  await searchedModelScope()
  expect(
    await within(await screen.findByRole('alert')).findByText(/MCP_PROTOCOL_ERROR in words/),
  ).toBeTruthy()
})
