/** The ways to add a server: what is sent, what is shown of a test, and how the dialog is left. */
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Preset } from '@/api/servers'
import { list } from '@/registry/page.testing'
import { aReport, aServer } from '@/registry/registry.testing'
import { FakeServer, show } from '@/testing/server'
import { Toasts } from '@/ui'
import { AddServer } from './AddServer'

const SERVERS = 'POST /api/mcp/servers'
const IMPORT = 'POST /api/mcp/servers/import'
const words = (text: string) => ({ en: text, zh: text })
const asks = (name: string, place: 'url' | 'args') =>
  ({ name, in: place, label: words(name), required: true }) as Preset['inputs'][number]

function aPreset(id: string, more: Partial<Preset> = {}): Preset {
  return {
    id,
    kind: 'custom',
    name: words(id),
    description: words(`About ${id}.`),
    transport: 'http',
    url: `https://${id}.example/mcp`,
    secrets: [],
    inputs: [],
    tools: [],
    available: true,
    ...more,
  }
}
const MAPS = aPreset('maps', { secrets: [asks('address', 'url')] })
const FILES = aPreset('files', { transport: 'stdio', command: 'npx', inputs: [asks('folder', 'args')] })

/** One server as it stands in a pasted configuration. */
const pasted = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  transport: 'http',
  target: 'https://h',
  secrets: [],
  missing: [],
  questions: [],
  denied: [],
  allowed: null,
  notes: [],
  alternative: false,
  ...more,
})

let server: FakeServer
let added: string[]
let closed: number
let user: UserEvent

beforeEach(() => {
  server = new FakeServer()
    .on('GET /api/mcp/presets', list([aPreset('time'), MAPS, FILES]))
    .on(SERVERS, { status: 201, body: aServer('made') })
  added = []
  closed = 0
  user = userEvent.setup()
  show(
    <>
      <AddServer
        onClose={() => closed++}
        onAdded={(servers) => added.push(...servers.map(({ slug }) => slug))}
      />
      <Toasts />
    </>,
    'admin',
  )
})

const field = (name: string) => screen.getByLabelText(name)
/** Of the name of a way, which names its panel too. */
const textbox = (name: string) => screen.getByRole('textbox', { name })
const way = (name: string) => user.click(screen.getByRole('tab', { name }))
const addButton = () => within(screen.getByRole('dialog')).getByRole('button', { name: 'Add server' })
const add = () => user.click(addButton())
const sent = () => server.to(SERVERS)[0]?.body
const done = () => waitFor(() => expect({ added, closed }).toEqual({ added: ['made'], closed: 1 }))

it('is left by its cross', async () => {
  await user.click(screen.getByRole('button', { name: 'Close' }))
  expect({ added, closed }).toEqual({ added: [], closed: 1 })
})

describe('by a preset', () => {
  it('sends its name and what it asked for', async () => {
    await user.click(await screen.findByRole('button', { name: /^maps/ }))
    await user.type(field('address'), 'https://m')
    await add()
    await done()
    expect(sent()).toMatchObject({
      preset: 'maps',
      values: { address: 'https://m' },
      trust_annotations: true,
    })
  })

  it('of a program sends its inputs, once one knows the program', async () => {
    await user.click(await screen.findByRole('button', { name: /^files/ }))
    await user.type(field('folder'), '/srv')
    fireEvent.click(addButton())
    expect(sent()).toBeUndefined()
    await user.click(screen.getByRole('checkbox', { name: /^I know this program/ }))
    await add()
    await done()
    expect(sent()).toMatchObject({ preset: 'files', values: { folder: '/srv' } })
  })

  it('is found by a word', async () => {
    await screen.findByRole('button', { name: /^time/ })
    await user.type(screen.getByRole('searchbox', { name: 'Find a preset' }), 'map')
    expect(screen.getByRole('button', { name: /^maps/ })).toBeTruthy()
    expect(screen.queryByRole('button', { name: /^time/ })).toBeNull()
  })
})

