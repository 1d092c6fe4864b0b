import { screen, waitFor, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
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

function serve(providers: readonly Provider[], presets: readonly Preset[] = []) {
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
  serve([aProvider('ours', { name: 'Ours', models: [MODEL, { ...MODEL, id: 'm-2' }] })])
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

  it('is searched by the server where it is longer than a page', async () => {
    const many = Array.from({ length: 120 }, (_, n) => aProvider(`p${n}`, { name: `Place ${n}.` }))
    server.on('GET /api/providers', ({ path }) => {
      const query = new URLSearchParams(path.split('?')[1])
      const matches = many.filter(({ name }) => name.includes(query.get('q') ?? ''))
      const from = Number(query.get('cursor') ?? 0)
      const to = from + Number(query.get('limit'))
      const next = to < matches.length ? String(to) : null
      return { body: { results: query.get('sort') === 'name' ? matches.slice(from, to) : [], next } }
    })
    const { user } = open()
    await screen.findByText('Place 0.')
    await user.click(screen.getByRole('button', { name: 'Load more' }))
    expect(await screen.findByText('Place 99.')).toBeTruthy()
    await user.type(screen.getByRole('searchbox', { name: 'Search' }), '119.')
    await waitFor(() => expect(screen.queryByText('Place 0.')).toBeNull())
    expect(screen.getByText('Place 119.')).toBeTruthy()
    await user.type(screen.getByRole('searchbox', { name: 'Search' }), 'x')
    expect(await screen.findByText('Nothing matches.')).toBeTruthy()
  })

  it('teaches when it is empty, and says why not to one who may not', async () => {
    serve([])
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
    expect(await screen.findByText('This could not be loaded.')).toBeTruthy()
    expect(screen.getByText('INTERNAL in words.')).toBeTruthy()
  })

  it('is asked for again once it could not be read', async () => {
    server.on('GET /api/providers', refusal(500, 'INTERNAL'))
    open()
    const again = await screen.findByRole('button', { name: 'Try again' })
    const before = server.to('GET /api/providers').length
    await userEvent.click(again)
    await waitFor(() => expect(server.to('GET /api/providers').length).toBeGreaterThan(before))
  })
})

