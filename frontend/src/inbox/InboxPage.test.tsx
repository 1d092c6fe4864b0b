import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Route } from 'wouter'
import type { Outage } from '@/api/outages'
import { aQuestion } from '@/interactions/interactions.testing'
import { onScreen } from '@/testing/screen'
import { FakeServer, refusal, show } from '@/testing/server'
import { listenToKeys } from '@/ui'
import InboxPage from './InboxPage'

const FIRST = aQuestion({ id: 'int_1', node_title: 'Save the digest' })
const SECOND = aQuestion({
  id: 'int_2',
  tool: { server: 'mail', name: 'send' },
  risk: { level: 'LOW', reasons: [] },
})

function aPart(workflow_name: string, tool: string, ids: readonly string[]): Outage['parts'][number] {
  const questions = ids.map((id, index) => ({
    id,
    run: 'run_1',
    node: 'n',
    node_title: 'Book a desk',
    arguments: `desk: ${index}`,
    created_at: `2026-11-22T03:00:0${index}Z`,
    called_at: `2026-11-22T02:59:4${index}Z`,
  }))
  const about = { server: 'desk', tool, title: `desk/${tool}`, message: '' }
  return { workflow: workflow_name, workflow_name, ...about, count: ids.length, questions }
}

const OUTAGE: Outage = {
  id: 'outage_int_7',
  count: 3,
  first_at: '2026-11-22T03:00:00Z',
  last_at: '2026-11-22T03:00:02Z',
  parts: [aPart('Booking', 'book', ['int_7', 'int_8']), aPart('Billing', 'pay', ['int_9'])],
}

function inbox(time = '/inbox', outages: () => readonly Outage[] = () => []) {
  window.history.replaceState(null, '', time)
  let open = [FIRST, SECOND]
  const server = new FakeServer()
    .on('GET /api/interactions/groups', () => ({ body: { results: outages() } }))
    .on('GET /api/interactions', (request) => ({
      body: { results: request.path.includes('state=open') ? open : [], next: null },
    }))
    .on('POST /api/interactions/int_1/answer', () => {
      open = [SECOND]
      return { body: { ...FIRST, state: 'answered' } }
    })
  show(
    <Route path="/inbox/:id?">
      <InboxPage />
    </Route>,
  )
  return { server, user: userEvent.setup() }
}

