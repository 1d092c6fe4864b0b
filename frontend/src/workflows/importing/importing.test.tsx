import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Role } from '@/api/queries'
import { FakeServer, refusal, show } from '@/testing/server'
import { ImportDialog } from './ImportDialog'

const IMPORT = 'POST /api/workflows/import'
const KEY = 'tool:google/search'

const line = (origin: string, title: string, state: string, more: object = {}) => ({
  origin,
  node: `n_${origin}`,
  title,
  type: 'tool',
  becomes: state === 'choose' || state === 'left' ? 'placeholder' : 'tool',
  state,
  why: `why ${title}`,
  group: '',
  ...more,
})
const candidate = (server: string, tool: string, more: object = {}) => ({
  server,
  tool,
  title: '',
  risk: 'LOW',
  arguments: { query: 'q' },
  empty: [],
  ...more,
})
const ALIKE = ['1', '2', '3'].map((id) => line(id, `Search ${id}`, 'choose', { group: KEY }))
const WANTS = {
  tools: [
    {
      key: KEY,
      name: 'google_search',
      kind: 'tool',
      arguments: ['query'],
      nodes: ['1', '2', '3'],
      titles: [],
      chosen: null,
      candidates: [candidate('bing', 'search'), candidate('github', 'find', { empty: ['path'] })],
    },
  ],
  models: [{ name: 'gpt-4o', count: 2, match: null }],
  secrets: [
    { name: 'weather_key', match: 'weather_key', note: '' },
    { name: 'crm_token', match: '', note: '' },
  ],
  servers: [
    { name: 'maps', match: 'maps', note: '' },
    { name: 'mail', match: '', note: 'declared here' },
  ],
  hosts: [
    { host: 'api.example.org', fixed: true },
    { host: '{{#a.b#}}', fixed: false },
  ],
  code: [
    { node: 'c', title: 'Sum', source: 'import json', lines: 4, modules: ['json'], missing: [] },
    {
      node: 'd',
      title: 'Sync',
      source: 'import requests',
      lines: 2,
      modules: ['requests'],
      missing: ['requests'],
    },
  ],
}
const REPORT = {
  kind: 'dify',
  name: 'Customer care',
  mode: 'chatflow',
  version: '0.3.1',
  nodes: 6,
  edges: 8,
  counts: { choose: 3, left: 1, changed: 1, mapped: 1 },
  lines: [
    ...ALIKE,
    line('4', 'Join', 'left'),
    line('5', 'Draft', 'changed', { becomes: 'llm' }),
    line('6', 'Begin', 'mapped', { becomes: 'start' }),
  ],
  notes: ['A note.'],
  wants: WANTS,
}

interface Import {
  readonly dry_run?: boolean
  readonly choices?: { readonly tools?: Record<string, unknown> }
}

async function open(role: Role = 'admin', report: object = REPORT) {
  const server = new FakeServer()
    .on('GET /api/providers', {
      body: { results: [{ id: 'p', name: 'House', slug: 'house', models: [{ id: 'qwen' }] }], next: null },
    })
    .on('GET /api/mcp/servers', {
      body: { results: [{ id: 's', name: 'Mail', slug: 'mail-2' }], next: null },
    })
    .on(IMPORT, ({ body }) =>
      (body as Import).dry_run
        ? { body: { report } }
        : { status: 201, body: { workflow: { id: 'wf_3' }, report } },
    )
  const closed = { times: 0 }
  show(
    <ImportDialog
      onClose={() => {
        closed.times += 1
      }}
    />,
    role,
  )
  const user = userEvent.setup()
  const file = new File(['kind: app'], 'care.yml', { type: 'application/yaml' })
  await user.upload(screen.getByLabelText('Choose a file'), file)
  await screen.findByDisplayValue('kind: app')
  await user.click(screen.getByRole('button', { name: 'Import' }))
  await screen.findByRole('dialog', { name: 'Import from Dify' })
  return { server, user, closed, last: () => server.to(IMPORT).at(-1)?.body as Import }
}

const tools = () => within(screen.getByRole('listbox')).getAllByRole('option')
const row = (name: RegExp) => screen.getByRole('row', { name })

beforeEach(() => window.history.replaceState(null, '', '/workflows'))

