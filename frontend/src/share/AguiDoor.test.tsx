/** The door for front ends: offering, connecting an app, and a test that really streams. */
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import type { FrontEndOffer } from '@/api/agui'
import type { Role } from '@/api/queries'
import type { Workflow } from '@/api/workflows'
import { loadRest, loadWords } from '@/i18n'
import { FakeServer, refusal, show } from '@/testing/server'
import { Toasts } from '@/ui'
import { AguiDoor, snippetOf } from './AguiDoor'

const WORKFLOW = { id: 'wf_1', name: 'Digest' } as Workflow

const ADDRESS = 'http://localhost:3000/agui/acme/digest'
const OFFER = 'GET /api/workflows/wf_1/agui'

const offered = (change: Partial<FrontEndOffer> = {}): FrontEndOffer => ({
  offered: true,
  url: ADDRESS,
  version: 7,
  runnable: true,
  takes_text: true,
  origins: [],
  calls: [],
  ...change,
})

const stream = (...events: unknown[]) => ({
  text: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(': \n\n'),
  headers: { 'Content-Type': 'text/event-stream' },
})

function atDoor(offer = offered(), role: Role = 'editor') {
  const server = new FakeServer()
    .on(OFFER, { body: offer })
    .on('POST /api/tokens', { status: 201, body: { id: 'tok_1', token: 'pb_secret' } })
    .on('PATCH /api/workflows/wf_1', { body: {} })
  show(
    <>
      <AguiDoor workflow={WORKFLOW} />
      <Toasts />
    </>,
    role,
  )
  return { server, user: userEvent.setup() }
}

describe('the door for front ends', () => {
  beforeEach(async () => {
    await Promise.all([loadRest(), loadWords('agui', 'share')])
  })

  it('says where it is, and offers it', async () => {
    const { server, user } = atDoor(offered({ offered: false }))
    expect(await screen.findByText(ADDRESS)).toBeTruthy()
    expect(screen.getByText(/PATCHBAY_AGUI_ORIGINS/)).toBeTruthy()
    await user.click(screen.getByRole('switch', { name: 'Offer to front ends (AG-UI)' }))
    expect(server.to('PATCH /api/workflows/wf_1')[0]?.body).toEqual({ expose_as_agui: true })
    await waitFor(() => expect(server.to(OFFER).length).toBe(2))
  })

  it('says why it cannot be offered, or run', async () => {
    const { server, user } = atDoor(offered({ version: null, runnable: false }))
    const link = await screen.findByRole('link', { name: 'Publish it in the editor' })
    expect(link.getAttribute('href')).toBe('/workflows/wf_1')
    server.on('PATCH /api/workflows/wf_1', refusal(403, 'FORBIDDEN'))
    await user.click(screen.getByRole('switch'))
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
  })

  it('makes a token that may run and answer, and puts it into the code', async () => {
    const { server, user } = atDoor(offered({ origins: ['https://www.example.org'] }))
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    expect(server.to('POST /api/tokens')[0]?.body).toEqual({
      name: 'Front end: Digest',
      scopes: ['run', 'answer'],
      expires_in_days: 90,
      workflows: ['wf_1'],
    })
    expect(await screen.findByText(/Bearer pb_secret/)).toBeTruthy()
    expect(screen.getByText(/https:\/\/www\.example\.org/)).toBeTruthy()
    server.on('POST /api/tokens', refusal(403, 'FORBIDDEN'))
    await user.click(screen.getByRole('button', { name: 'New token' }))
    expect(await screen.findByText('FORBIDDEN in words.')).toBeTruthy()
  })

  it('runs the workflow and lists the events', async () => {
    const { server, user } = atDoor()
    server.on(
      'POST /agui/acme/digest',
      stream({ type: 'RUN_STARTED' }, { type: 'TEXT_MESSAGE_CONTENT', delta: 'Hi there' }),
    )
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    const text = screen.getByRole('textbox', { name: 'Message' })
    await user.clear(text)
    await user.type(text, 'Go')
    await user.click(screen.getByRole('button', { name: 'Run' }))
    const events = await screen.findByRole('list', { name: 'Events' })
    expect(await within(events).findByText('Hi there')).toBeTruthy()
    expect(within(events).getAllByRole('listitem').length).toBe(2)
    const sent = server.to('POST /agui/acme/digest')[0]?.body as { messages: { content: string }[] }
    expect(sent.messages.map(({ content }) => content)).toEqual(['Go'])
  })

  it('says why the test failed', async () => {
    const { server, user } = atDoor(offered({ takes_text: false }))
    server.on('POST /agui/acme/digest', refusal(404, 'NOT_FOUND'))
    expect(await screen.findByText(/takes no message/)).toBeTruthy()
    expect(screen.queryByRole('textbox')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'New token' }))
    await user.click(screen.getByRole('button', { name: 'Run' }))
    expect(await screen.findByText(/NOT_FOUND in words/)).toBeTruthy()
  })

  it('shows a viewer what there is, and nothing to change', async () => {
    const waits = { waits_for_person: false, waits_for_client: false }
    const call = { ...waits, run: 'run_1', caller: null, state: 'SUCCESS' as const, finished_at: null }
    const at = '2026-11-26T10:00:00Z'
    atDoor(
      offered({
        calls: [
          { ...call, by: 'ada@example.org', at },
          { ...call, run: 'run_2', by: null, at },
        ],
      }),
      'viewer',
    )
    expect(await screen.findByText('Offered')).toBeTruthy()
    expect(screen.queryByRole('switch')).toBeNull()
    expect(screen.queryByRole('button', { name: 'New token' })).toBeNull()
    const calls = screen.getByRole('complementary', { name: 'Latest calls' })
    expect(within(calls).getByText('a former member')).toBeTruthy()
    expect(within(calls).getByText('ada@example.org')).toBeTruthy()
  })

  it('asks again for what could not be read', async () => {
    const server = new FakeServer().on(OFFER, refusal(500, 'INTERNAL'))
    show(<AguiDoor workflow={WORKFLOW} />)
    expect(await screen.findByText('What is shared could not be loaded.')).toBeTruthy()
    server.on(OFFER, { body: offered() })
    await userEvent.setup().click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText(ADDRESS)).toBeTruthy()
  })
})

describe('the code of a front end', () => {
  it('says something where a message starts a run', () => {
    expect(snippetOf(offered(), 'pb_1')).toContain('addMessage')
    expect(snippetOf(offered({ takes_text: false }), 'pb_1')).toContain('forwardedProps')
  })
})
