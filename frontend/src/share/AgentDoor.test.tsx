import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '@/api/agent'
import type { Role } from '@/api/queries'
import type { Workflow } from '@/api/workflows'
import { loadRest, loadWords } from '@/i18n'
import { FakeServer, refusal, type SentRequest, show } from '@/testing/server'
import { Toasts } from '@/ui'
import { AgentDoor } from './AgentDoor'

const WORKFLOW = { id: 'wf_1', name: 'Weekly digest' } as Workflow

const AT = '/a2a/platform/weekly-digest'
const CARD = `${AT}/.well-known/agent-card.json`

const agent = (change: Partial<Agent> = {}): Agent => ({
  offered: true,
  public: false,
  url: `http://localhost:3000${AT}`,
  card_url: `http://localhost:3000${CARD}`,
  version: 7,
  runnable: true,
  takes_text: true,
  input_modes: ['text/plain'],
  chat: false,
  calls: [],
  ...change,
})

const completed = { id: 'run_1', status: { state: 'TASK_STATE_COMPLETED' } }

function atDoor(
  row: Agent = agent(),
  role: Role = 'editor',
  first: Parameters<FakeServer['on']>[1] = { body: row },
) {
  const server = new FakeServer()
    .on('GET /api/workflows/wf_1/agent', first)
    .on('POST /api/tokens', { status: 201, body: { id: 'tok_1', token: 'pb_secret' } })
    .on('PATCH /api/workflows/wf_1', { body: {} })
    .on(`GET ${CARD}`, { body: { name: 'Weekly digest', version: '7' } })
    .on(`POST ${AT}`, { body: { jsonrpc: '2.0', id: 1, result: { task: completed } } })
  show(
    <>
      <AgentDoor workflow={WORKFLOW} />
      <Toasts />
    </>,
    role,
  )
  return { server, user: userEvent.setup() }
}

const sent = (request: SentRequest | undefined) =>
  (request?.body as { params: { message: { parts: unknown } } } | undefined)?.params.message.parts

