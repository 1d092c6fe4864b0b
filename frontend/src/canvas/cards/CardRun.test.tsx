import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '@/api/client'
import type { RunEvent } from '@/api/run-types'
import { type CanvasActions, CanvasActionsContext } from '@/canvas/actions-context'
import { RunViewProvider, useNodeRun } from '@/live/run-store'
import { RunFeed, RunView } from '@/live/run-view'
import { anAgent, aPlanner } from '@/live/talks.testing'
import { FakeServer, show } from '@/testing/server'
import { CardRun } from './CardRun'

function Card({ node }: { node: string }) {
  const run = useNodeRun(node)
  return run ? <CardRun node={node} run={run} /> : null
}

function card(events: readonly RunEvent[], node = 'agent', actions: CanvasActions = {}) {
  const due: (() => void)[] = []
  const feed = new RunFeed('r', null, (flush) => due.push(flush))
  const frame = () => {
    for (const flush of due.splice(0)) flush()
  }
  const view = new RunView(feed)
  view.attach()
  feed.take(events)
  frame()
  show(
    <CanvasActionsContext value={actions}>
      <RunViewProvider view={view}>
        <Card node={node} />
      </RunViewProvider>
    </CanvasActionsContext>,
  )
  return { feed, frame: () => act(frame), user: userEvent.setup() }
}

/** An agent whose call asks a person, with this risk and these arguments. */
const asking = (level: string, args: unknown = { path: 'a.md' }): readonly RunEvent[] =>
  upTo(anAgent(), (event) => event.type === 'FLOW_STOP').map((event) =>
    event.type === 'STEP_WAITING_FOR_START'
      ? ({ ...event, data: { ...event.data, arguments: args, risk: { level, reasons: [] } } } as RunEvent)
      : event,
  )

const upTo = (log: readonly RunEvent[], what: (event: RunEvent) => boolean) =>
  log.slice(0, log.findIndex(what) + 1)

describe('a card in a run', () => {
  beforeEach(() => {
    new FakeServer()
  })

  it('shows what is said, then what is called, and what it cost', () => {
    const log = anAgent()
    const { feed, frame } = card(log.slice(0, 7))
    expect(screen.getByText('waits for the model')).toBeTruthy()
    feed.preview([{ step: 'step_agent', call: 'round:1', attempt: 1, offset: 0, delta: 'First ' }])
    frame()
    expect(screen.getByText('First')).toBeTruthy()
    feed.take(log.slice(7, 12))
    frame()
    expect(screen.getByText('git/git_show')).toBeTruthy()
    expect(screen.getByText('120 tokens')).toBeTruthy()
    expect(screen.getByText('$0.0010')).toBeTruthy()
  })

  it('keeps the words it shows still while more come', () => {
    const { feed, frame } = card(anAgent().slice(0, 7))
    const text = 'word '.repeat(60)
    const piece = { step: 'step_agent', call: 'round:1', attempt: 1 }
    feed.preview([{ ...piece, offset: 0, delta: text }])
    frame()
    const shown = document.querySelector('.card-stream p')?.textContent ?? ''
    feed.preview([{ ...piece, offset: text.length, delta: 'more' }])
    frame()
    expect(document.querySelector('.card-stream p')?.textContent).toBe(`${shown}more`)
  })

  it("shows a planner's newest steps with their states", () => {
    card(upTo(aPlanner(), (event) => event.type === 'STEP_ERROR').slice(0, -1), 'plan')
    const lines = screen.getAllByRole('listitem').map((line) => line.dataset.tip)
    expect(lines).toEqual([
      'Find the people · Succeeded',
      'Make the event · Succeeded',
      'Tell everyone · Running',
    ])
    expect(screen.getByText('2 of 3 steps')).toBeTruthy()
  })

  it('shows what would be approved', () => {
    card(asking('MEDIUM'), 'agent', { approve: () => Promise.resolve() })
    expect(screen.getByRole('list', { name: 'Arguments' }).textContent).toBe('path a.md')
    expect(screen.getByRole('button', { name: 'Approve' })).toBeTruthy()
  })

  it.each([
    ['HIGH', { path: 'x'.repeat(400) }, false],
    ['HIGH', { path: 'a', content: { $ref: 'blob_1', size: 20_000, preview: 'x' } }, false],
    ['HIGH', Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`n${n}`, n])), false],
    ['HIGH', {}, false],
    ['HIGH', { path: 'a' }, false],
    ['MEDIUM', {}, true],
    ['MEDIUM', { path: 'x'.repeat(400) }, true],
    ['MEDIUM', { $ref: 'blob_1', size: 20_000, preview: 'x' }, false],
  ])(
    'approves %s on the card only where that is little risk and can be seen: %j',
    (level, args, approvable) => {
      card(asking(level, args), 'agent', { approve: () => Promise.resolve() })
      expect(screen.queryByRole('button', { name: 'Approve' }) !== null).toBe(approvable)
      expect(screen.queryByText(/Review it before/) !== null).toBe(!approvable)
      expect(screen.getByRole('button', { name: 'Review' })).toBeTruthy()
    },
  )

  it.each([
    ['Send it?', 'Send it?'],
    [{ path: 'a' }, 'path a'],
  ])('shows what is asked about as it is: %j', (args, shown) => {
    const log = upTo(anAgent(), (event) => event.type === 'FLOW_STOP').map((event) =>
      event.type === 'STEP_WAITING_FOR_START'
        ? { ...event, data: { ...event.data, arguments: args } }
        : event,
    )
    card(log as RunEvent[])
    const list = screen.getByRole('list', { name: 'Arguments' })
    expect([...list.children].map((row) => row.textContent)).toEqual([shown])
  })

  it('approves once, however often it is clicked', async () => {
    const requests: string[] = []
    const actions = {
      approve: (id: string) => {
        requests.push(id)
        return new Promise<void>(() => {})
      },
    }
    const { user } = card(asking('MEDIUM'), 'agent', actions)
    await user.dblClick(screen.getByRole('button', { name: 'Approve' }))
    expect(requests).toEqual(['int_c'])
  })

  it('keeps clicks on its question to itself: they do not choose the card', async () => {
    const { user } = card(upTo(anAgent(), (event) => event.type === 'FLOW_STOP'))
    const received = vi.fn()
    document.body.addEventListener('click', received)
    await user.click(screen.getByRole('button', { name: 'Review' }))
    document.body.removeEventListener('click', received)
    expect(received).not.toHaveBeenCalled()
  })

  it('leads to the whole question', async () => {
    const requests: string[][] = []
    const { user } = card(
      upTo(anAgent(), (event) => event.type === 'FLOW_STOP'),
      'agent',
      { review: (...about) => requests.push(about) },
    )
    await user.click(screen.getByRole('button', { name: 'Review' }))
    expect(requests).toEqual([['agent', 'int_c']])
  })

  it('says in place that somebody was faster', async () => {
    const refusal = new ApiError(409, 'ALREADY_ANSWERED', 'No.')
    const { user } = card(asking('MEDIUM'), 'agent', { approve: () => Promise.reject(refusal) })
    await user.click(screen.getByRole('button', { name: 'Approve' }))
    await waitFor(() => expect(screen.getByText('Someone answered this first')).toBeTruthy())
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
  })
})
