/** What a person does on the registry's page, and what is sent and shown then. */
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Program, Server } from '@/api/servers'
import { onScreen } from '@/testing/screen'
import type { FakeServer } from '@/testing/server'
import { refusal } from '@/testing/server'
import { anApi, giveRows, has, list, open, pages } from './page.testing'
import { aReport, aServer, aTool } from './registry.testing'

const time = aServer('time')
const notes = aServer('notes', {
  transport: 'http',
  url: 'https://notes.example/mcp',
  auth_type: 'bearer',
  visibility: 'private',
})
const clock = aTool('time', 'now', { input_schema: { type: 'object', properties: {} } })
const TOOLS = { time: [clock], notes: [aTool('notes', 'write')] }
const LIST = 'GET /api/mcp/servers'
const PATCH = 'PATCH /api/mcp/servers/srv_time'

let api: FakeServer

beforeEach(() => {
  giveRows()
  api = anApi([time, notes], TOOLS)
})

const failing = (code: string): Server =>
  aServer('time', { status: { ...time.status, state: 'error', code, message: `${code} in words.` } })
const row = (name: RegExp) => screen.findByRole('row', { name })
const addButton = async () => (await screen.findAllByRole('button', { name: 'Add server' }))[0] as HTMLElement
const cardOf = async (name: string) => within(await screen.findByRole('region', { name }))
const button = (name: string) => screen.findByRole('button', { name })
const bodies = (route: string) => api.to(route).map(({ body }) => body)

describe('the list', () => {
  it.each([
    ['anywhere on its row', async () => within(await row(/notes/)).getByText('http')],
    ['by its name', () => button('notes')],
  ])('opens a server pressed %s', async (_, place) => {
    const { user, at } = open()
    await user.click(await place())
    expect(at()).toBe('/registry/notes')
    expect(await screen.findByRole('region', { name: 'notes' })).toBeTruthy()
  })

  it('opens a server by the keyboard', async () => {
    const { user, at } = open()
    ;(await button('notes')).focus()
    await user.keyboard('{Enter}')
    expect(at()).toBe('/registry/notes')
  })

  it('opens a server where there is less room', async () => {
    onScreen('narrow')
    const { user, at } = open()
    const [card] = await screen.findAllByRole('button', { name: /notes/ })
    await user.click(card as HTMLElement)
    expect(at()).toBe('/registry/notes')
  })

  it('has cards on a phone, and opens one', async () => {
    onScreen('phone')
    const { user, at } = open()
    await user.click(await screen.findByRole('button', { name: /notes/ }))
    expect(at()).toBe('/registry/notes')
  })

  it('says since when one fails, and of one that answers nothing', async () => {
    const since = '2026-11-18T12:00:00Z'
    has(api, [{ ...notes, status: { ...failing('MCP_UNREACHABLE').status, since } }, time], TOOLS)
    open()
    expect(within(await row(/notes/)).getByText('since 2026-11-18')).toBeTruthy()
    expect(within(await row(/time/)).queryByText(/since/)).toBeNull()
  })

  it('that could not be read is asked for again', async () => {
    api.on(LIST, refusal(500, 'INTERNAL'))
    const { user } = open()
    const again = await button('Try again')
    has(api, [time], TOOLS)
    await user.click(again)
    expect(await row(/time/)).toBeTruthy()
  })

  it('that is empty begins with the first server', async () => {
    api = anApi([])
    const { user } = open()
    const empty = (await screen.findByRole('heading', { name: 'No servers yet' })).parentElement
    await user.click(within(empty as HTMLElement).getByRole('button', { name: 'Add server' }))
    expect(screen.getByRole('dialog', { name: 'Add server' })).toBeTruthy()
  })

  it.each([
    ['Resize Try a tool', '{ArrowUp}', '410'],
    ['Resize Server', '{ArrowLeft}', '610'],
  ])('gives room by a bar: %s', async (name, key, size) => {
    const { user } = open('/registry/time')
    ;(await screen.findByRole('separator', { name })).focus()
    await user.keyboard(key)
    expect(screen.getByRole('separator', { name }).getAttribute('aria-valuenow')).toBe(size)
  })
})

