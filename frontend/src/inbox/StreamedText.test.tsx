import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { aQuestion } from '@/interactions/interactions.testing'
import { RunsProvider, type RunsSource } from '@/live/run-store'
import { RunFeed, RunView } from '@/live/run-view'
import { anAgent } from '@/live/talks.testing'
import { FakeServer, show } from '@/testing/server'
import { StreamedText } from './StreamedText'

/** The recorded agent, whose question is about a call of its first round. */
function log() {
  return anAgent().map((event) =>
    event.data.interaction === 'int_c' && event.data.key
      ? { ...event, data: { ...event.data, key: 'round:1/call:1/ask' } }
      : event,
  )
}

it('shows what an agent said before the call it asks for, and fetches no long log for it', async () => {
  new FakeServer()
    .on('GET /api/runs/run_long', { body: { id: 'run_long', last_seq: 100_000 } })
    .on('GET /api/runs/run_short', { body: { id: 'run_short', last_seq: 30 } })
  const feed = new RunFeed('run_short', null, (flush) => flush())
  const opened: string[] = []
  const open = (run: string) => {
    opened.push(run)
    return new RunView(feed)
  }
  const source: RunsSource = { open, load: () => Promise.resolve(open) }
  feed.take(log())
  show(
    <RunsProvider source={source}>
      <StreamedText question={aQuestion({ id: 'int_c', run: 'run_long' })} />
      <StreamedText question={aQuestion({ id: 'int_c', run: 'run_short' })} />
    </RunsProvider>,
  )
  expect(await screen.findAllByText('First I look.')).toHaveLength(1)
  expect([...new Set(opened)]).toEqual(['run_short'])
})
