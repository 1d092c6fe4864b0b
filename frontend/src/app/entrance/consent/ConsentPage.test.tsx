import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Me, Role } from '@/api/queries'
import { loadRest, loadWords } from '@/i18n'
import { FakeServer, refusal, show } from '@/testing/server'
import type { ClientAsk } from './ask'
import ConsentPage from './ConsentPage'

const BACK = 'http://127.0.0.1:4000/callback'
const asking = (change: Partial<ClientAsk> = {}): ClientAsk => ({
  client: { id: 'ocl_1', name: 'Helper', host: '' },
  redirect_uri: BACK,
  redirect_host: '127.0.0.1:4000',
  this_machine: true,
  address: 'http://localhost:3000/mcp',
  collection: null,
  agent: null,
  team: null,
  scopes: ['read', 'run', 'answer'],
  days: [1, 30, 90],
  ticket: 'signed',
  ...change,
})

function atPage(ask: ClientAsk = asking(), role: Role = 'editor', more: Partial<Me> = {}) {
  const server = new FakeServer()
    .on('GET /api/oauth/ask', { body: ask })
    .on('POST /api/oauth/decide', { body: { location: `${BACK}?code=c` } })
  const assign = vi.fn()
  vi.stubGlobal('location', { host: 'localhost:3000', search: '?client_id=ocl_1&state=s', assign })
  show(<ConsentPage />, role, more)
  const decided = () => server.to('POST /api/oauth/decide').map(({ body }) => body as Record<string, unknown>)
  return { server, assign, decided, user: userEvent.setup() }
}

describe('the page on which a client is allowed', () => {
  beforeEach(async () => {
    await Promise.all([loadRest(), loadWords('consent')])
  })

  it('names the client and sends the browser back with what was chosen', async () => {
    const { server, assign, decided, user } = atPage()
    expect((await screen.findByRole('heading', { level: 1 })).textContent).toContain('Helper')
    expect(screen.getByText(/Nobody has checked its name/)).toBeTruthy()
    expect(server.to('GET /api/oauth/ask')[0]?.path).toContain('client_id=ocl_1&state=s')
    await user.click(screen.getByRole('checkbox', { name: /Fill in forms/ }))
    await user.click(screen.getByRole('checkbox', { name: /Call tools/ }))
    await user.click(screen.getByRole('radio', { name: '90 days' }))
    await user.click(screen.getByRole('button', { name: 'Allow' }))
    await waitFor(() => expect(assign).toHaveBeenCalledWith(`${BACK}?code=c`))
    expect(decided()).toEqual([
      { ticket: 'signed', allow: true, team: 'team_1', scopes: ['read', 'answer'], days: 90 },
    ])
    expect((await screen.findByRole('link')).getAttribute('href')).toBe(`${BACK}?code=c`)
  })

  it('sends the client away', async () => {
    const { assign, decided, user } = atPage()
    await user.click(await screen.findByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(assign).toHaveBeenCalledOnce())
    expect(decided()[0]?.allow).toBe(false)
    expect(screen.getByRole('status').textContent).toContain('do not allow it')
  })

  it('warns of a name that leads elsewhere, and not of an address that is proven', async () => {
    const far = { this_machine: false, redirect_uri: 'https://x.example/cb', redirect_host: 'x.example' }
    atPage(asking(far))
    expect(await screen.findByText(/know x\.example/)).toBeTruthy()
  })

  it('names the collection, which is of one team', async () => {
    const teams = [
      { id: 'team_1', name: 'Platform', slug: 'platform', role: 'editor', currency: 'USD' },
      { id: 'team_2', name: 'Support', slug: 'support', role: 'editor', currency: 'USD' },
    ] as unknown as Me['teams']
    const { decided, user } = atPage(asking({ collection: 'Desk', team: 'team_2' }), 'editor', { teams })
    expect((await screen.findByRole('heading', { level: 1 })).textContent).toContain('“Desk” of Support')
    expect(screen.queryByRole('combobox')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Allow' }))
    await waitFor(() => expect(decided()[0]?.team).toBe('team_2'))
  })

  it('names the agent, and what it may be given', async () => {
    atPage(
      asking({ agent: 'Refunds', team: 'team_1', address: 'http://localhost:3000/a2a/platform/refunds' }),
    )
    const title = await screen.findByRole('heading', { level: 1 })
    expect(title.textContent).toContain('use the agent “Refunds” of')
    expect(screen.getByRole('checkbox', { name: /Give it tasks/ })).toBeTruthy()
    expect(screen.getByText(/follow its tasks, and cancel them/)).toBeTruthy()
    expect(screen.queryByText('Call tools')).toBeNull()
  })

  it('says what is proven', async () => {
    const client = { id: 'https://x.example/c.json', name: 'X', host: 'x.example' }
    atPage(asking({ client, this_machine: false, redirect_uri: 'https://x.example/cb' }))
    expect(await screen.findByText('address proven')).toBeTruthy()
    expect(screen.queryByText(/Anybody can name/)).toBeNull()
  })

  it('gives a viewer’s client reading alone', async () => {
    const { decided, user } = atPage(asking(), 'viewer')
    expect((await screen.findByRole('checkbox', { name: /Call tools/ })).matches(':disabled')).toBe(true)
    await user.click(screen.getByRole('button', { name: 'Allow' }))
    await waitFor(() => expect(decided()[0]?.scopes).toEqual(['read']))
  })

  it('says why a decision was not kept', async () => {
    const { server, user } = atPage()
    server.on('POST /api/oauth/decide', refusal(403, 'FORBIDDEN'))
    await user.click(await screen.findByRole('button', { name: 'Allow' }))
    expect((await screen.findByRole('alert')).textContent).toContain('FORBIDDEN')
  })

  it('says what is wrong with what the client sent', async () => {
    new FakeServer().on('GET /api/oauth/ask', {
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: 'Wrong.', fields: { redirect_uri: ['is not one of them'] } },
    })
    vi.stubGlobal('location', { host: 'localhost:3000', search: '?client_id=ocl_1' })
    show(<ConsentPage />)
    expect((await screen.findByRole('alert')).textContent).toContain('redirect_uri is not one of them')
    expect(screen.queryByRole('button', { name: 'Allow' })).toBeNull()
  })
})