describe('where there is less room', () => {
  const trial = () => screen.queryByRole('region', { name: 'Try a tool' })

  it('the open server stands below the list, and is closed by its cross', async () => {
    onScreen('narrow')
    const { user, at } = open('/registry/time')
    await user.click((await cardOf('time')).getByRole('button', { name: 'Close' }))
    expect(at()).toBe('/registry')
  })

  it('a tool is tried in its place, until that is closed', async () => {
    onScreen('narrow')
    const { user } = open('/registry/time')
    await user.click(await button('Try a tool'))
    await waitFor(() => expect(trial()).not.toBeNull())
    await user.click(within(trial() as HTMLElement).getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(trial()).toBeNull())
  })
})

describe('adding a server', () => {
  it.each<[string, readonly string[]]>([
    ['a registry', ['Find']],
    ['ModelScope', ['Find', 'My ModelScope servers']],
    ['an OpenAPI document', ['OpenAPI']],
  ])('of %s opens it too', async (_, ways) => {
    const created = aServer('made')
    const listed = { name: 'made', title: 'made', description: '', version: '1', publisher: 'org.example' }
    const more = { repository: '', website: '', deprecated: false, updated_at: null, ways: [], config: '{}' }
    const match = { name: 'made', transport: 'http', target: '', secrets: [], missing: [], questions: [] }
    const base = { url: 'https://api.example/v2', foreign: false }
    const read = { title: 'made', version: '1', dialect: '', bases: [base], schemes: [], operations: [] }
    const hosted = { id: '@x/made', name: 'made', description: '', transport: 'http', expires_at: null }
    const added = () => has(api, [time, notes, created], TOOLS)
    api
      .on('POST /api/mcp/find', list([{ ...listed, ...more }]))
      .on('POST /api/mcp/openapi', { body: { ...read, total: 1, left_out: [] } })
      .on('POST /api/mcp/servers', () => {
        added()
        return { status: 201, body: created }
      })
      .on('POST /api/mcp/servers/import', ({ body }) => {
        const preview = (body as { preview?: boolean }).preview === true
        if (!preview) added()
        const found = [{ ...match, denied: [], allowed: null, notes: [], alternative: false }]
        return { body: { found, created: preview ? [] : [created], skipped: [], dialect: '' } }
      })
      .on('POST /api/mcp/modelscope/deployed', ({ body }) => {
        const chosen = 'only' in (body as object)
        if (chosen) added()
        return { body: { found: [{ ...hosted, server: null }], created: chosen ? [created] : [] } }
      })
    const { user, at } = open()
    await user.click(await addButton())
    const dialog = within(screen.getByRole('dialog'))
    await user.click(dialog.getByRole('tab', { name: ways[0] as string }))
    if (ways[1]) {
      await user.click(dialog.getByRole('radio', { name: ways[1] }))
      await user.type(await dialog.findByLabelText(/access token/, { selector: 'input' }), 'x{Enter}')
      await user.click(await dialog.findByRole('checkbox', { name: /made/ }))
    } else if (ways[0] === 'OpenAPI') {
      await user.type(await dialog.findByRole('textbox', { name: /Document URL/ }), 'https://api.example/a')
      await user.click(dialog.getByRole('button', { name: 'Read document' }))
    } else await user.type(dialog.getByRole('searchbox'), 'made')
    await user.click(await dialog.findByRole('button', { name: /^Add (1 )?server$/ }))
    await waitFor(() => expect(at()).toBe('/registry/made'))
  })

  it('is left by its cross', async () => {
    const { user } = open()
    await user.click(await addButton())
    await user.click(screen.getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('opens it, in a list that was read anew', async () => {
    const created = aServer('made')
    api.on('POST /api/mcp/servers', () => {
      has(api, [time, notes, created], TOOLS)
      return { status: 201, body: created }
    })
    const { user, at } = open()
    await user.click(await addButton())
    await user.click(screen.getByRole('tab', { name: 'URL' }))
    await user.type(screen.getByRole('textbox', { name: 'URL' }), 'h')
    const dialog = within(screen.getByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Add server' }))
    expect(await row(/made/)).toBeTruthy()
    await waitFor(() => expect(at()).toBe('/registry/made'))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('from a pasted configuration reads the list anew too', async () => {
    const created = aServer('made')
    const match = {
      name: 'made',
      transport: 'http',
      target: 'https://h',
      secrets: [],
      missing: [],
      questions: [],
      denied: [],
      allowed: null,
      notes: [],
      alternative: false,
    }
    api.on('POST /api/mcp/servers/import', ({ body }) => {
      const preview = (body as { preview?: boolean }).preview === true
      if (!preview) has(api, [time, notes, created], TOOLS)
      return { body: { found: [match], created: preview ? [] : [created], skipped: [], dialect: '' } }
    })
    const { user } = open()
    await user.click(await addButton())
    await user.click(screen.getByRole('tab', { name: 'Paste' }))
    await user.type(screen.getByRole('textbox'), 'x')
    await user.click(await button('Add 1 server'))
    expect(await row(/made/)).toBeTruthy()
  })
})

describe('a server', () => {
  it('that refuses a sign-in leads from its tools to where one signs in', async () => {
    has(api, [{ ...failing('MCP_AUTH_FAILED'), transport: 'http', auth_type: 'oauth' }], TOOLS)
    const { user, at } = open('/registry/time/tools')
    await user.click(await button('Replace the key'))
    expect(at()).toBe('/registry/time/overview')
  })

  it('asks again for its calls', async () => {
    const route = 'GET /api/mcp/servers/srv_time/calls'
    api.on(route, refusal(500, 'INTERNAL'))
    const { user } = open('/registry/time/overview')
    const again = await button('Try again')
    const before = api.to(route).length
    await user.click(again)
    await waitFor(() => expect(api.to(route).length).toBeGreaterThan(before))
  })

  it('asks again for the workflows that use it', async () => {
    const route = 'GET /api/mcp/servers/srv_time/workflows'
    api.on(route, refusal(500, 'INTERNAL'))
    const { user } = open('/registry/time/used')
    const again = await button('Try again')
    api.on(route, list([{ id: 'wf_1', name: 'Digest', published_version: null }]))
    await user.click(again)
    expect(await screen.findByRole('link', { name: /Digest/ })).toBeTruthy()
  })

  it('is disabled, and its row says so', async () => {
    const disabled = { ...time, enabled: false }
    api.on(PATCH, () => {
      has(api, [disabled, notes], TOOLS)
      return { body: disabled }
    })
    const { user } = open('/registry/time')
    await user.click(await button('More'))
    await user.click(screen.getByRole('menuitem', { name: 'Disable' }))
    expect(await within(await row(/time/)).findByText('Disabled')).toBeTruthy()
    expect(bodies(PATCH)).toEqual([{ enabled: false }])
  })

  it('is deleted after a question, and is gone from the list', async () => {
    api.on('DELETE /api/mcp/servers/srv_time', () => {
      has(api, [notes], TOOLS)
      return {}
    })
    const { user, at } = open('/registry/time')
    await user.click(await button('More'))
    await user.click(screen.getByRole('menuitem', { name: 'Delete server' }))
    expect(api.to('DELETE /api/mcp/servers/srv_time')).toHaveLength(0)
    const dialog = within(screen.getByRole('dialog', { name: 'Delete time?' }))
    await user.click(dialog.getByRole('button', { name: 'Delete server' }))
    await waitFor(() => expect(screen.queryByRole('row', { name: /time/ })).toBeNull())
    await waitFor(() => expect(at()).toBe('/registry'))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('names the workflows and collections that the deletion hits', async () => {
    api
      .on('GET /api/mcp/servers/srv_time/workflows', {
        body: {
          results: [{ id: 'wf_1', slug: 'clock', name: 'Clock', published_version: null }],
          next: null,
        },
      })
      .on('GET /api/collections', {
        body: { results: [{ id: 'col_1', slug: 'desk', name: 'Desk' }], next: null },
      })
    const { user } = open('/registry/time')
    await user.click(await button('More'))
    await user.click(screen.getByRole('menuitem', { name: 'Delete server' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Delete time?' }))
    expect(await dialog.findByText('Clock')).toBeTruthy()
    expect(await dialog.findByText('Desk')).toBeTruthy()
    expect(dialog.getByText(/^1 collection loses the tools of this server/)).toBeTruthy()
  })

  it('stays where the question is answered with no', async () => {
    const { user, at } = open('/registry/time')
    await user.click(await button('More'))
    await user.click(screen.getByRole('menuitem', { name: 'Delete server' }))
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(at()).toBe('/registry/time')
  })

  it('shows what it declares, also what hides in it', async () => {
    const declared = {
      era: 'handshake' as const,
      capabilities: ['resources', 'resources.subscribe', 'tools'],
      extensions: ['org.example/odd'],
      instructions: 'Call now\u200b first.',
    }
    has(api, [aServer('time', { status: { ...time.status, declared } }), notes], TOOLS)
    const { user } = open('/registry/time')
    await user.click(await screen.findByRole('tab', { name: 'Overview' }))
    expect(await screen.findByText('resources, resources.subscribe, tools')).toBeTruthy()
    expect(screen.getByText('org.example/odd')).toBeTruthy()
    expect(screen.getByText('Call now⟨U+200B⟩ first.')).toBeTruthy()
    expect(screen.getByText('2026-07-28 · with a handshake')).toBeTruthy()
  })

  it('shows its sides by tabs', async () => {
    const { user, at } = open('/registry/time')
    await user.click(await screen.findByRole('tab', { name: 'Settings' }))
    expect(at()).toBe('/registry/time/settings')
    expect(await screen.findByRole('textbox', { name: 'Command' })).toBeTruthy()
  })

  it('says that its settings are saved, and shows them as they are kept', async () => {
    const kept = { ...time, description: 'Kept.', updated_at: '2026-11-22T12:00:00Z' }
    api.on(PATCH, () => {
      has(api, [kept, notes], TOOLS)
      return { body: kept }
    })
    const { user } = open('/registry/time/settings')
    await user.type(await screen.findByRole('textbox', { name: 'Description' }), 'T')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Description' }).value).toBe('Kept.'),
    )
    expect(await screen.findByText('Saved')).toBeTruthy()
  })

  it('on a phone has its sides in one choice', async () => {
    onScreen('phone')
    const { user, at } = open('/registry/time')
    const sides = await screen.findByRole('combobox', { name: 'time' })
    expect(within(sides).getAllByRole('option')).toHaveLength(6)
    await user.selectOptions(sides, 'Settings')
    expect(at()).toBe('/registry/time/settings')
    expect(await screen.findByRole('textbox', { name: 'Description' })).toBeTruthy()
    expect(screen.queryByRole('tab')).toBeNull()
  })

  it('on a phone is left for the list', async () => {
    onScreen('phone')
    const { user, at } = open('/registry/time')
    await user.click(await button('Back'))
    expect(at()).toBe('/registry')
    expect(await screen.findByRole('button', { name: /notes/ })).toBeTruthy()
  })
})

describe('a connection test', () => {
  const TEST = 'POST /api/mcp/servers/srv_time/test'

  it('is started from any side, and seen beside the tools', async () => {
    api.on(TEST, { body: { report: aReport(null) } })
    const { user, at } = open('/registry/time/settings')
    await user.click(await button('Test again'))
    expect(at()).toBe('/registry/time')
    expect(await screen.findByRole('list', { name: 'Stages of the connection test' })).toBeTruthy()
    expect(api.to(TEST)).toHaveLength(1)
  })

  it('leaves the list with what it learnt', async () => {
    has(api, [failing('MCP_TIMEOUT'), notes], TOOLS)
    api.on(TEST, () => {
      has(api, [time, notes], TOOLS)
      return { body: { report: aReport(null) } }
    })
    const { user } = open('/registry/time')
    expect(await within(await row(/time/)).findByText('Timed out')).toBeTruthy()
    await user.click((await screen.findAllByRole('button', { name: 'Test again' }))[0] as HTMLElement)
    expect(await within(await row(/time/)).findByText('Connected')).toBeTruthy()
  })

  it('is repeated from the failure that may pass', async () => {
    has(api, [failing('MCP_TIMEOUT'), notes], TOOLS)
    api.on(TEST, { body: { report: aReport(null) } })
    const { user } = open('/registry/time')
    const failure = within(await screen.findByRole('alert'))
    await user.click(failure.getByRole('button', { name: 'Test again' }))
    await waitFor(() => expect(api.to(TEST)).toHaveLength(1))
  })

  it('that failed for its settings leads to them', async () => {
    has(api, [failing('MCP_PROTOCOL_ERROR'), notes], TOOLS)
    const { user, at } = open('/registry/time')
    await user.click(await button('Change settings'))
    expect(at()).toBe('/registry/time/settings')
  })

  it('that failed is explained in the docs', async () => {
    const opened = vi.spyOn(window, 'open').mockReturnValue(null)
    has(api, [failing('MCP_TIMEOUT'), notes], TOOLS)
    const { user } = open('/registry/time')
    await user.click(await button('How to read this'))
    expect(opened.mock.calls).toEqual([['/docs/en/servers', '_blank', 'noopener']])
  })
})

describe("a member's own credentials", () => {
  const slot = { kind: 'api_key', name: '', required: true, hint: '····7f2a' }
  const own = (state: 'set' | 'missing'): Server => ({
    ...notes,
    credentials: 'user',
    own_credentials: {
      state,
      slots: [{ ...slot, set: state === 'set' }],
      updated_at: null,
    } as Server['own_credentials'],
  })
  const AT = '/api/mcp/servers/srv_notes/credentials'

  it('are missed beside the tools, one press away from their fields', async () => {
    has(api, [own('missing')], TOOLS)
    const { user, at } = open('/registry/notes', 'editor')
    await user.click(await button('Enter yours'))
    expect(at()).toBe('/registry/notes/settings')
  })

  it('are entered', async () => {
    has(api, [own('missing')], TOOLS)
    api.on(`PATCH ${AT}`, () => {
      has(api, [own('set')], TOOLS)
      return { body: own('set') }
    })
    const { user } = open('/registry/notes/settings', 'editor')
    await user.type(await screen.findByLabelText('Token'), 'k')
    await user.click(screen.getByRole('button', { name: 'Save yours' }))
    expect(await screen.findByText('Set')).toBeTruthy()
    expect(bodies(`PATCH ${AT}`)).toEqual([{ api_key: 'k' }])
  })

  it('are deleted after a question', async () => {
    has(api, [own('set')], TOOLS)
    api.on(`DELETE ${AT}`, () => {
      has(api, [own('missing')], TOOLS)
      return { body: own('missing') }
    })
    const { user } = open('/registry/notes/settings', 'editor')
    await user.click(await button('Delete yours'))
    const dialog = within(screen.getByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Delete yours' }))
    expect(await screen.findByText('Missing')).toBeTruthy()
    expect(api.to(`DELETE ${AT}`)).toHaveLength(1)
  })
})

describe('tools', () => {
  const AT = '/api/mcp/servers/srv_time/tools/now'

  it('are listed anew by the server when a person asks', async () => {
    const tools = pages([clock])
    api.on('GET /api/mcp/servers/srv_time/tools', (question) => {
      const anew = pages([clock, aTool('time', 'later')])
      if (question.path.includes('refresh')) api.on('GET /api/mcp/servers/srv_time/tools', anew)
      return tools(question)
    })
    const { user } = open('/registry/time')
    await user.click(await button('Refresh tools'))
    expect(await (await cardOf('Tools')).findByText('later')).toBeTruthy()
  })

  it('come by the page as the end of those that are there comes near', async () => {
    const many = Array.from({ length: 6 }, (_, n) => aTool('time', `tool_${n}`))
    api.on('GET /api/mcp/servers/srv_time/tools', pages(many, {}, 4))
    open('/registry/time')
    expect(await (await cardOf('Tools')).findByText('tool_5')).toBeTruthy()
  })

  it('are opened and closed', async () => {
    const { user } = open('/registry/time')
    const name = await (await cardOf('Tools')).findByRole('button', { name: 'now' })
    await user.click(name)
    expect(screen.getByText('Input schema')).toBeTruthy()
    await user.click(name)
    expect(screen.queryByText('Input schema')).toBeNull()
  })

  it.each([
    ['Risk', 'HIGH', { risk: 'HIGH' }],
    ['Effect', 'write', { effect: 'write' }],
    ['Approvers', 'two_people', { approvers: 'two_people' }],
  ])('have their %s decided', async (field, choice, body) => {
    api.on(`PATCH ${AT}`, { body: clock })
    const { user } = open('/registry/time')
    await user.click(await (await cardOf('Tools')).findByRole('button', { name: 'now' }))
    await user.selectOptions(screen.getByRole('combobox', { name: field }), choice)
    await waitFor(() => expect(bodies(`PATCH ${AT}`)).toEqual([body]))
  })
})

describe('trying a tool', () => {
  const CALL = 'POST /api/mcp/tools/call'
  const answer = { content: [], structured: null, text: '', is_error: false, ms: 4, messages: [] }
  const trying = () => cardOf('Try a tool')

  it('leaves the list with what the call taught about its server', async () => {
    api.on(CALL, () => {
      has(api, [failing('MCP_TIMEOUT'), notes], TOOLS)
      return { body: answer }
    })
    const { user } = open('/registry/time')
    await user.click(await (await trying()).findByRole('button', { name: 'Call' }))
    expect(await within(await row(/time/)).findByText('Timed out')).toBeTruthy()
  })

  it('that asks first is left without a call', async () => {
    api.on(CALL, refusal(409, 'APPROVAL_REQUIRED'))
    const { user } = open('/registry/time')
    const panel = await trying()
    await user.click(await panel.findByRole('button', { name: 'Call' }))
    await user.click(await panel.findByRole('button', { name: 'Cancel' }))
    expect(panel.queryByRole('button', { name: 'Call it' })).toBeNull()
    expect(api.to(CALL)).toHaveLength(1)
  })

  it('takes another server, with its first tool', async () => {
    const { user } = open('/registry/time')
    const panel = await trying()
    await user.selectOptions(await panel.findByRole('combobox', { name: 'Server to try' }), 'notes')
    expect(await panel.findByRole('option', { name: 'notes/write', selected: true })).toBeTruthy()
  })

  it('takes another tool of it', async () => {
    has(api, [time], { time: [clock, aTool('time', 'later')] })
    const { user } = open('/registry/time')
    const panel = await trying()
    await panel.findByRole('option', { name: 'time/later' })
    await user.selectOptions(panel.getByRole('combobox', { name: 'Tool to try' }), 'later')
    expect(await panel.findByText('later does things.')).toBeTruthy()
  })

  it('finds one of many by a filter', async () => {
    has(api, [time], { time: Array.from({ length: 60 }, (_, n) => aTool('time', `tool_${n}`)) })
    const { user } = open('/registry/time')
    const panel = await trying()
    await user.type(await panel.findByRole('searchbox', { name: 'Filter the tools to try' }), '58')
    expect(await panel.findByRole('option', { name: 'time/tool_58' })).toBeTruthy()
  })

  it('on a phone is a side of the server, and takes a tool there', async () => {
    onScreen('phone')
    has(api, [time], { time: [clock, aTool('time', 'later')] })
    const { user, at } = open('/registry/time')
    await user.click(await screen.findByRole('button', { name: 'now' }))
    await user.click(screen.getByRole('button', { name: 'Try' }))
    expect(at()).toBe('/registry/time/try')
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Tool to try' }), 'later')
    expect(await screen.findByText('later does things.')).toBeTruthy()
  })
})

describe('the package of a server', () => {
  const held = {
    managed: true,
    name: 'mcp-server-time',
    version: '1.0.0',
    integrity: '',
    pinned_at: '2026-11-21T12:00:00Z',
    looked_at: null,
    offered: '',
  }
  const withPackage = (offered: string, version = '1.0.0') =>
    aServer('time', { package: { ...held, offered, version } })
  const AT = 'POST /api/mcp/servers/srv_time/package'

  it('is looked up, and a newer version offered', async () => {
    has(api, [withPackage('')], TOOLS)
    api.on(`${AT}/look`, () => {
      has(api, [withPackage('1.1.0')], TOOLS)
      return { body: withPackage('1.1.0') }
    })
    const { user } = open('/registry/time/overview')
    await user.click(await button('Check for updates'))
    expect(await button('Update to 1.1.0')).toBeTruthy()
  })

  it('is the new one once it is accepted', async () => {
    has(api, [withPackage('1.1.0')], TOOLS)
    api.on(`${AT}/update`, () => {
      has(api, [withPackage('', '1.1.0')], TOOLS)
      return { body: withPackage('', '1.1.0') }
    })
    const { user } = open('/registry/time/overview')
    await user.click(await button('Update to 1.1.0'))
    expect(await screen.findByText('mcp-server-time 1.1.0')).toBeTruthy()
  })
})

describe('a declared server', () => {
  const declaration = {
    hash: 'abc',
    name: 'kb',
    config: { transport: 'http', url: 'https://kb.example' },
    workflow: 'wf_1',
    state: 'waiting',
    created_at: '2026-11-21T12:00:00Z',
    package: null,
  }
  const waiting = (rows: readonly unknown[]) =>
    api.on('GET /api/mcp/declarations', ({ path }) => list(path.endsWith('waiting') ? rows : []))
  const approved = (offered: string) => {
    const held = { managed: true, name: 'kb-mcp', version: '1.0.0', integrity: '', looked_at: null, offered }
    const row = { ...declaration, state: 'approved', package: { ...held, pinned_at: '2026-11-21T12:00:00Z' } }
    api.on('GET /api/mcp/declarations', ({ path }) => list(path.endsWith('approved') ? [row] : []))
  }

  it('is rejected, and waits no more', async () => {
    waiting([declaration])
    api.on('POST /api/mcp/declarations/abc/reject', () => {
      waiting([])
      return {}
    })
    const { user } = open()
    await user.click(await button('1 declaration waits for approval'))
    await user.click(screen.getByRole('button', { name: 'Reject' }))
    expect(await screen.findByText('Nothing is waiting.')).toBeTruthy()
    expect(api.to('POST /api/mcp/declarations/abc/reject')).toHaveLength(1)
  })

  it('is left undecided', async () => {
    waiting([declaration])
    const { user } = open()
    await user.click(await button('1 declaration waits for approval'))
    await user.click(screen.getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('has its package looked up, and a newer version offered', async () => {
    approved('')
    api.on('POST /api/mcp/declarations/abc/package/look', () => {
      approved('1.1.0')
      return { body: declaration }
    })
    const { user } = open()
    await user.click(await button('Servers and agents declared in workflows'))
    await user.click(screen.getByRole('button', { name: 'Check for updates' }))
    expect(await button('Update to 1.1.0')).toBeTruthy()
  })
})

describe('the programs of all teams', () => {
  const program = {
    id: 'apv_1',
    hash: '5f0c',
    name: 'Index',
    team: { id: 'team_2', name: 'Research' },
    command: 'uvx',
    args: [],
    env: [],
    cwd: '',
    box: {},
    package: '',
    concerns: [],
    asked_for: 'test',
    state: 'waiting',
    basis: null,
    requested_by: 'adam@example.org',
    decided_by: null,
    decided_at: null,
    created_at: '2026-11-21T12:00:00Z',
  } as Program
  const waits = aServer('time', {
    approval: {
      state: 'waiting',
      hash: '5f0c',
      basis: null,
      decided_by: null,
      decided_at: null,
    } as Server['approval'],
  })

  it.each([
    ['the list', '1 program waits for you'],
    ['a server whose program waits', 'Review'],
  ])('are opened from %s, and closed', async (_, name) => {
    has(api, [waits], TOOLS)
    const counts = { waiting: 1, approved: 0, rejected: 0, decided: 0, teams: 1 }
    api.on('GET /api/operator/programs', { body: { results: [program], next: null, counts } })
    const { user } = open('/registry/time', 'admin', { operator: true })
    await user.click(await button(name))
    const dialog = within(screen.getByRole('dialog', { name: 'Programs' }))
    expect(await dialog.findByText('Index')).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

it('says what servers are off for agents when switching one off was refused', async () => {
  const AT = '/api/me/servers-off'
  api.on(`GET ${AT}`, { body: { servers: [] } })
  api.on(`PUT ${AT}`, () => {
    api.on(`GET ${AT}`, { body: { servers: [{ id: 'srv_time', slug: 'time', name: 'time' }] } })
    return refusal(409, 'CONFLICT')
  })
  const { user } = open('/registry/time/overview')
  const use = await screen.findByRole<HTMLInputElement>('switch', { name: /Agents I start may use it/ })
  expect(use.checked).toBe(true)
  await user.click(use)
  expect(await screen.findByText('CONFLICT in words.')).toBeTruthy()
  await waitFor(() => expect(use.checked).toBe(false))
})