describe('the door for external agents', () => {
  beforeEach(async () => {
    await Promise.all([loadRest(), loadWords('agent', 'share')])
  })

  it('offers the workflow, and makes its card public', async () => {
    const { server, user } = atDoor(agent({ offered: false }))
    await user.click(await screen.findByRole('switch', { name: 'Offer as an agent' }))
    await user.click(screen.getByRole('switch', { name: /Public card/ }))
    await waitFor(() => expect(server.to('GET /api/workflows/wf_1/agent').length).toBe(3))
    expect(server.to('PATCH /api/workflows/wf_1').map((request) => request.body)).toEqual([
      { expose_as_agent: true },
      { agent_card_public: true },
    ])
  })

  it('says why it could not be offered', async () => {
    const { server, user } = atDoor()
    server.on('PATCH /api/workflows/wf_1', refusal(403, 'FORBIDDEN'))
    await user.click(await screen.findByRole('switch', { name: 'Offer as an agent' }))
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
  })

  it('is asked for again where it could not be loaded', async () => {
    const { server, user } = atDoor(undefined, 'editor', refusal(500, 'INTERNAL'))
    const retry = await screen.findByRole('button', { name: 'Try again' })
    server.on('GET /api/workflows/wf_1/agent', { body: agent() })
    await user.click(retry)
    expect(await screen.findByRole('switch', { name: 'Offer as an agent' })).toBeTruthy()
  })

  it('leads to the editor while nothing is published, and says what can no longer be run', async () => {
    atDoor(agent({ version: null, runnable: false }))
    const link = await screen.findByRole('link', { name: 'Publish it in the editor' })
    expect(link.getAttribute('href')).toBe('/workflows/wf_1')
    atDoor(agent({ runnable: false }))
    expect(await screen.findByText(/Version 7 can no longer be run/)).toBeTruthy()
  })

  it('makes a token of this workflow, and puts it into the code of each library', async () => {
    const { server, user } = atDoor()
    expect(await screen.findByText(/Bearer <token>/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'New token' }))
    expect(server.to('POST /api/tokens')[0]?.body).toEqual({
      name: 'A2A client: Weekly digest',
      scopes: ['read', 'run', 'answer'],
      expires_in_days: 90,
      workflows: ['wf_1'],
    })
    const code = screen.getByRole('tabpanel')
    await waitFor(() => expect(code.textContent).toContain('Bearer pb_secret'))
    expect(code.textContent).toContain('pip install a2a-sdk')
    await user.click(screen.getByRole('tab', { name: 'TypeScript' }))
    const other = screen.getByRole('tabpanel')
    expect(other.textContent).toContain('npm install @a2a-js/sdk')
    expect(other.textContent).toContain(`http://localhost:3000${CARD}`)
  })

  it('says why there is no token', async () => {
    const { server, user } = atDoor()
    server.on('POST /api/tokens', refusal(403, 'FORBIDDEN'))
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
  })

  it('sends a message as a client would, and leads to its run', async () => {
    const { server, user } = atDoor()
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    const test = screen.getByRole('region', { name: 'Live test' })
    await user.type(within(test).getByRole('textbox', { name: 'Message' }), 'Hello')
    await user.click(within(test).getByRole('button', { name: 'Send' }))
    expect(await within(test).findByText('Card of Weekly digest, version 7')).toBeTruthy()
    expect(await within(test).findByText('Completed')).toBeTruthy()
    expect(within(test).getByRole('link', { name: 'Open the run' }).getAttribute('href')).toBe('/runs/run_1')
    expect(sent(server.to(`POST ${AT}`)[0])).toEqual([{ text: 'Hello' }])
  })

  it('puts what is told piece by piece together, as a client does', async () => {
    const { server, user } = atDoor()
    const piece = (append: boolean, ...parts: unknown[]) => ({
      artifactUpdate: { artifact: { artifactId: 'a', parts }, append },
    })
    const events = [
      piece(false, { text: 'Let me' }),
      piece(false, { text: 'It ' }),
      piece(true, { text: 'is 42.' }),
      piece(true, { data: { n: 1 } }),
      { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
    ]
    const text = events
      .map((result) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`)
      .join('')
    server.on(`POST ${AT}`, { text, headers: { 'Content-Type': 'text/event-stream' } })
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    await screen.findByText(/Bearer pb_secret/)
    await user.type(screen.getByRole('textbox', { name: 'Message' }), 'Hello{Enter}')
    expect(await screen.findByText('Completed')).toBeTruthy()
    const steps = within(screen.getByRole('region', { name: 'Live test' })).getAllByRole('listitem')
    expect(steps.map((step) => step.querySelector('code')?.textContent)).toEqual([
      'agent-card.json',
      'artifactUpdate',
      'statusUpdate',
    ])
    expect(steps[1]?.textContent).toContain('It is 42.\n{"n":1}')
    expect(steps[1]?.textContent).not.toContain('Let me')
  })

  it('sends inputs where a text does not say enough', async () => {
    const { server, user } = atDoor(agent({ takes_text: false }))
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    const field = screen.getByRole('textbox', { name: 'Inputs (JSON)' })
    await user.clear(field)
    await user.type(field, '{{"n":')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText('This is not JSON.')).toBeTruthy()
    expect(server.to(`POST ${AT}`)).toEqual([])
    await user.type(field, ' 3}')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText('Completed')).toBeTruthy()
    expect(sent(server.to(`POST ${AT}`)[0])).toEqual([{ data: { n: 3 } }])
  })

  it('says what was refused', async () => {
    const { server, user } = atDoor()
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    await screen.findByText(/Bearer pb_secret/)
    await user.type(screen.getByRole('textbox', { name: 'Message' }), 'Hello{Enter}')
    expect(await screen.findByText('Completed')).toBeTruthy()
    server.on(`POST ${AT}`, {
      body: { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'No such input.' } },
    })
    await user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText('No such input.')).toBeTruthy()
    server.on(`GET ${CARD}`, refusal(404, 'NOT_FOUND'))
    await user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText('NOT_FOUND in words.')).toBeTruthy()
  })

  it('shows a viewer the addresses, and nothing to change', async () => {
    atDoor(agent(), 'viewer')
    expect(await screen.findByText('Offered')).toBeTruthy()
    expect(screen.queryByRole('switch')).toBeNull()
    expect(screen.queryByRole('button', { name: 'New token' })).toBeNull()
    expect(screen.getByText(`http://localhost:3000${AT}`)).toBeTruthy()
  })

  it('lists the calls with how they stand', async () => {
    const call = {
      run: 'run_1',
      by: 'ada@example.org',
      state: 'WAITING' as const,
      caller: null,
      waits_for_person: true,
      waits_for_client: false,
      at: '2026-11-26T10:00:00Z',
      finished_at: null,
    }
    atDoor(agent({ calls: [call, { ...call, run: 'run_2', by: null, state: 'SUCCESS' }] }))
    const calls = await screen.findByRole('complementary', { name: 'Latest calls' })
    const links = within(within(calls).getByRole('list')).getAllByRole('link')
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/runs/run_1', '/runs/run_2'])
    expect(calls.textContent).toContain('Needs a person')
  })
})
