/** External agents: a list of their own, added by address, shown on the page of servers with other words. */
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadWords } from '@/i18n'
import { anApi, giveRows, list, open } from '@/registry/page.testing'
import { aReport, aServer, aTool } from '@/registry/registry.testing'
import { type FakeServer, refusal } from '@/testing/server'

const CREATE = 'POST /api/mcp/servers'
const TEST = 'POST /api/mcp/servers/test'
const time = aServer('time')
const travel = aServer('travel', {
  kind: 'agent',
  transport: 'a2a',
  url: 'https://agents.example.org/travel',
  command: '',
  args: [],
  trust_annotations: false,
})

let api: FakeServer

beforeEach(async () => {
  giveRows()
  await loadWords('agents', 'openapi')
  api = anApi([time, travel], { travel: [aTool('travel', 'book')], time: [aTool('time', 'now')] })
})

it('lists agents apart from servers, each list one press away', async () => {
  const { user, at } = open('/agents')
  expect(await screen.findByRole('row', { name: /travel/ })).toBeTruthy()
  expect(screen.queryByRole('row', { name: /time/ })).toBeNull()
  expect(screen.getByRole('columnheader', { name: 'Skills' })).toBeTruthy()
  const lists = screen.getByRole('navigation', { name: 'Lists of the registry' })
  expect(within(lists).getByRole('link', { name: 'Agents' }).getAttribute('aria-current')).toBe('true')
  expect(within(lists).getByRole('link', { name: 'Collections' }).getAttribute('href')).toBe('/collections')
  await user.click(within(lists).getByRole('link', { name: 'Servers' }))
  expect(at()).toBe('/registry')
  expect(await screen.findByRole('row', { name: /time/ })).toBeTruthy()
  expect(screen.queryByRole('row', { name: /travel/ })).toBeNull()
})

it('opens an agent below its own list, however it is linked to', async () => {
  const { at } = open('/registry/travel/settings')
  await waitFor(() => expect(at()).toBe('/agents/travel/settings'))
  const page = await screen.findByRole('region', { name: 'travel' })
  expect(within(page).getByRole('tab', { name: 'Connection and skills' })).toBeTruthy()
  expect(within(page).queryByRole('tab', { name: 'Resources and prompts' })).toBeNull()
  expect(await within(page).findByRole('textbox', { name: /Agent URL/ })).toBeTruthy()
  expect(within(page).queryByRole('checkbox', { name: /Trust its annotations/ })).toBeNull()
})

it('says what an agent is for where there is none, and why not to one who may not add one', async () => {
  api = anApi([time])
  open('/agents', 'editor')
  expect(await screen.findByRole('heading', { name: 'No agents yet' })).toBeTruthy()
  for (const button of screen.getAllByRole('button', { name: 'Add agent' })) {
    expect(button.dataset.tip).toBe('Only admins can do this.')
  }
})

