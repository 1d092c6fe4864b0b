import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { RestoredRun } from '@/api/restored'
import { logOf } from '@/live/fold.testing'
import { RunViewProvider } from '@/live/run-store'
import { RunFeed, RunView } from '@/live/run-view'
import { FakeServer, show } from '@/testing/server'
import { askRestored } from './ask'
import { RestoredNote, RestoredStrip } from './notes'
import { RestoredHost } from './RestoredHost'

const write = {
  run: 'run_1',
  workflow: '',
  node: 'pay',
  title: 'Pay it',
  server: 'ledger',
  tools: ['pay'],
  how: 'began' as const,
  arguments: { name: 'rent' },
  at: '2026-11-22T02:00:00Z',
}
const restoredRun: RestoredRun = {
  run: 'run_1',
  workflow: 'wf_1',
  workflow_name: 'Rent',
  started_by: 'bob@example.org',
  queued_at: '2026-11-22T01:00:00Z',
  restored_from: '2026-11-22T02:00:00Z',
  was_paused: false,
  writes: [
    write,
    { ...write, node: 'more', title: '', how: 'ahead', arguments: null, at: null, workflow: 'Child' },
  ],
  writes_total: 2,
}
const other: RestoredRun = {
  ...restoredRun,
  run: 'run_2',
  workflow_name: 'Post',
  was_paused: true,
  writes: [],
  writes_total: 0,
}

function served(): FakeServer {
  return new FakeServer()
    .on('GET /api/restored-runs', { body: { results: [restoredRun, other], total: 2 } })
    .on('GET /api/runs/run_1/restored', { body: restoredRun })
    .on('POST /api/restored-runs/resume', { status: 202, body: { resumed: ['run_1'] } })
    .on('POST /api/runs/run_1/resume', { status: 202, body: {} })
}

describe('restored runs', () => {
  it('stand over the list of runs, each with what it may have written since', async () => {
    const server = served()
    const user = userEvent.setup()
    show(
      <>
        <RestoredStrip />
        <RestoredHost />
      </>,
    )
    expect((await screen.findByRole('status')).textContent).toContain('2 runs were active')
    await user.click(screen.getByRole('button', { name: 'Review' }))
    const rent = within(await screen.findByRole('region', { name: 'Rent' }))
    expect(rent.getAllByText('ledger / pay')).toHaveLength(2)
    expect(rent.getByText('in progress')).toBeTruthy()
    expect(rent.getByText('more, in Child')).toBeTruthy()
    const post = within(screen.getByRole('region', { name: 'Post' }))
    expect(post.getByText('was paused')).toBeTruthy()
    expect(post.getByText(/No call ahead of it/)).toBeTruthy()
    await user.click(rent.getByRole('button', { name: 'Resume the run of Rent' }))
    await waitFor(() => expect(server.to('POST /api/runs/run_1/resume')).toHaveLength(1))
    await user.click(screen.getByRole('button', { name: 'Resume all' }))
    await waitFor(() => expect(server.to('POST /api/restored-runs/resume')).toHaveLength(1))
  })

  it('are resumed one by one from their own page, and the dialog closes', async () => {
    served()
    const user = userEvent.setup()
    show(<RestoredHost />)
    askRestored({ run: 'run_1' })
    const dialog = within(await screen.findByRole('dialog', { name: 'Restored run' }))
    expect(await dialog.findByText('in progress')).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Resume' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it.each<[string, number]>([
    ['its cross', 0],
    ['its button', 1],
  ])('stay as they are when the dialog is closed by %s', async (_, index) => {
    const server = served()
    const user = userEvent.setup()
    show(<RestoredHost />)
    act(() => askRestored({ run: 'run_1' }))
    await screen.findByText('in progress')
    await user.click(screen.getAllByRole('button', { name: 'Close' })[index] as HTMLElement)
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(server.to('POST /api/runs/run_1/resume')).toEqual([])
  })

  it('say so in their dock, with the way to what they may have written', async () => {
    served()
    const user = userEvent.setup()
    const feed = new RunFeed('run_1', null, (flush) => flush())
    const view = new RunView(feed)
    view.attach()
    const waiting = [{ kind: 'pause', restored_from: '2026-11-22T02:00:00Z' }]
    feed.take(
      logOf(
        [
          [0, null, 'FLOW_START'],
          [1, null, 'FLOW_STOP', { waiting }],
        ],
        'run_1',
      ),
    )
    show(
      <RunViewProvider view={view}>
        <RestoredNote />
        <RestoredHost />
      </RunViewProvider>,
    )
    await user.click(screen.getByRole('button', { name: /^Restored from the backup/ }))
    expect(await screen.findByRole('dialog', { name: 'Restored run' })).toBeTruthy()
  })

  it('are told of no more on the next page', async () => {
    served()
    const { unmount } = show(<RestoredHost />)
    act(() => askRestored({ run: 'run_1' }))
    await screen.findByRole('dialog', { name: 'Restored run' })
    unmount()
    show(<RestoredHost />)
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})
