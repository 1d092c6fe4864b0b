import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { Route, Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import type { Offer } from '@/api/offer'
import type { Role } from '@/api/queries'
import type { Trigger } from '@/api/triggers'
import { loadRest, loadWords } from '@/i18n'
import { FakeServer, refusal, type SentRequest, show } from '@/testing/server'
import { Toasts } from '@/ui'
import { CLIENTS, setupOf } from './clients'
import { exampleInputs, LANGUAGES, requestOf } from './requests'
import SharePage from './SharePage'

const URL_OF_ALL = 'http://localhost:3000/mcp'

const offered = (change: Partial<Offer> = {}): Offer => ({
  offered: true,
  url: URL_OF_ALL,
  name: 'weekly-digest',
  description: 'Reads the commits.',
  version: 7,
  runnable: true,
  read_only: false,
  destructive: false,
  asks_person: true,
  calls: [],
  ...change,
})

const GRAPH = {
  nodes: [
    {
      id: 'start',
      type: 'start',
      config: {
        inputs: {
          type: 'object',
          properties: { week: { type: 'integer' }, to: { type: 'string', default: "the team's list" } },
        },
      },
    },
  ],
  edges: [],
}

type Reply = Parameters<FakeServer['on']>[1]

const answer = (result: unknown) => ({ body: { jsonrpc: '2.0', id: 1, result } })

/** The address as clients reach it: it knows one token, and lists `tools`. */
const mcp =
  (tools: readonly string[]) =>
  ({ body }: SentRequest) =>
    (body as { method: string }).method === 'tools/list'
      ? answer({ tools: tools.map((name) => ({ name })) })
      : answer({ supportedVersions: ['2026-07-28'] })

const trigger = (change: Partial<Trigger>): Partial<Trigger> => ({
  id: 'trg_1',
  workflow: 'wf_1',
  workflow_name: 'Weekly digest',
  kind: 'webhook',
  name: 'From the shop',
  enabled: true,
  config: {},
  last: null,
  ...change,
})

const SHARED = {
  id: 'wf_1',
  name: 'Weekly digest',
  description: 'Reads the commits.',
  draft: { graph: {} },
  published_version: 7,
  expose_as_tool: true,
  expose_as_agent: false,
  expose_as_agui: false,
}

interface At {
  readonly door?: string
  readonly triggers?: readonly Partial<Trigger>[]
  readonly workflow?: object
  /** Whether the server has nothing to say of the workflow. */
  readonly refused?: boolean
}

function atShare(
  offer: Offer = offered(),
  role: Role = 'editor',
  first: Reply | undefined = { body: offer },
  { door, triggers = [], workflow = {}, refused = false }: At = {},
) {
  const shared = { ...SHARED, expose_as_tool: offer.offered, ...workflow }
  const server = new FakeServer()
    .on('GET /api/workflows/wf_1', refused ? refusal(500, 'INTERNAL') : { body: shared })
    .on('GET /api/workflows/wf_1/triggers', { body: { results: triggers, next: null } })
    .on('GET /api/workflows/wf_1/versions/7', { body: { version: 7, graph: GRAPH } })
    .on('GET /api/workflows/wf_1/offer', first)
    .on('POST /api/tokens', { status: 201, body: { id: 'tok_1', token: 'pb_secret' } })
    .on('PATCH /api/workflows/wf_1', { body: {} })
    .on('POST /mcp', mcp(['list_workflows', offer.name]))
  const { hook, history } = memoryLocation({
    path: `/workflows/wf_1/share${door ? `/${door}` : ''}`,
    record: true,
  })
  show(
    <Router hook={hook}>
      <Route path="/workflows/:id/share/:door?">
        <SharePage />
      </Route>
      <Toasts />
    </Router>,
    role,
  )
  return { server, history, user: userEvent.setup() }
}

describe('the page that shares a workflow', () => {
  beforeEach(async () => {
    await Promise.all([loadRest(), loadWords('share', 'agent', 'agui', 'triggers')])
  })

  it('says what clients see of it', async () => {
    atShare()
    expect(await screen.findByText(URL_OF_ALL)).toBeTruthy()
    expect(screen.getByText('weekly-digest')).toBeTruthy()
    expect(screen.getByText('Writes')).toBeTruthy()
    expect(screen.getByText('Asks a person')).toBeTruthy()
    expect(screen.getByText(/nodes of v7/)).toBeTruthy()
  })

  it('offers it, and takes it back', async () => {
    const { server, user } = atShare(offered({ offered: false }))
    await user.click(await screen.findByRole('switch', { name: 'Offer as a tool' }))
    expect(server.to('PATCH /api/workflows/wf_1').map((request) => request.body)).toEqual([
      { expose_as_tool: true },
    ])
    await waitFor(() => expect(server.to('GET /api/workflows/wf_1/offer').length).toBe(2))
  })

  it('says why it could not be offered', async () => {
    const { server, user } = atShare()
    server.on('PATCH /api/workflows/wf_1', refusal(403, 'FORBIDDEN'))
    await user.click(await screen.findByRole('switch', { name: 'Offer as a tool' }))
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
  })

  it('leads to the editor while nothing is published', async () => {
    atShare(offered({ version: null, runnable: false }))
    const link = await screen.findByRole('link', { name: 'Publish it in the editor' })
    expect(link.getAttribute('href')).toBe('/workflows/wf_1')
    expect(screen.queryByText(/nodes of/)).toBeNull()
  })

  it('says that a version can no longer be run', async () => {
    atShare(offered({ runnable: false }))
    expect(await screen.findByText(/Version 7 can no longer be run/)).toBeTruthy()
  })

  it('saves the words that a model reads, or leaves them', async () => {
    const { server, user } = atShare()
    const text = await screen.findByRole('textbox', { name: 'Description' })
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
    await user.type(text, ' Daily.')
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect((text as HTMLTextAreaElement).value).toBe('Reads the commits.')
    await user.type(text, ' Weekly.')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(server.to('PATCH /api/workflows/wf_1')[0]?.body).toEqual({
      description: 'Reads the commits. Weekly.',
    })
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Save' })).toBeNull())
  })

  it('makes a token of this workflow, and puts it into what is copied', async () => {
    const { server, user } = atShare()
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    expect(server.to('POST /api/tokens')[0]?.body).toEqual({
      name: 'Client: Weekly digest',
      scopes: ['read', 'run'],
      expires_in_days: 90,
      workflows: ['wf_1'],
    })
    expect(await screen.findByText(/Bearer pb_secret/)).toBeTruthy()
    await user.click(screen.getByRole('tab', { name: 'VS Code' }))
    const panel = screen.getByRole('tabpanel')
    expect(panel.textContent).toContain('.vscode/mcp.json')
    expect(panel.textContent).toContain('pb_secret')
  })

  it('makes one for all that is offered', async () => {
    const { server, user } = atShare()
    await user.click(await screen.findByRole('checkbox', { name: /This workflow only/ }))
    await user.click(screen.getByRole('button', { name: 'New token' }))
    expect(server.to('POST /api/tokens')[0]?.body).not.toHaveProperty('workflows')
  })

  it('says why there is no token', async () => {
    const { server, user } = atShare()
    server.on('POST /api/tokens', refusal(403, 'FORBIDDEN'))
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
  })

  it('tests the address as a client would', async () => {
    const { server, user } = atShare()
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    await user.click(screen.getByRole('button', { name: 'Test' }))
    const test = screen.getByRole('region', { name: 'Live test' })
    expect(await within(test).findByText('2 tools, weekly-digest among them')).toBeTruthy()
    expect(within(test).getByText('Signed in. Speaks 2026-07-28')).toBeTruthy()
    expect(server.to('POST /mcp').map((request) => (request.body as { method: string }).method)).toEqual([
      'server/discover',
      'tools/list',
    ])
  })

  it('says that the tool is not listed, and stops where it is refused', async () => {
    const { server, user } = atShare()
    server.on('POST /mcp', mcp(['get_run']))
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    await user.click(screen.getByRole('button', { name: 'Test' }))
    expect(await screen.findByText('1 tool, but not weekly-digest')).toBeTruthy()
    server.on('POST /mcp', refusal(401, 'UNAUTHENTICATED'))
    await user.click(screen.getByRole('button', { name: 'Test' }))
    expect(await screen.findByText('UNAUTHENTICATED in words.')).toBeTruthy()
    expect(screen.queryByText(/1 tool/)).toBeNull()
  })

  it('shows a viewer the words, and nothing to change', async () => {
    atShare(offered(), 'viewer')
    await screen.findByRole('region', { name: 'Address' })
    expect(screen.getAllByText('Offered').length).toBe(2) // in the list, and beside its title
    expect(screen.queryByRole('switch')).toBeNull()
    expect(screen.queryByRole('button', { name: 'New token' })).toBeNull()
    expect((screen.getByRole('textbox') as HTMLTextAreaElement).readOnly).toBe(true)
  })

  it('lists the calls with how they stand', async () => {
    const call = {
      run: 'run_1',
      by: 'ada@example.org',
      state: 'WAITING' as const,
      caller: { kind: 'token' as const, name: 'Nightly CI', program: 'claude-code' },
      waits_for_person: true,
      waits_for_client: false,
      at: '2026-11-26T10:00:00Z',
      finished_at: null,
    }
    const gone = { ...call, run: 'run_2', by: null, caller: null }
    atShare(offered({ calls: [call, { ...gone, waits_for_person: false, waits_for_client: true }] }))
    const side = await screen.findByRole('complementary', { name: 'Latest calls' })
    expect(
      within(within(side).getByRole('list'))
        .getAllByRole('link')
        .map((link) => link.getAttribute('href')),
    ).toEqual(['/runs/run_1', '/runs/run_2'])
    const [first, second] = within(side).getAllByRole('listitem')
    expect(first?.textContent).toContain('Nightly CI · claude-code · ada@example.org')
    expect(first?.textContent).toContain('Needs a person')
    expect(second?.textContent).toContain('a former member')
    expect(second?.textContent).toContain('Waiting for the app')
  })

  it('asks again for what could not be read', async () => {
    const { server, user } = atShare(offered(), 'editor', refusal(500, 'INTERNAL'))
    expect(await screen.findByText('What is shared could not be loaded.')).toBeTruthy()
    server.on('GET /api/workflows/wf_1/offer', { body: offered() })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText(URL_OF_ALL)).toBeTruthy()
  })
})