describe('adding', () => {
  const ollama = aPreset('ollama', { key: 'none', local: true, base_url: 'http://127.0.0.1:11434/v1' })

  it('looks at this machine only once the dialog is open, and offers what runs there first', async () => {
    serve([], [aPreset('openai'), ollama])
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
    serve([], [aPreset('openai')])
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
    serve([], [aPreset('wise', known)])
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
    serve([], [aPreset('azure', { base_url: 'https://YOUR-RESOURCE.example/v1' })])
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Add provider' }))
    const test = await screen.findByRole('button', { name: 'Test first' })
    expect(test.dataset.tip).toBe('Replace YOUR-RESOURCE with the name of your own resource.')
  })

  it('takes any address, and shows at the field what is wrong with it', async () => {
    serve([], [aPreset('openai')])
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

describe('adding, step by step', () => {
  const presets = [aPreset('openai', { key: 'optional' }), aPreset('wise', { key: 'optional' })]
  const has = (...providers: readonly Provider[]) => server.on('GET /api/providers', list(providers))
  const begin = async (path?: string) => {
    serve([], presets)
    server.on('POST /api/providers', () => {
      has(aProvider('made', { name: 'Made' }))
      return { status: 201, body: aProvider('made') }
    })
    const { user, at } = open(path)
    await user.click(await screen.findByRole('button', { name: 'Add provider' }))
    await screen.findByRole('button', { name: /^wise/ })
    const add = async () => {
      const dialog = within(screen.getByRole('dialog'))
      await user.click(dialog.getByRole('button', { name: 'Add provider' }))
      await waitFor(() => expect(server.to('POST /api/providers')).toHaveLength(1))
      return server.to('POST /api/providers')[0]?.body
    }
    return { user, at, add }
  }

  it('opens it, as it stands in a list that was read anew', async () => {
    // of a provider that is gone it is known already which ones there are
    const { at, add } = await begin('/settings/providers/gone')
    await screen.findByText('This provider no longer exists.')
    await add()
    expect(await screen.findByRole('heading', { name: 'Made' })).toBeTruthy()
    expect(at()).toBe('/settings/providers/made')
  })

  it.each<[string, (user: UserEvent) => Promise<void>, Record<string, unknown>]>([
    [
      'another preset',
      (user) => user.click(screen.getByRole('button', { name: /^wise/ })),
      { preset: 'wise' },
    ],
    ['its name', (user) => user.type(screen.getByLabelText('Name'), 'N'), { name: 'N' }],
    [
      'who may use it',
      (user) => user.click(screen.getByRole('radio', { name: 'Only me' })),
      { visibility: 'private' },
    ],
    [
      'whose key it is',
      (user) => user.click(screen.getByRole('radio', { name: 'Per member' })),
      { credentials: 'user' },
    ],
  ])('takes %s', async (_, act, body) => {
    const { user, add } = await begin()
    await act(user)
    expect(await add()).toMatchObject(body)
  })

  it('is left by its cross', async () => {
    const { user } = await begin()
    await user.click(screen.getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('one provider', () => {
  const PATCH = 'PATCH /api/providers/prv_ours'
  const AT = '/settings/providers/ours'
  const ours = (more: Partial<Provider> = {}) => aProvider('ours', { name: 'Ours', models: [MODEL], ...more })
  /** The API keeps what it is sent, and lists it then. */
  const keeps = () =>
    server.on(PATCH, ({ body }) => {
      const kept = ours(body as Partial<Provider>)
      server.on('GET /api/providers', list([kept]))
      return { body: kept }
    })
  const sent = () => server.to(PATCH).map(({ body }) => body)
  const field = (name: string) => screen.findByLabelText<HTMLInputElement>(name)
  const writes = (name: string, text: string) => async (user: UserEvent) => {
    await user.clear(await field(name))
    await user.type(await field(name), text)
  }

  beforeEach(() => {
    serve([ours()])
    keeps()
  })

  it.each<[string, (user: UserEvent) => Promise<void>, Record<string, unknown>]>([
    ['its name', writes('Name', 'N'), { name: 'N' }],
    ['a timeout', writes('Idle timeout', '5'), { idle_timeout_ms: 5000 }],
    [
      'that its key is removed',
      async (user) => user.click(await screen.findByRole('checkbox', { name: 'Remove the key' })),
      { api_key: null },
    ],
    [
      'a header',
      async (user) => {
        await user.click(await screen.findByRole('button', { name: 'Add header' }))
        await user.type(await field('Headers: name'), 'X-A')
        await user.type(await field('Value of X-A'), 'b')
      },
      { headers: { 'X-A': 'b' } },
    ],
    [
      'who may use it',
      async (user) => user.click(await screen.findByRole('radio', { name: 'Only me' })),
      { visibility: 'private' },
    ],
    [
      'whose key it is',
      async (user) => user.click(await screen.findByRole('radio', { name: 'Per member' })),
      { credentials: 'user' },
    ],
  ])('saves only %s', async (_, act, body) => {
    const { user } = open(AT)
    await act(user)
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(sent()).toEqual([body]))
  })

  it('shows what the server made of its configuration', async () => {
    server.on(PATCH, { body: ours({ name: 'Kept' }) })
    const { user } = open(AT)
    await writes('Name', 'Typed')(user)
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(async () => expect((await field('Name')).value).toBe('Kept'))
  })

  it('goes back to what was configured', async () => {
    const { user } = open(AT)
    await writes('Name', 'Typed')(user)
    await user.click(screen.getByRole('button', { name: 'Revert' }))
    expect((await field('Name')).value).toBe('Ours')
  })

  it('is turned off, and says so', async () => {
    const { user } = open(AT)
    await user.click(await screen.findByRole('button', { name: 'Turn off' }))
    expect(await screen.findByText('Turned off')).toBeTruthy()
  })

  it('is gone from the list once it is deleted', async () => {
    server.on('DELETE /api/providers/prv_ours', () => {
      server.on('GET /api/providers', list([]))
      return {}
    })
    const { user } = open(AT)
    await user.click(await screen.findByRole('button', { name: 'Delete provider' }))
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete provider' }))
    expect(await screen.findByRole('heading', { name: 'No providers yet' })).toBeTruthy()
  })

  it('stays where the question is answered with no', async () => {
    const { user } = open(AT)
    await user.click(await screen.findByRole('button', { name: 'Delete provider' }))
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('that failed its test is explained in the docs', async () => {
    const opened = vi.spyOn(window, 'open').mockReturnValue(null)
    server.on('POST /api/providers/prv_ours/test', { body: aReport('auth') })
    const { user } = open(AT)
    await user.click(await screen.findByRole('button', { name: 'Test' }))
    await user.click(await screen.findByRole('button', { name: 'How to read this' }))
    expect(opened.mock.calls).toEqual([['/docs/en/providers', '_blank', 'noopener']])
  })

  it('forgets changes of its models', async () => {
    const { user } = open(AT)
    await user.click(await screen.findByRole('button', { name: 'Remove m-1' }))
    const models = within(screen.getByRole('region', { name: 'Models' }))
    await user.click(models.getByRole('button', { name: 'Revert' }))
    expect(models.getByRole('button', { name: 'Remove m-1' })).toBeTruthy()
  })

  describe('whose endpoint lists models', () => {
    const listed = (id: string) => ({ ...MODEL, id })
    const fetchThem = async () => {
      server.on('GET /api/providers/prv_ours/models', list(['a-1', 'b-2'].map(listed)))
      const { user } = open(AT)
      await user.click(await screen.findByRole('button', { name: 'Fetch list' }))
      return { user, dialog: within(await screen.findByRole('dialog')) }
    }

    it('takes those that are marked', async () => {
      const { user, dialog } = await fetchThem()
      await user.click(dialog.getByRole('checkbox', { name: 'b-2' }))
      await user.click(dialog.getByRole('button', { name: 'Add 1 model' }))
      await waitFor(() => expect(sent()).toMatchObject([{ models: [{ id: 'm-1' }, { id: 'a-1' }] }]))
    })

    it('finds one by a word', async () => {
      const { user, dialog } = await fetchThem()
      await user.type(dialog.getByRole('searchbox', { name: 'Find a model' }), 'b')
      expect(dialog.queryByRole('checkbox', { name: 'a-1' })).toBeNull()
      expect(dialog.getByRole('checkbox', { name: 'b-2' })).toBeTruthy()
    })

    it('takes none where the dialog is closed', async () => {
      const { user, dialog } = await fetchThem()
      await user.click(dialog.getByRole('button', { name: 'Close' }))
      expect(screen.queryByRole('dialog')).toBeNull()
      expect(sent()).toEqual([])
    })
  })

  describe('where each member uses their own key', () => {
    const own = (set: boolean) =>
      ours({
        credentials: 'user',
        own_credentials: {
          state: set ? 'set' : 'missing',
          slots: [{ kind: 'api_key', name: '', required: true, set, hint: '····7f2a' }],
          updated_at: null,
        } as unknown as Provider['own_credentials'],
      })
    const KEYS = '/api/providers/prv_ours/credentials'
    const turns = (route: string, set: boolean) =>
      server.on(route, () => {
        server.on('GET /api/providers', list([own(set)]))
        return { body: own(set) }
      })

    it('takes it', async () => {
      serve([own(false)])
      turns(`PATCH ${KEYS}`, true)
      const { user } = open(AT, 'editor')
      await user.type(await field('Key'), 'k')
      await user.click(screen.getByRole('button', { name: 'Save yours' }))
      expect(await screen.findByText('Set')).toBeTruthy()
      expect(server.to(`PATCH ${KEYS}`)[0]?.body).toEqual({ api_key: 'k' })
    })

    it('deletes it after a question', async () => {
      serve([own(true)])
      turns(`DELETE ${KEYS}`, false)
      const { user } = open(AT, 'editor')
      await user.click(await screen.findByRole('button', { name: 'Delete yours' }))
      await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete yours' }))
      expect(await screen.findByText('Missing')).toBeTruthy()
    })
  })
})