describe('the inbox', () => {
  let stop = () => {}
  beforeEach(() => {
    stop = listenToKeys()
  })
  afterEach(() => stop())

  it('opens the first question, with the title of the node that asks', async () => {
    inbox()
    expect(await screen.findByRole('heading', { name: 'Allow filesystem/write_file?' })).toBeTruthy()
    expect(await screen.findAllByText('Weekly digest · Save the digest')).toHaveLength(2)
    expect(window.location.pathname).toBe('/inbox/int_1')
  })

  it('opens a question that the lists do not hold, and says of one that is gone that it is', async () => {
    const { server } = inbox('/inbox/int_9')
    expect(await screen.findByText(/This question no longer exists/)).toBeTruthy()
    expect(screen.queryByRole('heading', { level: 2 })).toBeNull()
    expect(window.location.pathname).toBe('/inbox/int_9')
    expect(server.to('GET /api/interactions').some((request) => request.path.includes('id=int_9'))).toBe(true)
  })

  it('moves with j and k', async () => {
    const { user } = inbox()
    await screen.findByRole('heading', { name: 'Allow filesystem/write_file?' })
    await user.keyboard('j')
    expect(await screen.findByRole('heading', { name: 'Allow mail/send?' })).toBeTruthy()
    await user.keyboard('k')
    expect(await screen.findByRole('heading', { name: 'Allow filesystem/write_file?' })).toBeTruthy()
  })

  it('keeps the answered question in sight while the list goes on without it', async () => {
    const { user } = inbox()
    await user.click(await screen.findByRole('button', { name: 'Approve' }))
    expect(await screen.findByText('Approved')).toBeTruthy()
    expect(await screen.findByText('1 open')).toBeTruthy()
    expect(screen.getByRole('heading', { name: 'Allow filesystem/write_file?' })).toBeTruthy()
  })

  it('shows the answer that counts where somebody else was faster', async () => {
    const { server, user } = inbox()
    const theirs = {
      ...FIRST,
      state: 'answered',
      answered_by: 'bob@example.org',
      answer: { action: 'decline', reason: 'Not on a Friday.' },
    }
    await screen.findByRole('button', { name: 'Approve' })
    server
      .on('POST /api/interactions/int_1/answer', refusal(409, 'ALREADY_ANSWERED'))
      .on('GET /api/interactions', (request) => ({
        body: { results: request.path.includes('run=run_1') ? [SECOND, theirs] : [SECOND], next: null },
      }))
    await user.click(screen.getByRole('button', { name: 'Approve' }))
    expect(await screen.findByText('Declined')).toBeTruthy()
    expect(screen.getByText(/bob@example.org/)).toBeTruthy()
    expect(screen.getByText(/Not on a Friday/)).toBeTruthy()
    expect(screen.getByText('Someone answered this first')).toBeTruthy()
  })

  it('shows the questions of an outage as one, and answers all or the ticked ones', async () => {
    let outages = [OUTAGE]
    const { server, user } = inbox('/inbox', () => outages)
    server.on('POST /api/interactions/answers', (request) => {
      const { ids } = request.body as { ids: readonly string[] }
      outages = []
      return { body: { results: ids.map((id) => ({ id, answered: true, error: null })) } }
    })
    expect(await screen.findByRole('heading', { name: '3 calls may have happened' })).toBeTruthy()
    expect(window.location.pathname).toBe('/inbox/outage_int_7')
    expect(screen.getByText('5 open')).toBeTruthy()
    await user.click(screen.getByRole('checkbox', { name: 'desk/pay · Billing (1)' }))
    await user.click(screen.getByRole('button', { name: 'Call 2 again' }))
    const [sent] = server.to('POST /api/interactions/answers')
    expect(sent?.body).toEqual({ action: 'retry', ids: ['int_7', 'int_8'] })
  })

  it('tells the calls of an outage apart by step, arguments and time', async () => {
    const { user } = inbox('/inbox', () => [OUTAGE])
    const [summary] = await screen.findAllByText('Open one by one')
    await user.click(summary as HTMLElement)
    const links = screen
      .getAllByRole('link')
      .filter((element) => element.getAttribute('href') === '/inbox/int_8')
    expect(links[0]?.textContent).toContain('Book a desk')
    expect(links[0]?.textContent).toContain('desk: 1')
    expect(links[0]?.textContent).toMatch(/\d\d:\d\d:41/)
  })

  it('opens the outage that stands first, though its questions are known sooner', async () => {
    let answer = (_: { body: object }) => {}
    const groups = new Promise<{ body: object }>((resolve) => {
      answer = resolve
    })
    const { server } = inbox()
    server.on('GET /api/interactions/groups', () => groups)
    expect(await screen.findByText('Weekly digest · Save the digest')).toBeTruthy()
    expect(window.location.pathname).toBe('/inbox')
    answer({ body: { results: [OUTAGE] } })
    await waitFor(() => expect(window.location.pathname).toBe('/inbox/outage_int_7'))
  })

  it('says of the questions of an outage which could not be answered, and why', async () => {
    const { server, user } = inbox('/inbox', () => [OUTAGE])
    server.on('POST /api/interactions/answers', () => ({
      body: {
        results: [
          { id: 'int_7', answered: true, error: null },
          { id: 'int_8', answered: false, error: { code: 'FORBIDDEN', message: 'Somebody else is asked.' } },
        ],
      },
    }))
    await user.click(await screen.findByRole('button', { name: 'Let 3 fail' }))
    expect(await screen.findByText('1 question is answered.')).toBeTruthy()
    expect(screen.getByText('1 not: Somebody else is asked.')).toBeTruthy()
  })

  it('continues the runs of an outage with the result that was entered', async () => {
    const { server, user } = inbox('/inbox', () => [OUTAGE])
    await user.type(await screen.findByRole('textbox', { name: 'Result of the call' }), 'booked')
    await user.click(screen.getByRole('button', { name: '3 did happen' }))
    await waitFor(() =>
      expect(server.to('POST /api/interactions/answers')[0]?.body).toEqual({
        action: 'skip',
        ids: ['int_7', 'int_8', 'int_9'],
        values: { result: 'booked' },
      }),
    )
  })

  it('shows the answered questions when asked for them', async () => {
    const { server, user } = inbox()
    server.on('GET /api/interactions', (request) => ({
      body: { results: request.path.includes('state=answered') ? [SECOND] : [FIRST], next: null },
    }))
    await screen.findByRole('heading', { name: 'Allow filesystem/write_file?' })
    expect(screen.queryByRole('link', { name: /mail\/send/ })).toBeNull()
    await user.click(screen.getByRole('radio', { name: 'Answered' }))
    expect(await screen.findByRole('link', { name: /mail\/send/ })).toBeTruthy()
  })

  it('Enter leads from the list into the question', async () => {
    const { user } = inbox()
    const path = await screen.findByDisplayValue('/srv/a.md')
    await user.keyboard('{Enter}')
    expect(document.activeElement).toBe(path)
  })

  it('loads the questions again after they could not be loaded', async () => {
    const { server, user } = inbox()
    server.on('GET /api/interactions', refusal(503, 'UNAVAILABLE'))
    expect(await screen.findByText('The questions could not be loaded.')).toBeTruthy()
    server.on('GET /api/interactions', { body: { results: [FIRST], next: null } })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('heading', { name: 'Allow filesystem/write_file?' })).toBeTruthy()
  })

  it('loads the next page of a long list', async () => {
    const { server, user } = inbox()
    server.on('GET /api/interactions', (request) => ({
      body: request.path.includes('cursor=next')
        ? { results: [SECOND], next: null }
        : { results: [FIRST], next: 'next' },
    }))
    await user.click(await screen.findByRole('button', { name: 'Load more' }))
    expect(await screen.findByRole('link', { name: /mail\/send/ })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
  })

  it('leads to the run that asks', async () => {
    const { user } = inbox()
    await user.click(await screen.findByRole('button', { name: 'Open run' }))
    expect(window.location.pathname).toBe('/runs/run_1')
  })

  it.each([
    ['a question', '/inbox/int_1', 'Allow filesystem/write_file?'],
    ['an outage', '/inbox/outage_int_7', '3 calls may have happened'],
  ])('on a phone, %s covers the list and leads back to it', async (_what, path, heading) => {
    onScreen('phone')
    const { user } = inbox(path, () => [OUTAGE])
    await screen.findByRole('heading', { name: heading })
    expect(screen.queryByRole('link', { name: /mail\/send/ })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Back to the list' }))
    expect(await screen.findByRole('link', { name: /mail\/send/ })).toBeTruthy()
    expect(window.location.pathname).toBe('/inbox')
  })
})