describe('the ways into a workflow', () => {
  beforeEach(async () => {
    await Promise.all([loadRest(), loadWords('share', 'agent', 'agui', 'triggers')])
  })

  const doors = () => screen.findByRole('navigation', { name: 'Ways in' })

  it('are listed, each with how it stands', async () => {
    const rows = [
      trigger({}),
      trigger({ id: 'trg_2', enabled: false }),
      trigger({ id: 'trg_3', kind: 'page', enabled: false }),
    ]
    atShare(offered(), 'editor', undefined, { triggers: rows })
    const list = await doors()
    expect((within(list).getByRole('switch', { name: 'MCP tool' }) as HTMLInputElement).checked).toBe(true)
    expect(await within(list).findByText('1 on')).toBeTruthy()
    expect(within(list).getByText('off')).toBeTruthy()
    expect(within(list).getByText('Version 7, published')).toBeTruthy()
    const current = within(list)
      .getAllByRole('link')
      .filter((link) => link.ariaCurrent ?? link.getAttribute('aria-current'))
    expect(current.map((link) => link.getAttribute('href'))).toEqual(['/workflows/wf_1/share/mcp'])
  })

  it('say in the list why one could not be switched', async () => {
    const { server, user } = atShare()
    server.on('PATCH /api/workflows/wf_1', refusal(403, 'FORBIDDEN'))
    await user.click(within(await doors()).getByRole('switch', { name: 'MCP tool' }))
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
  })

  it('are asked for again where they could not be loaded', async () => {
    const { server, user } = atShare(offered(), 'editor', undefined, { refused: true })
    const retry = await screen.findByRole('button', { name: 'Try again' })
    server.on('GET /api/workflows/wf_1', { body: SHARED })
    await user.click(retry)
    expect(await doors()).toBeTruthy()
  })

  it('are switched in the list too', async () => {
    const { server, user } = atShare(offered({ offered: false }))
    await user.click(within(await doors()).getByRole('switch', { name: 'MCP tool' }))
    expect(server.to('PATCH /api/workflows/wf_1').map((request) => request.body)).toEqual([
      { expose_as_tool: true },
    ])
    await waitFor(() => expect(server.to('GET /api/workflows/wf_1').length).toBe(2))
  })

  it('open beside the list', async () => {
    const { history, user } = atShare()
    await user.click(within(await doors()).getByRole('link', { name: /^REST/ }))
    expect(history?.at(-1)).toBe('/workflows/wf_1/share/rest')
    expect(await screen.findByText(/api\/workflows\/wf_1\/runs$/)).toBeTruthy()
  })

  it('say that there is none of a name', async () => {
    atShare(offered(), 'editor', undefined, { door: 'window' })
    expect(await screen.findByText('There is no such way in')).toBeTruthy()
  })

  it('show the request of REST with the inputs of what is published', async () => {
    const { user } = atShare(offered(), 'editor', undefined, { door: 'rest' })
    const request = await screen.findByRole('region', { name: 'Start a run' })
    expect(await within(request).findByText(/"week": 0/)).toBeTruthy()
    expect(request.textContent).toContain("the team'\\''s list") // as a shell reads it
    await user.click(within(request).getByRole('tab', { name: 'Python' }))
    expect(request.textContent).toContain('urlopen')
    await user.click(within(request).getByRole('button', { name: 'New token' }))
    expect(await within(request).findByText(/Bearer pb_secret/)).toBeTruthy()
  })

  it('test the token over REST, and start nothing', async () => {
    const { server, user } = atShare(offered(), 'editor', undefined, { door: 'rest' })
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    await user.click(screen.getByRole('button', { name: 'Test' }))
    expect(await screen.findByText('Signed in. Version 7 is published')).toBeTruthy()
    server.on('GET /api/workflows/wf_1', refusal(403, 'FORBIDDEN'))
    await user.click(screen.getByRole('button', { name: 'Test' }))
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
    expect(server.to('POST /api/workflows/wf_1/runs')).toEqual([])
  })

  it('show the triggers of a kind, and the way to another', async () => {
    const rows = [trigger({ kind: 'chat', name: 'Questions' }), trigger({ id: 'trg_2' })]
    const { history, user } = atShare(offered(), 'editor', undefined, { door: 'chat', triggers: rows })
    expect((await screen.findByRole('link', { name: 'Questions' })).getAttribute('href')).toBe(
      '/triggers/trg_1',
    )
    expect(screen.getByRole('link', { name: 'Open the chat' }).getAttribute('href')).toBe('/chat/trg_1')
    expect(screen.queryByText('From the shop')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'New trigger: Chat' }))
    expect(history?.at(-1)).toBe('/triggers?workflow=wf_1&new=chat')
  })

  it('leave webhooks and pages to admins', async () => {
    atShare(offered(), 'editor', undefined, { door: 'webhook' })
    const add = await screen.findByRole('button', { name: 'New trigger: Webhook' })
    expect(add.getAttribute('aria-disabled')).toBe('true')
  })
})

describe('the request of a program', () => {
  it('has a value for each input, in every language', () => {
    expect(exampleInputs(GRAPH)).toEqual({ week: 0, to: "the team's list" })
    expect(exampleInputs({})).toEqual({})
    for (const { value } of LANGUAGES) {
      const text = requestOf(value, 'http://localhost:3000/api/x', 'pb_1', GRAPH)
      expect(text).toContain('http://localhost:3000/api/x')
      expect(text).toContain('Bearer pb_1')
      expect(text).toContain('"week": 0')
    }
  })
})

describe('the setup of a client', () => {
  it('names address and token in each', () => {
    for (const client of CLIENTS) {
      const { text, file } = setupOf(client, URL_OF_ALL, 'pb_1')
      expect(text).toContain(URL_OF_ALL)
      expect(text).toContain(client === 'desktop' ? '"PATCHBAY_TOKEN": "pb_1"' : 'Bearer pb_1')
      if (file !== null) expect(() => JSON.parse(text)).not.toThrow()
    }
  })
})