it('adds none where the dialog is closed', async () => {
  const { user } = open('/agents')
  await user.click(await screen.findByRole('button', { name: 'Add agent' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add agent' }))
  await user.click(dialog.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(api.to(CREATE)).toEqual([])
})

it('reads the card first, shows its skills and adds it under its name', async () => {
  const tools = [aTool('test', 'book', { title: 'Book a trip', description: 'Books trips.' })]
  const read = { name: 'Travel desk', version: '2' }
  api.on(TEST, { body: { report: aReport(null, { tools, tool_count: 1, server: read }) } })
  api.on(CREATE, { status: 201, body: travel })
  const { user, at } = open('/agents')
  await user.click(await screen.findByRole('button', { name: 'Add agent' }))
  const dialog = await screen.findByRole('dialog', { name: 'Add agent' })
  await user.type(within(dialog).getByRole('textbox', { name: /Agent URL/ }), travel.url)
  await user.click(within(dialog).getByRole('radio', { name: 'Bearer' }))
  await user.type(within(dialog).getByLabelText(/^Token/, { selector: 'input[type="password"]' }), 's3cret')
  await user.click(within(dialog).getByRole('button', { name: 'Test first' }))
  expect(await within(dialog).findByText('Book a trip')).toBeTruthy()
  expect(api.to(TEST).at(0)?.path).toContain('tools=50')
  expect(api.to(TEST).at(0)?.body).toMatchObject({
    transport: 'a2a',
    url: travel.url,
    trust_annotations: false,
  })
  await user.click(within(dialog).getByRole('button', { name: 'Add agent' }))
  await waitFor(() => expect(at()).toBe('/agents/travel'))
  expect(api.to(CREATE).at(0)?.body).toMatchObject({
    name: 'Travel desk',
    transport: 'a2a',
    url: travel.url,
    auth_type: 'bearer',
    api_key: 's3cret',
  })
})

it('adds an agent that is signed in to by OAuth, and shows its sign-in', async () => {
  api.on(CREATE, { status: 201, body: travel })
  const { user } = open('/agents')
  await user.click(await screen.findByRole('button', { name: 'Add agent' }))
  const dialog = await screen.findByRole('dialog', { name: 'Add agent' })
  await user.type(within(dialog).getByRole('textbox', { name: /Agent URL/ }), travel.url)
  await user.click(within(dialog).getByRole('radio', { name: 'OAuth' }))
  await user.type(await within(dialog).findByRole('textbox', { name: /Client ID/ }), 'desk')
  expect(within(dialog).queryByRole('textbox', { name: /^Token/ })).toBeNull()
  await user.click(within(dialog).getByRole('button', { name: 'Add agent' }))
  await waitFor(() => expect(api.to(CREATE)).toHaveLength(1))
  expect(api.to(CREATE).at(0)?.body).toMatchObject({
    transport: 'a2a',
    auth_type: 'oauth',
    oauth_grant: 'authorization_code',
    oauth_client_id: 'desk',
  })
})

it('asks before it goes to another host that the card names', async () => {
  const moved = 'https://elsewhere.example/a2a'
  const stage = { name: 'card', ok: false, ms: 3, detail: { url: moved } }
  const report = aReport('url', { code: 'MCP_PROTOCOL_ERROR', message: 'Moved.', stages: [stage] })
  api.on(TEST, { body: { report } })
  const { user } = open('/agents')
  await user.click(await screen.findByRole('button', { name: 'Add agent' }))
  const dialog = await screen.findByRole('dialog', { name: 'Add agent' })
  const address = within(dialog).getByRole('textbox', { name: /Agent URL/ })
  await user.type(address, travel.url)
  await user.click(within(dialog).getByRole('button', { name: 'Test first' }))
  await user.click(await within(dialog).findByRole('button', { name: 'Use elsewhere.example' }))
  expect((address as HTMLInputElement).value).toBe(moved)
  const card = within(dialog).getByRole('textbox', { name: /Card URL/ })
  expect((card as HTMLInputElement).value).toBe(travel.url)
  expect(within(dialog).queryByRole('button', { name: 'Use elsewhere.example' })).toBeNull()
})

it('takes a card that stands elsewhere, and says at the field what is wrong with it', async () => {
  api.on(CREATE, {
    status: 400,
    body: { code: 'VALIDATION_ERROR', message: 'No.', hint: '', fields: { document_url: ['is no address'] } },
  })
  const { user } = open('/agents')
  await user.click(await screen.findByRole('button', { name: 'Add agent' }))
  const dialog = await screen.findByRole('dialog', { name: 'Add agent' })
  await user.type(within(dialog).getByRole('textbox', { name: /Agent URL/ }), travel.url)
  await user.type(within(dialog).getByRole('textbox', { name: /Card URL/ }), 'x')
  await user.click(within(dialog).getByRole('button', { name: 'Add agent' }))
  expect(await within(dialog).findByText(/is no address/)).toBeTruthy()
  expect(api.to(CREATE).at(0)?.body).toMatchObject({ document_url: 'x' })
})

it('takes the address of a card away again', async () => {
  const moved = { ...travel, document_url: 'https://cards.example.org/travel.json' }
  api = anApi([moved])
  api.on('PATCH /api/mcp/servers/srv_travel', { body: travel })
  const { user } = open('/agents/travel/settings')
  await user.clear(await screen.findByRole('textbox', { name: /Card URL/ }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(api.to('PATCH /api/mcp/servers/srv_travel').at(0)?.body).toEqual({ document_url: '' }),
  )
})

describe('an agent that a workflow declares', () => {
  const AT = '/api/mcp/declarations/abc'
  const declaration = {
    hash: 'abc',
    name: 'hotel',
    config: { transport: 'a2a', url: 'https://hotel.example.org/a2a' },
    workflow: 'wf_1',
    state: 'waiting',
    created_at: '2026-11-21T12:00:00Z',
    package: null,
    changed: 0,
  }
  const known = (more: Record<string, unknown> = {}) => ({
    hash: 'abc',
    card: {
      name: 'Hotel agent',
      version: '1.4',
      description: 'Books rooms.',
      url: 'https://hotel.example.org/a2a/rpc',
      protocol: 'A2A 1.0',
      read_at: '2026-11-21T12:00:00Z',
    },
    version: 'v1',
    changed: 0,
    skills: [aTool('hotel', 'book', { title: 'Book a room' })],
    ...more,
  })
  const before = { ...aTool('hotel', 'book'), description: 'Books a room.' }
  const changed = known({
    version: 'v2',
    changed: 1,
    skills: [aTool('hotel', 'book', { description: 'Books a suite.', changed: true, pinned: before })],
  })
  const declared = (state: string, more: Record<string, unknown> = {}) =>
    api.on('GET /api/mcp/declarations', ({ path }) =>
      list(path.includes(`state=${state}`) ? [{ ...declaration, state, ...more }] : []),
    )

  it('is approved, and shows its card then', async () => {
    declared('waiting')
    api.on(`GET ${AT}/card`, { body: known() })
    api.on(`POST ${AT}/approve`, () => {
      declared('approved')
      return { body: declaration }
    })
    const { user } = open('/agents')
    await user.click(await screen.findByRole('button', { name: '1 declaration waits for approval' }))
    const dialog = within(screen.getByRole('dialog'))
    expect(dialog.getByText(/Approving reads its card/)).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Approve' }))
    expect(await dialog.findByText('Hotel agent')).toBeTruthy()
    expect(dialog.getByText('1.4 · A2A 1.0')).toBeTruthy()
    expect(dialog.getByText('https://hotel.example.org/a2a/rpc')).toBeTruthy()
    expect(within(dialog.getByRole('region', { name: 'Skills' })).getByText('Book a room')).toBeTruthy()
  })

  it('shows what changed in its card, and has just that accepted', async () => {
    declared('approved', { changed: 1 })
    api.on(`GET ${AT}/card`, { body: changed })
    api.on(`POST ${AT}/card/accept`, () => {
      declared('approved')
      api.on(`GET ${AT}/card`, { body: known() })
      return { body: known() }
    })
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: '1 declared agent changed' }))
    const dialog = within(screen.getByRole('dialog'))
    const change = within(await dialog.findByRole('region', { name: 'Changes to book' }))
    expect(change.getByText(/Books a room\./)).toBeTruthy()
    expect(change.getByText(/Books a suite\./)).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Accept changes' }))
    await waitFor(() => expect(dialog.queryByRole('region', { name: 'Changes to book' })).toBeNull())
    expect(api.to(`POST ${AT}/card/accept`)[0]?.body).toEqual({ version: 'v2' })
  })

  it('has its card read again, and says why that fails', async () => {
    declared('approved')
    api.on(`GET ${AT}/card`, { body: known({ card: null, version: '', skills: [] }) })
    api.on(`POST ${AT}/card`, refusal(502, 'MCP_UNREACHABLE', { message: 'Nothing answers there.' }))
    const { user } = open('/agents')
    await user.click(await screen.findByRole('button', { name: 'Servers and agents declared in workflows' }))
    const dialog = within(screen.getByRole('dialog'))
    expect(await dialog.findByText(/has not been read yet/)).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Read the card' }))
    expect(await dialog.findByText('Nothing answers there.')).toBeTruthy()
    await waitFor(() => expect(api.to(`GET ${AT}/card`)).toHaveLength(2))
    api.on(`GET ${AT}/card`, { body: known() })
    api.on(`POST ${AT}/card`, { body: known() })
    await user.click(dialog.getByRole('button', { name: 'Read the card' }))
    expect(await dialog.findByText(/Nothing that was accepted has changed/)).toBeTruthy()
    expect(dialog.queryByText('Nothing answers there.')).toBeNull()
  })

  it('is left to admins', async () => {
    declared('approved', { changed: 1 })
    api.on(`GET ${AT}/card`, { body: changed })
    const { user } = open('/agents', 'editor')
    await user.click(await screen.findByRole('button', { name: '1 declared agent changed' }))
    const dialog = within(screen.getByRole('dialog'))
    for (const name of ['Accept changes', 'Read the card again']) {
      expect((await dialog.findByRole('button', { name })).dataset.tip).toBe('Only admins can do this.')
    }
  })
})
