import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { Route, Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import type { Provider } from '@/api/providers'
import type { Role } from '@/api/queries'
import { loadRest } from '@/i18n'
import { FakeServer, refusal, show } from '@/testing/server'
import SettingsPage from '../SettingsPage'
import type { Preset } from './mutations'
import { aPreset, aProvider, aReport } from './providers.testing'

const MODEL = {
  id: 'm-1',
  context: 8192,
  input_price: 0.5,
  cached_price: 0.1,
  output_price: 1.5,
  features: null,
}
const list = (results: readonly unknown[]) => ({ body: { results, next: null } })

let server: FakeServer

function given(providers: readonly Provider[], presets: readonly Preset[] = []) {
  server = new FakeServer()
  server.on('GET /api/providers', list(providers))
  server.on('GET /api/provider-presets', list(presets))
}

function open(path = '/settings/providers', role: Role = 'admin') {
  const { hook, history } = memoryLocation({ path, record: true })
  show(
    <Router hook={hook}>
      <Route path="/settings/:section?/:item?" component={SettingsPage} />
    </Router>,
    role,
  )
  return { user: userEvent.setup(), at: () => history.at(-1) }
}

beforeEach(async () => {
  await loadRest()
  given([aProvider('ours', { name: 'Ours', models: [MODEL, { ...MODEL, id: 'm-2' }] })])
})

describe('the list', () => {
  it('shows each provider with its health and leads to it', async () => {
    const { user, at } = open()
    const row = await screen.findByRole('link', { name: /Ours/ })
    expect(within(row).getByText('Not tested')).toBeTruthy()
    expect(within(row).getByText('2 models')).toBeTruthy()
    await user.click(row)
    expect(at()).toBe('/settings/providers/ours')
    expect(await screen.findByRole('heading', { name: 'Ours' })).toBeTruthy()
  })

  it('teaches when it is empty, and says why not to one who may not', async () => {
    given([])
    open('/settings/providers', 'editor')
    expect(await screen.findByRole('heading', { name: 'No providers yet' })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Add provider' }).dataset.tip).toBe('Only admins can do this.')
  })

  it('says that one is gone', async () => {
    open('/settings/providers/elsewhere')
    expect(await screen.findByText('This provider no longer exists.')).toBeTruthy()
  })

  it('says why it cannot be shown', async () => {
    server.on('GET /api/providers', refusal(500, 'INTERNAL'))
    open()
    expect(await screen.findByText('INTERNAL in words.')).toBeTruthy()
  })
})

describe('adding', () => {
  const ollama = aPreset('ollama', { key: 'none', local: true, base_url: 'http://127.0.0.1:11434/v1' })

  it('looks at this machine only once the dialog is open, and offers what runs there first', async () => {
    given([], [aPreset('openai'), ollama])
    server.on('GET /api/provider-presets', ({ path }) => ({
      body: {
        results: [
          aPreset('openai'),
          { ...ollama, found: path.includes('look'), models: path.includes('look') ? ['a', 'b'] : [] },
        ],
        next: null,
      },
    }))
    server.on('POST /api/providers', { status: 201, body: aProvider('ollama') })
    const { user, at } = open()
    await screen.findByRole('heading', { name: 'No providers yet' })
    expect(server.to('GET /api/provider-presets')).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Add provider' }))
    expect(await screen.findByText('It runs on this machine, with 2 models')).toBeTruthy()
    expect(screen.queryByLabelText('Key')).toBeNull()
    const dialog = screen.getByRole('dialog')
    await user.click(within(dialog).getByRole('button', { name: 'Add provider' }))
    await waitFor(() => expect(at()).toBe('/settings/providers/ollama'))
    expect(server.to('POST /api/providers')[0]?.body).toEqual({
      preset: 'ollama',
      models: [{ id: 'a' }, { id: 'b' }],
      visibility: 'team',
    })
  })

  it('wants a key where the service does, tells where to get one, and tests before it adds', async () => {
    given([], [aPreset('openai')])
    server.on('POST /api/providers/test', { body: aReport('auth') })
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Add provider' }))
    const test = await screen.findByRole('button', { name: 'Test first' })
    expect(test.dataset.tip).toBe('Enter a key first.')
    expect(screen.getByRole('link', { name: 'Where to get a key' }).getAttribute('href')).toBe(
      'https://openai.example/keys',
    )
    await user.type(screen.getByLabelText('Key'), 'sk-1')
    await user.click(test)
    expect(await screen.findAllByText('The model endpoint refused the key.')).toHaveLength(2)
    expect(server.to('POST /api/providers/test')[0]?.body).toMatchObject({
      preset: 'openai',
      api_key: 'sk-1',
    })
    expect(server.to('POST /api/providers')).toEqual([])
  })

  it('says which models come with a preset, and of which day their prices are', async () => {
    const model = { id: 'wise-1', context: 200_000, input_price: 1, output_price: 2, features: null }
    const known = {
      catalogue: [model],
      read: '2026-11-22',
      currency: 'USD',
      prices_page: 'https://wise.example/p',
    }
    given([], [aPreset('wise', known)])
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Add provider' }))
    const list = await screen.findByRole('list', { name: 'Included models' })
    expect(within(list).getByText('wise-1')).toBeTruthy()
    expect(screen.getByText(/prices in USD, as read on 2026-11-22/)).toBeTruthy()
    expect(screen.getByRole('link', { name: 'current prices' }).getAttribute('href')).toBe(
      'https://wise.example/p',
    )
  })

  it('wants the own name in an address that lacks it', async () => {
    given([], [aPreset('azure', { base_url: 'https://YOUR-RESOURCE.example/v1' })])
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Add provider' }))
    const test = await screen.findByRole('button', { name: 'Test first' })
    expect(test.dataset.tip).toBe('Replace YOUR-RESOURCE with the name of your own resource.')
  })

  it('takes any address, and shows at the field what is wrong with it', async () => {
    given([], [aPreset('openai')])
    server.on(
      'POST /api/providers',
      refusal(400, 'VALIDATION_ERROR', { fields: { base_url: ['is no address'] } }),
    )
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Add provider' }))
    await user.click(await screen.findByRole('button', { name: /^Other/ }))
    await user.type(screen.getByLabelText('Base URL'), 'ftp://x')
    const dialog = screen.getByRole('dialog')
    await user.click(within(dialog).getByRole('button', { name: 'Add provider' }))
    expect(await screen.findByText('is no address')).toBeTruthy()
  })
})

describe('a test', () => {
  it('says at which stage it failed and why, and shows the raw answer', async () => {
    server.on('POST /api/providers/prv_ours/test', { body: aReport('auth') })
    const { user } = open('/settings/providers/ours', 'editor')
    await user.selectOptions(await screen.findByLabelText('Model to test with'), 'm-2')
    await user.click(screen.getByRole('button', { name: 'Test' }))
    const stages = await screen.findByRole('list', { name: 'Stages of the test' })
    expect(await within(stages).findByText('The model endpoint refused the key.')).toBeTruthy()
    const words = within(stages)
      .getAllByRole('img')
      .map((icon) => icon.getAttribute('aria-label'))
    expect(words).toEqual([...Array(5).fill('passed'), 'failed', ...Array(4).fill('not reached')])
    await user.click(within(stages).getByRole('button', { name: 'Raw answer' }))
    expect(within(stages).getByText('{"error": "no"}')).toBeTruthy()
    expect(server.to('POST /api/providers/prv_ours/test')[0]?.body).toEqual({ model: 'm-2' })
  })
})

describe('models', () => {
  const PATCH = 'PATCH /api/providers/prv_ours'

  it('are fetched, chosen and kept', async () => {
    const matches = [
      MODEL,
      { id: 'm-3', context: null, input_price: null, cached_price: null, output_price: null, features: null },
    ]
    server.on('GET /api/providers/prv_ours/models', list(matches))
    server.on(PATCH, ({ body }) => ({ body: { ...aProvider('ours'), ...(body as object) } }))
    const { user } = open('/settings/providers/ours')
    await user.click(await screen.findByRole('button', { name: 'Fetch list' }))
    await user.click(await screen.findByRole('button', { name: 'Add 1 model' }))
    await waitFor(() => expect(server.to(PATCH)).toHaveLength(1))
    const sent = server.to(PATCH)[0]?.body as { models: { id: string }[] }
    expect(sent.models.map((model) => model.id)).toEqual(['m-1', 'm-2', 'm-3'])
    expect(await screen.findByRole('button', { name: 'Remove m-3' })).toBeTruthy()
  })

  it('have prices and features that are saved together', async () => {
    server.on(PATCH, ({ body }) => ({ body: { ...aProvider('ours'), ...(body as object) } }))
    const { user } = open('/settings/providers/ours')
    const price = await screen.findByLabelText('In: m-1')
    await user.clear(price)
    await user.type(price, '2.5')
    const can = screen.getByRole('group', { name: 'What m-1 can do' })
    await user.click(within(can).getByRole('button', { name: 'tools' }))
    await user.click(screen.getByRole('button', { name: 'Remove m-2' }))
    await user.type(screen.getByLabelText('Model name'), 'by-hand{Enter}')
    await user.click(screen.getByRole('button', { name: 'Save models' }))
    await waitFor(() => expect(server.to(PATCH)).toHaveLength(1))
    expect(server.to(PATCH)[0]?.body).toEqual({
      models: [
        { ...MODEL, input_price: 2.5, features: ['tools'] },
        {
          id: 'by-hand',
          context: null,
          input_price: null,
          cached_price: null,
          output_price: null,
          features: null,
        },
      ],
    })
  })

  it('cannot be changed by an editor', async () => {
    open('/settings/providers/ours', 'editor')
    expect((await screen.findByRole('button', { name: 'Remove m-1' })).dataset.tip).toBe(
      'Only admins can do this.',
    )
    expect(screen.queryByRole('button', { name: 'Add' })).toBeNull()
    expect(screen.getByLabelText<HTMLInputElement>('In: m-1').readOnly).toBe(true)
  })
})

describe('the configuration', () => {
  it('never shows the key, and says that it does not move to another address', async () => {
    const { user } = open('/settings/providers/ours')
    const key = await screen.findByLabelText<HTMLInputElement>('Key')
    expect(key.value).toBe('')
    expect(key.placeholder).toBe('stored: ····7f2a')
    const url = screen.getByLabelText('Base URL')
    await user.clear(url)
    await user.type(url, 'https://other.example/v1')
    expect(screen.getByText(/The key stays with the old address/)).toBeTruthy()
    await user.type(key, 'sk-2')
    expect(screen.queryByText(/The key stays with the old address/)).toBeNull()
    server.on('PATCH /api/providers/prv_ours', { body: aProvider('ours') })
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(server.to('PATCH /api/providers/prv_ours')).toHaveLength(1))
    expect(server.to('PATCH /api/providers/prv_ours')[0]?.body).toEqual({
      base_url: 'https://other.example/v1',
      api_key: 'sk-2',
    })
  })

  it('is deleted only after a question', async () => {
    server.on('DELETE /api/providers/prv_ours', { status: 200, body: null })
    const { user, at } = open('/settings/providers/ours')
    await user.click(await screen.findByRole('button', { name: 'Delete provider' }))
    const dialog = screen.getByRole('dialog')
    expect(within(dialog).getByText(/Workflows that use it/)).toBeTruthy()
    await user.click(within(dialog).getByRole('button', { name: 'Delete provider' }))
    await waitFor(() => expect(at()).toBe('/settings/providers'))
  })

  it('is switched off with one press', async () => {
    server.on('PATCH /api/providers/prv_ours', { body: aProvider('ours', { enabled: false }) })
    const { user } = open('/settings/providers/ours')
    await user.click(await screen.findByRole('button', { name: 'Turn off' }))
    await waitFor(() =>
      expect(server.to('PATCH /api/providers/prv_ours')[0]?.body).toEqual({ enabled: false }),
    )
  })
})