describe('by its URL', () => {
  beforeEach(async () => {
    await way('URL')
    await user.type(textbox('URL'), 'https://h.example')
  })

  it('sends the address, and closes', async () => {
    await add()
    await done()
    expect(sent()).toMatchObject({ url: 'https://h.example', transport: 'http' })
  })

  it('sends the name in workflows that was chosen', async () => {
    await user.type(field('Slug'), 'hh')
    await add()
    await done()
    expect(sent()).toMatchObject({ slug: 'hh' })
  })

  it('sends that the address is a secret, and when it ends', async () => {
    await user.click(screen.getByRole('checkbox', { name: /^The URL itself/ }))
    await user.type(field('Expires'), '2030-05-06')
    await add()
    await done()
    const expires_at = new Date('2030-05-06T23:59:59').toISOString()
    expect(sent()).toMatchObject({ url_secret: true, expires_at })
  })

  it('is tested first, and nothing is added', async () => {
    server.on('POST /api/mcp/servers/test', { body: { report: aReport(null) } })
    await user.click(screen.getByRole('button', { name: 'Test first' }))
    expect((await screen.findAllByText('The connection works')).length).toBeGreaterThan(0)
    expect(server.to('POST /api/mcp/servers/test')[0]?.body).toMatchObject({ url: 'https://h.example' })
    expect(sent()).toBeUndefined()
  })
})

it('by a command sends where it starts', async () => {
  await way('Command')
  await user.type(textbox('Command'), 'uvx')
  await user.type(field('Working directory'), '/w')
  await user.click(screen.getByRole('checkbox', { name: /^I know this program/ }))
  await add()
  await done()
  expect(sent()).toMatchObject({ transport: 'stdio', command: 'uvx', cwd: '/w' })
})

it('by a whole command line sends the program and its arguments', async () => {
  await way('Command')
  await user.type(textbox('Command'), 'uvx mcp-server-time --utc')
  await user.click(screen.getByRole('checkbox', { name: /^I know this program/ }))
  await add()
  await done()
  expect(sent()).toMatchObject({ command: 'uvx', args: ['mcp-server-time', '--utc'] })
})

describe('by what is pasted', () => {
  const finds = (matches: readonly unknown[], skipped: readonly unknown[] = []) =>
    server.on(IMPORT, ({ body }) => {
      const created = (body as { preview?: boolean }).preview ? [] : [aServer('made')]
      return { body: { found: matches, created, skipped, dialect: '' } }
    })
  const paste = async () => {
    await way('Paste')
    await user.type(field('Configuration, link or command'), 'x')
  }

  it('says what can be pasted, and counts no servers before that', async () => {
    finds([pasted('one')])
    await way('Paste')
    expect(screen.getByRole('heading', { name: 'What can be pasted' })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Add servers' })).toBeTruthy()
    await user.type(field('Configuration, link or command'), 'x')
    expect(await screen.findByRole('heading', { name: '1 server found' })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Add 1 server' })).toBeTruthy()
  })

  it('adds what was chosen, and says what was left out', async () => {
    finds([pasted('one'), pasted('two')], [{ name: 'old', reason: 'There is one already.' }])
    await paste()
    await user.click(await screen.findByRole('checkbox', { name: /^two/ }))
    await user.click(screen.getByRole('button', { name: 'Add 1 server' }))
    await done()
    expect(server.to(IMPORT).at(-1)?.body).toEqual({ config: 'x', only: ['one'] })
    const toast = within(
      (await screen.findByText('old', { selector: '.toast p' })).closest('.toast') as HTMLElement,
    )
    expect(toast.getByText('There is one already.')).toBeTruthy()
    await user.click(toast.getByRole('button', { name: 'Dismiss' }))
  })

  it('sends the answers to what it asks', async () => {
    const question = {
      id: 'key',
      label: 'KEY',
      where: 'args',
      token: '',
      description: '',
      secret: false,
      choices: [],
      multiple: false,
      required: true,
      default: '',
    }
    finds([pasted('one', { questions: [question] })])
    await paste()
    await user.type(await screen.findByRole('textbox', { name: 'KEY' }), 'k')
    await user.click(screen.getByRole('button', { name: 'Add 1 server' }))
    await done()
    expect(server.to(IMPORT).at(-1)?.body).toMatchObject({ values: { one: { key: 'k' } } })
  })

  it('is left by Cancel', async () => {
    await way('Paste')
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect({ added, closed }).toEqual({ added: [], closed: 1 })
  })
})
