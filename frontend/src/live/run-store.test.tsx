import { act, render, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { aRun, at, logOf } from './fold.testing'
import {
  RunViewProvider,
  useNodeRun,
  useOpenInteractions,
  useRunFold,
  useRunInfo,
  useStepValues,
} from './run-store'
import { RunFeed, RunView } from './run-view'
import type { LiveSocket, Subscriber } from './socket'

/** A feed whose frames are turned by hand. */
function still() {
  const due: (() => void)[] = []
  const feed = new RunFeed('r', null, (flush) => due.push(flush))
  const frame = () => {
    for (const flush of due.splice(0)) flush()
  }
  const view = new RunView(feed)
  view.attach()
  return { feed, view, frame, frames: () => due.length }
}

const draws = new Map<string, number>()

function Card({ node }: { node: string }) {
  draws.set(node, (draws.get(node) ?? 0) + 1)
  return <p>{`${node} ${useNodeRun(node)?.status ?? 'not reached'}`}</p>
}

const seen = new Set<string>()

/** What header, card and list tell, at every moment. */
function Whole() {
  const text = `${useRunInfo()?.status} ${useNodeRun('save')?.status} ${useRunFold()?.steps.size}`
  seen.add(text)
  return <p>{text}</p>
}

function Inspector() {
  const output = JSON.stringify(useStepValues('fetch')?.output)
  const open = useOpenInteractions()
  return <p>{`${output} ${open.map((question) => question.id)} ${useRunInfo()?.status}`}</p>
}

describe('a run on the page', () => {
  it('redraws only the cards whose node something happened to', () => {
    const { feed, view, frame } = still()
    draws.clear()
    render(
      <RunViewProvider view={view}>
        <Card node="fetch" />
        <Card node="save" />
      </RunViewProvider>,
    )
    expect(screen.getByText('fetch not reached')).toBeTruthy()
    feed.take(aRun().slice(0, 2))
    act(frame)
    const before = new Map(draws)
    feed.take(aRun().slice(2, 5))
    act(frame)
    expect(screen.getByText('fetch running')).toBeTruthy()
    expect(draws.get('save')).toBe(before.get('save'))
    expect(draws.get('fetch')).toBe((before.get('fetch') ?? 0) + 1)
  })

  it('takes a burst with one frame', () => {
    const { feed, frame, frames, view } = still()
    for (const event of aRun()) feed.take([event])
    expect(frames()).toBe(1)
    frame()
    expect(view.info().state).toBe('SUCCESS')
  })

  it('is not shown before it has come as far as it was when it was opened', () => {
    const due: (() => void)[] = []
    const feed = new RunFeed('r', null, (flush) => due.push(flush))
    const frame = () => act(() => due.splice(0).forEach((flush) => void flush()))
    feed.take(aRun().slice(0, 5)) // read ahead
    frame()
    feed.expect(22)
    const view = new RunView(feed)
    view.attach()
    seen.clear()
    render(
      <RunViewProvider view={view}>
        <Whole />
      </RunViewProvider>,
    )
    for (const event of aRun().slice(5)) {
      feed.take([event])
      frame()
      expect(view.events.length).toBe(event.seq < 22 ? 0 : 22)
    }
    expect([...seen]).toEqual(['undefined undefined 0', 'succeeded succeeded 3'])
    feed.expect(100)
    expect(view.ready).toBe(true)
  })

  it('is shown as far as it is known where the rest does not come', () => {
    vi.useFakeTimers()
    const feed = new RunFeed('r', null, (flush) => flush())
    feed.expect(22)
    const view = new RunView(feed)
    const leave = view.attach()
    vi.runOnlyPendingTimers()
    expect(view.ready).toBe(false)
    feed.take(aRun().slice(0, 5))
    expect(view.ready).toBe(false)
    vi.runOnlyPendingTimers()
    expect(view.info().seq).toBe(5)
    expect(view.nodeRun('fetch')?.status).toBe('running')
    leave()
    vi.useRealTimers()
  })

  it('says at once that it may not be seen', () => {
    const refusing = { subscribe: (_: string, to: Subscriber) => refused(to) } as unknown as LiveSocket
    const refused = (to: Subscriber) => {
      to.error?.({ code: 'NOT_FOUND', message: 'There is no such run' })
      return () => {}
    }
    const feed = new RunFeed('r', refusing, (flush) => queueMicrotask(flush))
    feed.expect(22)
    const view = new RunView(feed)
    view.attach()
    return vi.waitFor(() => expect(view.ready && view.info().failure?.code).toBe('NOT_FOUND'))
  })

  it('tells what went in and out, and which question is open', () => {
    const { feed, view, frame } = still()
    render(
      <RunViewProvider view={view}>
        <Inspector />
      </RunViewProvider>,
    )
    feed.take(aRun().slice(0, 15))
    act(frame)
    expect(screen.getByText('{"result":"ok"} int_1 person')).toBeTruthy()
  })

  it('waits for the app, not for a person, where all that is open are calls of its tools', () => {
    const { feed, view, frame } = still()
    render(
      <RunViewProvider view={view}>
        <Whole />
      </RunViewProvider>,
    )
    const log = aRun().map((event) =>
      event.type === 'STEP_WAITING_FOR_START' ? { ...event, data: { ...event.data, kind: 'client' } } : event,
    )
    feed.take(log.slice(0, 15))
    act(frame)
    expect(screen.getByText('client client 2')).toBeTruthy()
    expect(view.info()?.openQuestions).toBe(0)
  })

  it('shows an earlier moment when scrubbed, while the log grows on', () => {
    const { feed, view, frame } = still()
    feed.take(aRun().slice(0, 15))
    frame()
    view.scrubTo(5)
    expect(view.nodeRun('fetch')?.status).toBe('running')
    feed.take(aRun().slice(15))
    frame()
    expect(view.nodeRun('save')).toBeNull()
    expect(view.info()).toMatchObject({ seq: 5, lastSeq: 22, scrub: 5, state: 'RUNNING' })
    view.scrubTo(null)
    expect(view.nodeRun('save')).toMatchObject({ status: 'succeeded', startedAt: at(2530), ms: 60_071 })
  })

  it('lets nothing tick and nothing be answered in an earlier moment', () => {
    const { feed, view, frame } = still()
    feed.take(aRun())
    frame()
    view.scrubTo(15)
    expect(view.nodeRun('save')).toMatchObject({ status: 'person', since: at(2532), still: at(2533) })
    expect(view.openQuestions()).toEqual([])
    expect(view.info()).toMatchObject({ status: 'person', openQuestions: 1, going: false })
    view.scrubTo(null)
    expect(view.nodeRun('save')?.still).toBeNull()
  })

  it('sums up the rounds of an iteration: the one that goes on leads', () => {
    const { feed, view, frame } = still()
    feed.take(
      logOf([
        [0, null, 'FLOW_START', {}],
        [1, 'read', 'STEP_INIT', { attempt: 1 }, 0],
        [2, 'read', 'STEP_INPUT', {}, 0],
        [3, 'read', 'STEP_INIT', { attempt: 1 }, 1],
        [4, 'read', 'STEP_OUTPUT', {}, 1],
      ]),
    )
    frame()
    expect(view.nodeRun('read')).toMatchObject({ status: 'running', done: 1, total: 2, failed: 0, ms: null })
  })

  it('shows a step that works while the run stands still as waiting', () => {
    const { feed, view, frame } = still()
    feed.take(
      logOf([
        [0, null, 'FLOW_START', {}],
        [1, 'pause', 'STEP_INIT', { attempt: 1 }],
        [2, 'pause', 'STEP_INPUT', {}],
        [3, null, 'FLOW_STOP', { waiting: [{ kind: 'timer', until: '2026-11-21T15:00:00Z' }] }],
      ]),
    )
    frame()
    expect(view.nodeRun('pause')?.status).toBe('waiting')
  })

  it('streams text ahead of the log, and lets the log have the last word', () => {
    const { feed, view, frame } = still()
    feed.take(
      logOf([
        [0, 'say', 'STEP_INIT', { attempt: 1 }],
        [1, 'say', 'TEXT_ADD', { text: 'Good ', offset: 0, channel: 'text' }],
      ]),
    )
    frame()
    feed.preview([
      { step: 'step_say', offset: 0, delta: 'Good ' },
      { step: 'step_say', offset: 5, delta: 'mor' },
    ])
    feed.preview([{ step: 'step_say', offset: 99, delta: 'lost its middle' }])
    frame()
    expect(view.nodeRun('say')?.text).toBe('Good mor')
    feed.take(
      logOf([
        [0, null, 'X'],
        [1, null, 'X'],
        [2, 'say', 'TEXT_ADD', { text: 'morning', offset: 5, channel: 'text' }],
      ]).slice(2),
    )
    frame()
    expect(view.nodeRun('say')?.text).toBe('Good morning')
  })
})