describe('the report of an import', () => {
  it('says what the file is and what becomes of it, those first that need a person', async () => {
    await open()
    expect(screen.getByText(/care\.yml/).parentElement?.textContent).toBe(
      'care.yml · chatflow · DSL 0.3.1 · 6 nodes · 8 edges · 1 KB',
    )
    expect(screen.getByText('A note.')).toBeTruthy()
    expect(screen.getByText('2 of 6 have a counterpart')).toBeTruthy()
    const rows = screen.getAllByRole('row').slice(1)
    expect(rows.map((entry) => within(entry).getAllByRole('cell')[0]?.textContent)).toEqual([
      'google_search×3',
      'Join',
      'Draft',
      'Begin',
    ])
  })

  it('shows only the lines of a state', async () => {
    const { user } = await open()
    await user.click(screen.getByRole('radio', { name: 'Left 1' }))
    expect(screen.getAllByRole('row')).toHaveLength(2)
    await user.click(screen.getByRole('radio', { name: 'All 6' }))
    expect(screen.getAllByRole('row')).toHaveLength(5)
  })

  it('one answer counts for all alike, by keys alone', async () => {
    const { user, last } = await open()
    row(/google_search/).focus()
    await user.keyboard('{Enter}')
    const search = await screen.findByRole('combobox', { name: 'Search your tools' })
    expect(document.activeElement).toBe(search)
    expect(tools()).toHaveLength(2)
    expect(screen.getByText('query → q · path stays empty · fits 1 of 1')).toBeTruthy()
    await user.keyboard('{ArrowDown}{Enter}')
    await waitFor(() => expect(last().choices?.tools).toEqual({ [KEY]: { server: 'github', tool: 'find' } }))
    expect(last().dry_run).toBe(true)
  })

  it('what is typed finds a tool, and it may be for one of them only', async () => {
    const { user, last } = await open()
    await user.click(screen.getByRole('button', { name: 'Choose an MCP tool' }))
    await user.type(await screen.findByRole('combobox', { name: 'Search your tools' }), 'bing')
    expect(tools()).toHaveLength(1)
    await user.click(screen.getByRole('checkbox', { name: /For all 3 alike/ }))
    await user.click(screen.getByRole('button', { name: 'Use it' }))
    await waitFor(() => expect(last().choices?.tools).toEqual({ 1: { server: 'bing', tool: 'search' } }))
  })

  it('a tool is marked by one press and used by two', async () => {
    const { user, last } = await open()
    await user.click(screen.getByRole('button', { name: 'Choose an MCP tool' }))
    await screen.findByRole('listbox')
    await user.click(tools()[1] as HTMLElement)
    expect(tools()[1]?.getAttribute('aria-selected')).toBe('true')
    expect(last().choices?.tools).toBeUndefined()
    await user.dblClick(tools()[1] as HTMLElement)
    await waitFor(() => expect(last().choices?.tools).toEqual({ [KEY]: { server: 'github', tool: 'find' } }))
  })

  it.each(['Close', 'Cancel'])('makes nothing where it is left by %s', async (name) => {
    const { user, closed, server } = await open()
    await user.click(screen.getByRole('button', { name }))
    expect(closed.times).toBe(1)
    expect(server.to(IMPORT).every(({ body }) => (body as Import).dry_run)).toBe(true)
  })

  it('is taken along as a text', async () => {
    const { user } = await open()
    URL.createObjectURL ??= () => ''
    vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:here')
    const names: string[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      names.push(this.download)
    })
    await user.click(screen.getByRole('button', { name: 'Report as text' }))
    expect(names).toEqual(['care.report.txt'])
  })

  it('goes on from the line that has the focus', async () => {
    const { user } = await open()
    act(() => row(/Join/).focus())
    await user.keyboard('j')
    expect(document.activeElement).toBe(row(/Draft/))
  })

  it('all alike may be left as placeholders', async () => {
    const { user, last } = await open()
    await user.click(screen.getByRole('button', { name: 'Choose an MCP tool' }))
    await user.click(await screen.findByRole('button', { name: 'Leave as placeholders' }))
    await waitFor(() => expect(last().choices?.tools).toEqual({ [KEY]: null }))
  })

  it('J and K go from line to line, Escape closes what is open and not the dialog', async () => {
    const { user, closed } = await open()
    row(/google_search/).focus()
    await user.keyboard('jj')
    expect(document.activeElement).toBe(row(/Draft/))
    await user.keyboard('kk{Enter}')
    await screen.findByRole('combobox', { name: 'Search your tools' })
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('combobox', { name: 'Search your tools' })).toBeNull()
    expect(document.activeElement).toBe(row(/google_search/))
    expect(closed.times).toBe(0)
  })

  it('asks for models, servers and secrets that are missing', async () => {
    const { user, server, last } = await open()
    await screen.findByRole('option', { name: 'qwen · House' })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Model for gpt-4o' }), 'qwen · House')
    await waitFor(() =>
      expect(last().choices).toEqual({ models: { 'gpt-4o': { provider: 'house', model: 'qwen' } } }),
    )
    await user.selectOptions(screen.getByRole('combobox', { name: 'Server for mail' }), 'Mail')
    await waitFor(() => expect(last().choices).toMatchObject({ servers: { mail: 'mail-2' } }))
    server.on('POST /api/secrets', { status: 201, body: {} })
    await user.click(screen.getByRole('button', { name: 'Enter the secret crm_token' }))
    await user.type(screen.getByLabelText('Value of crm_token'), 'hush-hush{Enter}')
    await waitFor(() =>
      expect(server.to('POST /api/secrets')[0]?.body).toEqual({
        name: 'crm_token',
        value: 'hush-hush',
        hosts: ['api.example.org'],
      }),
    )
    expect(screen.getByText('yours by that name')).toBeTruthy()
    await waitFor(() => expect(server.requests.at(-1)?.path).toBe('/api/workflows/import'))
    expect(screen.getByText('asked for at each run')).toBeTruthy()
  })

  it('who is no admin enters no secret', async () => {
    await open('editor')
    expect(screen.queryByRole('button', { name: 'Enter the secret crm_token' })).toBeNull()
    expect(screen.getByText('an admin can enter it')).toBeTruthy()
  })

  it('shows the Python before it is taken, and what it lacks', async () => {
    const { user } = await open()
    expect(screen.getByText('Sync wants requests')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Read it' }))
    expect(screen.getByText('import requests')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Hide it' }))
    expect(screen.queryByText('import requests')).toBeNull()
  })

  it('a line that is answered moves and keeps the focus', async () => {
    const { user, server, last } = await open()
    row(/google_search/).focus()
    await user.keyboard('{Enter}')
    await screen.findByRole('combobox', { name: 'Search your tools' })
    const answered = ALIKE.map((line) => ({ ...line, state: 'changed', becomes: 'tool' }))
    const lines = [...REPORT.lines.slice(3), ...answered]
    server.on(IMPORT, { body: { report: { ...REPORT, lines } } })
    await user.keyboard('{Enter}')
    await waitFor(() => expect(within(row(/google_search/)).getByText('changed')).toBeTruthy())
    expect(last().choices?.tools).toEqual({ [KEY]: { server: 'bing', tool: 'search' } })
    expect(screen.getAllByRole('row').at(-1)).toBe(row(/google_search/))
    expect(document.activeElement).toBe(row(/google_search/))
  })

  it('a line that lost the focus as it moved gets it back, and takes it from nobody', async () => {
    const { user, server } = await open()
    const answered = ALIKE.map((line) => ({ ...line, state: 'changed', becomes: 'tool' }))
    const moved = { ...REPORT, lines: [...REPORT.lines.slice(3), ...answered] }
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    server.on(IMPORT, () => held.then(() => ({ body: { report: moved } })))
    row(/google_search/).focus()
    await user.keyboard('{Enter}')
    await screen.findByRole('combobox', { name: 'Search your tools' })
    await user.keyboard('{Enter}')
    act(() => row(/google_search/).blur()) // as a browser does with what is moved
    await act(async () => answer())
    await waitFor(() => expect(document.activeElement).toBe(row(/google_search/)))
    server.on(IMPORT, { body: { report: REPORT } })
    const model = await screen.findByRole('combobox', { name: 'Model for gpt-4o' })
    await user.selectOptions(model, 'qwen · House')
    act(() => model.blur())
    await waitFor(() => expect(screen.getAllByRole('row').at(-1)).toBe(row(/Begin/)))
    expect(document.activeElement).not.toBe(row(/google_search/))
  })

  it('makes the workflow with what was chosen, and opens it', async () => {
    const { user, closed, last } = await open()
    await user.click(screen.getByRole('button', { name: 'Choose an MCP tool' }))
    await user.click(await screen.findByRole('button', { name: 'Use for 3' }))
    await user.click(screen.getByRole('button', { name: 'Import, 4 as placeholders' }))
    await waitFor(() => expect(window.location.pathname).toBe('/workflows/wf_3'))
    expect(last()).toEqual({
      text: 'kind: app',
      name: 'care',
      choices: { tools: { [KEY]: { server: 'bing', tool: 'search' } } },
    })
    expect(closed.times).toBe(1)
  })

  it('says why it could not be made', async () => {
    const { server, user } = await open()
    server.on(IMPORT, refusal(413, 'TOO_LARGE'))
    await user.click(screen.getByRole('button', { name: 'Import, 4 as placeholders' }))
    expect(await screen.findByText('TOO_LARGE in words.')).toBeTruthy()
  })

  it('another file begins anew', async () => {
    const { user } = await open()
    await user.click(screen.getByRole('button', { name: 'Other file' }))
    expect(await screen.findByLabelText('Choose a file')).toBeTruthy()
  })
})
