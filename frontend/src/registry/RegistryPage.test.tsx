import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Server, Tool } from '@/api/servers'
import { onScreen } from '@/testing/screen'
import { type FakeServer, refusal } from '@/testing/server'
import { anApi, giveRows, list, open, pages } from './page.testing'
import { aReport, aServer, aTool } from './registry.testing'

const plain = { questions: [], denied: [], allowed: null, notes: [], alternative: false }
const github = aServer('github', {
  transport: 'http',
  url: 'https://example.org/mcp',
  auth_type: 'bearer',
  api_key_set: true,
  api_key_hint: '····7f2a',
})
const time = aServer('time')
const CALL = 'POST /api/mcp/tools/call'

let server: FakeServer

function serve(servers: readonly Server[], tools: Readonly<Record<string, readonly Tool[]>> = {}) {
  server = anApi(servers, tools)
}

beforeEach(() => {
  giveRows()
  serve([github, time], {
    time: [aTool('time', 'get_current_time')],
    github: [aTool('github', 'create_issue')],
  })
})

describe('the list', () => {
  it('shows each server with its health, and finds one by a tool of it', async () => {
    const { user } = open()
    const row = await screen.findByRole('row', { name: /time/ })
    expect(within(row).getByText('Connected')).toBeTruthy()
    await user.type(screen.getByRole('searchbox', { name: 'Find a server or tool' }), 'current_time')
    await waitFor(() => expect(screen.queryByRole('row', { name: /github/ })).toBeNull())
    expect(await screen.findByRole('row', { name: /time/ })).toBeTruthy()
    expect(server.requests.some((asked) => asked.path.includes('srv_time/tools'))).toBe(false)
    expect(screen.getByRole('region', { name: 'github' })).toBeTruthy()
  })

  it('keeps those apart that someone should look at', async () => {
    serve([
      github,
      aServer('old', { expires_at: '2020-01-01T00:00:00Z' }),
      aServer('fs', { changed_tools: 1 }),
    ])
    const { user } = open()
    await user.click(await screen.findByRole('radio', { name: 'Needs attention 2' }))
    await waitFor(() => expect(screen.queryByRole('row', { name: /github/ })).toBeNull())
    expect(screen.getByText('URL expired')).toBeTruthy()
    expect(screen.getByText('1 changed')).toBeTruthy()
  })

  it('asks the API for what it filters, once a page, and loads the page that follows', async () => {
    serve(Array.from({ length: 60 }, (_, n) => aServer(`s${String(n).padStart(2, '0')}`)))
    const { user } = open()
    expect(await screen.findByRole('row', { name: /s49/ })).toBeTruthy()
    expect(screen.getByRole('radio', { name: 'All 60' })).toBeTruthy()
    expect(screen.queryByRole('row', { name: /s50/ })).toBeNull()
    expect(server.to('GET /api/mcp/servers').map((request) => request.path)).toEqual([
      '/api/mcp/servers?kind=server&sort=name&limit=50',
    ])
    await user.click(screen.getByRole('button', { name: 'Load more' }))
    expect(await screen.findByRole('row', { name: /s59/ })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
    await user.click(screen.getByRole('radio', { name: 'Mine' }))
    await waitFor(() =>
      expect(server.to('GET /api/mcp/servers').at(-1)?.path).toBe(
        '/api/mcp/servers?kind=server&sort=name&limit=50&only=mine',
      ),
    )
  })

  it('opens a server that no page has brought yet', async () => {
    const many = Array.from({ length: 60 }, (_, n) => aServer(`s${String(n).padStart(2, '0')}`))
    serve(many)
    open('/registry/s55')
    expect(await screen.findByRole('region', { name: 's55' })).toBeTruthy()
    expect(screen.queryByRole('row', { name: /s55/ })).toBeNull()
  })

  it('says what to do when it is empty, and why not to one who may not', async () => {
    serve([])
    open('/registry', 'editor')
    expect(await screen.findByRole('heading', { name: 'No servers yet' })).toBeTruthy()
    for (const button of screen.getAllByRole('button', { name: 'Add server' })) {
      expect(button.dataset.tip).toBe('Only admins can do this.')
    }
  })

  it('says why it cannot be shown', async () => {
    server.on('GET /api/mcp/servers', refusal(500, 'INTERNAL'))
    open()
    expect(await screen.findByText('The servers could not be loaded.')).toBeTruthy()
    expect(screen.getByText('INTERNAL in words.')).toBeTruthy()
  })
})

describe('a server that could not be reached', () => {
  const status = {
    ...github.status,
    state: 'error',
    code: 'MCP_UNREACHABLE',
    message: 'Nothing answers at this address.',
    hint: 'Start the server.',
  } as const

  it('says why where it is opened', async () => {
    serve([aServer('down', { status })])
    open('/registry/down/overview')
    const reason = await screen.findByRole('alert')
    expect(reason.textContent).toContain('Nothing answers at this address.')
    expect(reason.textContent).toContain('Start the server.')
  })

  it('says no old reason once it was switched off', async () => {
    serve([aServer('down', { status, enabled: false })])
    open('/registry/down/overview')
    expect(await screen.findByText('Trust its annotations')).toBeTruthy()
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

describe('a connection test', () => {
  it('says at which stage it failed, why, and offers the repair', async () => {
    server.on('POST /api/mcp/servers/srv_github/test', {
      body: {
        report: aReport('auth', {
          code: 'MCP_AUTH_FAILED',
          message: 'The server refused the credentials.',
          hint: 'Replace the key or token.',
          messages: [{ at_ms: 3, direction: 'in', raw: '401 bad credentials' }] as never,
        }),
      },
    })
    const { user, at } = open('/registry/github')
    await user.click(await screen.findByRole('button', { name: 'Test again' }))
    const stages = await screen.findByRole('list', { name: 'Stages of the connection test' })
    const failure = await screen.findByText('The server refused the credentials.')
    const rows = within(stages).getAllByRole('listitem')
    expect(rows.map((row) => within(row).getByRole('img').getAttribute('aria-label'))).toEqual([
      ...Array(6).fill('passed'),
      'failed',
      'not reached',
      'not reached',
    ])
    expect(within(stages).getByText('140.82.113.21')).toBeTruthy()
    expect(failure).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Raw answer' }))
    expect(screen.getByText(/401 bad credentials/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Replace the key' }))
    expect(at()).toBe('/registry/github/settings')
  })
})

describe('a tool', () => {
  it('gets the policy an admin chooses', async () => {
    const CHANGE = 'PATCH /api/mcp/servers/srv_time/tools/get_current_time'
    const changed = aTool('time', 'get_current_time', { policy: 'ask' })
    server.on(CHANGE, () => {
      server.on('GET /api/mcp/servers/srv_time/tools', pages([changed]))
      return { body: changed }
    })
    const { user } = open('/registry/time')
    const choice = await screen.findByRole('group', { name: 'Policy of get_current_time' })
    await user.click(within(choice).getByRole('radio', { name: 'ask' }))
    await waitFor(() => expect(server.to(CHANGE)[0]?.body).toEqual({ policy: 'ask' }))
    await waitFor(() =>
      expect(
        within(screen.getByRole('group', { name: 'Policy of get_current_time' })).getByRole<HTMLInputElement>(
          'radio',
          { name: 'ask' },
        ).checked,
      ).toBe(true),
    )
  })

  it('cannot be changed by an editor', async () => {
    open('/registry/time', 'editor')
    const choice = await screen.findByRole('group', { name: 'Policy of get_current_time' })
    for (const radio of within(choice).getAllByRole<HTMLInputElement>('radio'))
      expect(radio.disabled).toBe(true)
  })

  it('whose definition changed shows what changed, and asks until it is accepted', async () => {
    const pinned = aTool('time', 'convert', { description: 'Convert a time' })
    const changed = aTool('time', 'convert', {
      description: 'Convert and tell others',
      changed: true,
      pinned,
    })
    serve([time], { time: [changed] })
    server.on('POST /api/mcp/servers/srv_time/tools/convert/accept', {
      body: { ...changed, changed: false, pinned: null },
    })
    const { user } = open('/registry/time')
    const section = await screen.findByRole('region', {
      name: 'The definition changed since it was accepted',
    })
    expect(within(section).getByText(/Convert a time/).dataset.line).toBe('del')
    expect(within(section).getByText(/Convert and tell others/).dataset.line).toBe('add')
    await user.click(within(section).getByRole('button', { name: 'Accept definition' }))
    expect(server.to('POST /api/mcp/servers/srv_time/tools/convert/accept')).toHaveLength(1)
  })
})

describe('two thousand tools', () => {
  const many = Array.from({ length: 2000 }, (_, n) => aTool('time', `tool_${String(n).padStart(4, '0')}`))

  it('are read by the page, searched on the server, and not all in the document', async () => {
    serve([time], { time: many })
    const { user } = open('/registry/time')
    const tools = within(await screen.findByRole('region', { name: 'Tools' }))
    expect(await tools.findByText('tool_0000')).toBeTruthy()
    expect(tools.getByText(/2,000, listed/)).toBeTruthy()
    expect(tools.getAllByRole('listitem').length).toBeLessThan(60)
    for (const request of server.to('GET /api/mcp/servers/srv_time/tools'))
      expect(request.path).toContain('limit=50')
    await user.type(tools.getByRole('searchbox', { name: 'Filter tools' }), 'tool_1999')
    expect(await tools.findByText('tool_1999')).toBeTruthy()
    await waitFor(() => expect(tools.getAllByRole('listitem')).toHaveLength(1))
  })

  it('can each be tried, also one that no page has brought yet', async () => {
    serve([time], { time: many })
    server.on('GET /api/mcp/servers/srv_time/tools/tool_1500', { body: many[1500] })
    const { user } = open('/registry/time')
    const tools = within(await screen.findByRole('region', { name: 'Tools' }))
    await user.type(await tools.findByRole('searchbox', { name: 'Filter tools' }), 'tool_1500')
    await user.click(await tools.findByText('tool_1500'))
    await user.click(await tools.findByRole('button', { name: 'Try' }))
    const trying = within(screen.getByRole('region', { name: 'Try a tool' }))
    expect(await trying.findByRole('option', { name: 'time/tool_1500', selected: true })).toBeTruthy()
  })
})

describe('what a server lists wrongly', () => {
  it('is shown with its reason, and what a name hides is seen', async () => {
    const problem = { message: 'The tool odd has no input schema.', hint: 'Report it.' }
    serve([time], {})
    server.on(
      'GET /api/mcp/servers/srv_time/tools',
      pages([aTool('time', 'pay\u202Elive'), aTool('time', 'odd', { problem })], {
        left_out: [{ tool: 'x', message: 'The server lists two tools by the name x.', hint: 'Report it.' }],
      }),
    )
    const { user } = open('/registry/time')
    const tools = within(await screen.findByRole('region', { name: 'Tools' }))
    expect(await tools.findByText('pay⟨U+202E⟩live')).toBeTruthy()
    expect(tools.getByText(/two tools by the name x/)).toBeTruthy()
    expect(tools.getByText('unusable')).toBeTruthy()
    await user.click(tools.getByText('odd'))
    expect(await tools.findByText('The tool odd has no input schema.')).toBeTruthy()
    expect(tools.queryByRole('button', { name: 'Try' })).toBeNull()
  })
})

describe('trying a tool', () => {
  const answer = {
    content: [
      { type: 'text', text: 'It is noon.' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'image', data: 'AAAA', mimeType: 'image/svg+xml' },
    ],
    structured: { hour: 12 },
    text: 'It is noon.',
    is_error: false,
    ms: 412,
    messages: [{ at_ms: 1, direction: 'out', message: { method: 'tools/call', id: 7, params: {} } }],
  }

  it('checks the form first, then shows the answer with its pictures and raw messages', async () => {
    vi.stubGlobal(
      'URL',
      Object.assign(URL, { createObjectURL: () => 'blob:here', revokeObjectURL: () => {} }),
    )
    server.on(CALL, { body: answer })
    const { user } = open('/registry/time')
    const trying = within(await screen.findByRole('region', { name: 'Try a tool' }))
    await user.click(await trying.findByRole('button', { name: 'Call' }))
    expect(server.to(CALL)).toHaveLength(0)
    await user.type(trying.getByRole('textbox', { name: /zone/ }), 'Europe/Oslo')
    await user.click(trying.getByRole('button', { name: 'Call' }))
    expect(await trying.findByText('It is noon.')).toBeTruthy()
    expect(server.to(CALL)[0]?.body).toEqual({
      server: 'time',
      tool: 'get_current_time',
      arguments: { zone: 'Europe/Oslo' },
      confirm: false,
    })
    // a drawing is a picture like others, and never part of the page
    expect(trying.getAllByRole('img', { name: /^Image image/ }).map((element) => element.tagName)).toEqual([
      'IMG',
      'IMG',
    ])
    await user.click(trying.getByRole('radio', { name: 'Messages' }))
    expect(trying.getByText(/tools\/call id 7/)).toBeTruthy()
  })

  it('asks before it calls what the gate would ask about', async () => {
    const risk = { level: 'HIGH', reasons: ['The server marks the tool as destructive.'] }
    server.on(CALL, ({ body }) =>
      (body as { confirm: boolean }).confirm
        ? { body: answer }
        : refusal(409, 'APPROVAL_REQUIRED', { detail: { risk } }),
    )
    const { user } = open('/registry/time')
    const trying = within(await screen.findByRole('region', { name: 'Try a tool' }))
    await user.type(await trying.findByRole('textbox', { name: /zone/ }), 'UTC')
    await user.click(trying.getByRole('button', { name: 'Call' }))
    expect(await trying.findByText('The server marks the tool as destructive.')).toBeTruthy()
    expect(server.to(CALL)).toHaveLength(1)
    await user.click(trying.getByRole('button', { name: 'Call it' }))
    expect(await trying.findByText('It is noon.')).toBeTruthy()
    expect(server.to(CALL)[1]?.body).toMatchObject({ confirm: true })
  })

  it('never shows an error of the tool as a success', async () => {
    server.on(CALL, { body: { ...answer, is_error: true } })
    const { user } = open('/registry/time')
    const trying = within(await screen.findByRole('region', { name: 'Try a tool' }))
    await user.type(await trying.findByRole('textbox', { name: /zone/ }), 'UTC')
    await user.click(trying.getByRole('button', { name: 'Call' }))
    expect((await trying.findByText('The tool returned an error')).dataset.tone).toBe('failed')
  })

  it('shows a call that failed, and its raw messages once, as those of any call', async () => {
    const detail = { data: { table: 'orders' }, messages: answer.messages }
    server.on(CALL, refusal(502, 'MCP_EXECUTION_ERROR', { message: 'The server failed.', detail }))
    const { user } = open('/registry/time')
    const trying = within(await screen.findByRole('region', { name: 'Try a tool' }))
    await user.type(await trying.findByRole('textbox', { name: /zone/ }), 'UTC')
    await user.click(trying.getByRole('button', { name: 'Call' }))
    expect(await trying.findByText('The server failed.')).toBeTruthy()
    expect(trying.getByText('"orders"')).toBeTruthy()
    expect(trying.queryByText('messages')).toBeNull()
    await user.click(trying.getByRole('radio', { name: 'Messages' }))
    expect(trying.getByText(/tools\/call id 7/)).toBeTruthy()
  })
})

describe('adding a server', () => {
  it('by URL sends what was written, and shows a refusal at its field', async () => {
    server.on(
      'POST /api/mcp/servers',
      refusal(400, 'VALIDATION_ERROR', { fields: { url: ['must have a host'] } }),
    )
    const { user } = open()
    await user.click((await screen.findAllByRole('button', { name: 'Add server' }))[0] as HTMLElement)
    const dialog = within(screen.getByRole('dialog', { name: 'Add server' }))
    await user.click(dialog.getByRole('tab', { name: 'URL' }))
    await user.type(dialog.getByRole('textbox', { name: 'URL' }), 'http://')
    await user.click(dialog.getByRole('radio', { name: 'Bearer token' }))
    await user.type(dialog.getByLabelText('Token'), 's3cret')
    await user.click(dialog.getByRole('button', { name: 'Add server' }))
    expect(await dialog.findByText('must have a host')).toBeTruthy()
    expect(server.to('POST /api/mcp/servers')[0]?.body).toMatchObject({
      url: 'http://',
      auth_type: 'bearer',
      api_key: 's3cret',
    })
  })

  it('that starts a program needs a word that one knows it', async () => {
    const { user } = open()
    await user.click((await screen.findAllByRole('button', { name: 'Add server' }))[0] as HTMLElement)
    const dialog = within(screen.getByRole('dialog', { name: 'Add server' }))
    await user.click(dialog.getByRole('tab', { name: 'Command' }))
    await user.type(dialog.getByRole('textbox', { name: 'Command' }), 'uvx')
    const add = dialog.getByRole('button', { name: 'Add server' })
    fireEvent.click(add)
    expect(server.to('POST /api/mcp/servers')).toHaveLength(0)
    expect(add.dataset.tip).toBe('Confirm first that you know this program.')
    server.on('POST /api/mcp/servers', { status: 201, body: aServer('new') })
    await user.click(dialog.getByRole('checkbox', { name: /I know this program/ }))
    await user.click(add)
    await waitFor(() => expect(server.to('POST /api/mcp/servers')).toHaveLength(1))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('says what will be kept as a secret before it is saved', async () => {
    const match = {
      ...plain,
      name: 'draft',
      transport: 'stdio',
      target: 'docker run -e TOKEN=····',
      secrets: ['args'],
      missing: [],
    }
    server.on('POST /api/mcp/servers/import', {
      body: { found: [match], created: [], skipped: [], dialect: 'map' },
    })
    const { user } = open()
    await user.click((await screen.findAllByRole('button', { name: 'Add server' }))[0] as HTMLElement)
    const dialog = within(screen.getByRole('dialog', { name: 'Add server' }))
    await user.click(dialog.getByRole('tab', { name: 'Command' }))
    await user.type(dialog.getByRole('textbox', { name: 'Command' }), 'docker')
    expect(await dialog.findByText('Stored as secrets when saved: args')).toBeTruthy()
    expect(dialog.getByText('docker run -e TOKEN=····')).toBeTruthy()
    const body = server.to('POST /api/mcp/servers/import').at(-1)?.body as { preview: boolean }
    expect(body.preview).toBe(true)
    expect(server.to('POST /api/mcp/servers')).toHaveLength(0)
  })

  it('asks for every placeholder before it is added', async () => {
    const question = {
      description: '',
      secret: false,
      choices: [],
      multiple: false,
      required: true,
      default: '',
    }
    const matches = [
      {
        ...plain,
        name: 'files',
        transport: 'stdio',
        target: 'npx files <workspaceFolder>',
        secrets: [],
        missing: ['FILES_KEY'],
        denied: ['drop'],
        questions: [
          {
            ...question,
            id: 'workspaceFolder',
            label: 'workspaceFolder',
            where: 'args',
            token: '<workspaceFolder>',
          },
          {
            ...question,
            id: 'key',
            label: 'FILES_KEY',
            where: 'env',
            secret: true,
            token: '{env:key}',
          },
        ],
      },
      {
        ...plain,
        name: 'files (oci)',
        transport: 'stdio',
        target: 'docker run files',
        secrets: [],
        missing: [],
        alternative: true,
      },
    ]
    server.on('POST /api/mcp/servers/import', ({ body }) => ({
      body: {
        found: matches,
        created: (body as { preview?: boolean }).preview ? [] : [aServer('files')],
        skipped: [],
        dialect: 'VS Code',
      },
    }))
    const { user } = open()
    await user.click((await screen.findAllByRole('button', { name: 'Add server' }))[0] as HTMLElement)
    const dialog = within(screen.getByRole('dialog', { name: 'Add server' }))
    await user.click(dialog.getByRole('tab', { name: 'Paste' }))
    await user.click(dialog.getByRole('textbox'))
    await user.paste('code')
    const values = within(await dialog.findByRole('group', { name: 'Values for files' }))
    expect(dialog.getByText('tools denied: drop')).toBeTruthy()
    const add = dialog.getByRole('button', { name: 'Add 1 server' })
    expect(add.dataset.tip).toBe('First enter: workspaceFolder')
    await user.type(values.getByRole('textbox', { name: /workspaceFolder/ }), '/srv')
    const secret = values.getByLabelText(/FILES_KEY/)
    expect(secret.getAttribute('type')).toBe('password')
    await user.type(secret, 'k1234')
    await user.click(add)
    await waitFor(() =>
      expect(server.to('POST /api/mcp/servers/import').at(-1)?.body).toEqual({
        config: 'code',
        only: ['files'],
        values: { files: { workspaceFolder: '/srv', key: 'k1234' } },
      }),
    )
  })

  it("from another client's JSON looks first, and takes only what is chosen", async () => {
    const matches = [
      {
        ...plain,
        name: 'fetch',
        transport: 'sse',
        target: 'https://h/····',
        secrets: ['url'],
        missing: [],
      },
      {
        ...plain,
        name: 'notion',
        transport: 'stdio',
        target: 'npx notion',
        secrets: ['NOTION_TOKEN'],
        missing: ['NOTION_TOKEN'],
      },
    ]
    server.on('POST /api/mcp/servers/import', ({ body }) => ({
      body: {
        found: matches,
        created: (body as { preview?: boolean }).preview ? [] : [aServer('fetch')],
        skipped: [{ name: 'old', reason: 'There is a server of this name.' }],
        dialect: 'mcpServers',
      },
    }))
    const { user } = open()
    await user.click((await screen.findAllByRole('button', { name: 'Add server' }))[0] as HTMLElement)
    const dialog = within(screen.getByRole('dialog', { name: 'Add server' }))
    await user.click(dialog.getByRole('tab', { name: 'Paste' }))
    await user.click(dialog.getByRole('textbox'))
    await user.paste('{"mcpServers": {}}')
    expect(await dialog.findByRole('heading', { name: '2 servers found' })).toBeTruthy()
    expect(dialog.getByText('There is a server of this name.')).toBeTruthy()
    await user.click(dialog.getByRole('checkbox', { name: /notion/ }))
    await user.click(dialog.getByRole('button', { name: 'Add 1 server' }))
    await waitFor(() =>
      expect(server.to('POST /api/mcp/servers/import').at(-1)?.body).toEqual({
        config: '{"mcpServers": {}}',
        only: ['fetch'],
      }),
    )
  })
})

describe('settings of a server', () => {
  it('send only what was changed, and never a kept secret', async () => {
    server.on('PATCH /api/mcp/servers/srv_github', {
      body: { ...github, timeout_ms: 5000, updated_at: '2026-11-22T00:00:00Z' },
    })
    const { user } = open('/registry/github/settings')
    const timeout = await screen.findByRole('spinbutton', { name: 'Timeout' })
    await user.clear(timeout)
    await user.type(timeout, '5')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(server.to('PATCH /api/mcp/servers/srv_github')[0]?.body).toEqual({ timeout_ms: 5000 }),
    )
  })
})

describe('a declared server that is started from a package', () => {
  it('shows its version, and is updated once an admin says so', async () => {
    const held = {
      managed: true,
      name: 'mcp-server-time',
      version: '1.0.0',
      integrity: 'sha256:4ab8',
      pinned_at: '2026-11-21T12:00:00Z',
      looked_at: null,
      offered: '1.1.0',
    }
    const declared = {
      hash: 'abc',
      name: 'clock',
      config: { transport: 'stdio', command: 'uvx', args: ['mcp-server-time'] },
      workflow: 'wf_1',
      state: 'approved',
      created_at: '2026-11-21T12:00:00Z',
      package: held,
    }
    let now = declared
    server.on('GET /api/mcp/declarations', ({ path }) => list(path.endsWith('state=approved') ? [now] : []))
    server.on('POST /api/mcp/declarations/abc/package/update', () => {
      now = { ...declared, package: { ...held, version: '1.1.0', offered: '' } }
      return { body: now }
    })
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: '1 update for a declared server' }))
    const dialog = within(screen.getByRole('dialog'))
    expect(dialog.getByText('mcp-server-time 1.0.0')).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Update to 1.1.0' }))
    expect(await dialog.findByText('mcp-server-time 1.1.0')).toBeTruthy()
    expect(server.to('POST /api/mcp/declarations/abc/package/update')[0]?.body).toEqual({ version: '1.1.0' })
    expect(dialog.queryByText(/is available/)).toBeNull()
  })
})

describe('a declaration that waits', () => {
  beforeEach(() => {
    const config = { transport: 'stdio', command: 'python', args: ['-m', 'kb_server'] }
    const row = { hash: 'abc', name: 'kb', config, workflow: 'wf_1', state: 'waiting' }
    server.on('GET /api/mcp/declarations', list([{ ...row, created_at: '2026-11-21T12:00:00Z' }]))
  })

  it('stays open while a phone becomes a wide window', async () => {
    const { resize } = onScreen('phone')
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: '1 declaration waits for approval' }))
    act(() => resize('wide'))
    expect(await screen.findByRole('region', { name: 'Try a tool' })).toBeTruthy()
    expect(within(screen.getByRole('dialog')).getByText(/kb_server/)).toBeTruthy()
  })

  it('is approved exactly as it is shown', async () => {
    server.on('POST /api/mcp/declarations/abc/approve', { body: {} })
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: '1 declaration waits for approval' }))
    const dialog = within(screen.getByRole('dialog'))
    expect(dialog.getByText(/kb_server/)).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Approve' }))
    await waitFor(() => expect(server.to('POST /api/mcp/declarations/abc/approve')).toHaveLength(1))
  })
})

it('says that a link is stale instead of opening another server', async () => {
  open('/registry/long-gone')
  expect(await screen.findByText(/no server “long-gone”/)).toBeTruthy()
  expect(screen.queryByRole('tab', { name: /Connection and tools/ })).toBeNull()
})
