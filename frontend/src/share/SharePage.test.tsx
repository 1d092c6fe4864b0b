import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { Route, Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import type { Offer } from '@/api/offer'
import type { Role } from '@/api/queries'
import { loadRest, loadWords } from '@/i18n'
import { type Asked, FakeServer, refusal, show } from '@/testing/server'
import { Toasts } from '@/ui'
import { CLIENTS, setupOf } from './clients'
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

type Reply = Parameters<FakeServer['on']>[1]

const answer = (result: unknown) => ({ body: { jsonrpc: '2.0', id: 1, result } })

/** The address as clients reach it: it knows one token, and lists `tools`. */
const mcp =
  (tools: readonly string[]) =>
  ({ body }: Asked) =>
    (body as { method: string }).method === 'tools/list'
      ? answer({ tools: tools.map((name) => ({ name })) })
      : answer({ supportedVersions: ['2026-07-28'] })

function atShare(offer: Offer = offered(), role: Role = 'editor', first: Reply = { body: offer }) {
  const server = new FakeServer()
    .on('GET /api/workflows/wf_1', {
      body: { id: 'wf_1', name: 'Weekly digest', description: 'Reads the commits.', draft: {} },
    })
    .on('GET /api/workflows/wf_1/offer', first)
    .on('POST /api/tokens', { status: 201, body: { id: 'tok_1', token: 'pb_secret' } })
    .on('PATCH /api/workflows/wf_1', { body: {} })
    .on('POST /mcp', mcp(['list_workflows', offer.name]))
  const { hook } = memoryLocation({ path: '/workflows/wf_1/share' })
  show(
    <Router hook={hook}>
      <Route path="/workflows/:id/share">
        <SharePage />
      </Route>
      <Toasts />
    </Router>,
    role,
  )
  return { server, user: userEvent.setup() }
}

describe('the page that shares a workflow', () => {
  beforeEach(async () => {
    await Promise.all([loadRest(), loadWords('share')])
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
    expect(server.to('PATCH /api/workflows/wf_1').map((asked) => asked.body)).toEqual([
      { expose_as_tool: true },
    ])
    expect(server.to('GET /api/workflows/wf_1/offer').length).toBe(2)
  })

  it('says why it could not be offered', async () => {
    const { server, user } = atShare()
    server.on('PATCH /api/workflows/wf_1', refusal(403, 'FORBIDDEN'))
    await user.click(await screen.findByRole('switch'))
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
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  })

  it('makes a token of this workflow, and puts it into what is copied', async () => {
    const { server, user } = atShare()
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    expect(server.to('POST /api/tokens')[0]?.body).toEqual({
      name: 'MCP client: Weekly digest',
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
    expect(server.to('POST /mcp').map((asked) => (asked.body as { method: string }).method)).toEqual([
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
    expect(await screen.findByText('Offered')).toBeTruthy()
    expect(screen.queryByRole('switch')).toBeNull()
    expect(screen.queryByRole('button', { name: 'New token' })).toBeNull()
    expect((screen.getByRole('textbox') as HTMLTextAreaElement).readOnly).toBe(true)
  })

  it('lists the calls with how they stand', async () => {
    const call = {
      run: 'run_1',
      by: 'ada@example.org',
      state: 'WAITING' as const,
      waits_for_person: true,
      at: '2026-11-26T10:00:00Z',
      finished_at: null,
    }
    atShare(offered({ calls: [call, { ...call, run: 'run_2', by: null, state: 'SUCCESS' }] }))
    const side = await screen.findByRole('complementary', { name: 'Latest calls' })
    expect(
      within(within(side).getByRole('list'))
        .getAllByRole('link')
        .map((link) => link.getAttribute('href')),
    ).toEqual(['/runs/run_1', '/runs/run_2'])
    expect(side.textContent).toContain('Needs a person')
    expect(side.textContent).toContain('a former member')
  })

  it('asks again for what could not be read', async () => {
    const { server, user } = atShare(offered(), 'editor', refusal(500, 'INTERNAL'))
    expect(await screen.findByText('What is shared could not be loaded')).toBeTruthy()
    server.on('GET /api/workflows/wf_1/offer', { body: offered() })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText(URL_OF_ALL)).toBeTruthy()
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
