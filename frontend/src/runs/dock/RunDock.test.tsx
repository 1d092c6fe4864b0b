import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RunEvent } from '@/api/run-types'
import { GraphProvider } from '@/graph/context'
import { createGraphStore } from '@/graph/store'
import { aQuestion } from '@/interactions/interactions.testing'
import { aRun } from '@/live/fold.testing'
import { RunViewProvider } from '@/live/run-store'
import { RunFeed, RunView } from '@/live/run-view'
import { setDockOpen } from '@/runs/hooks'
import { FakeServer, show } from '@/testing/server'
import { listenToKeys } from '@/ui'
import { RunDock, type RunDockProps } from './RunDock'

const node = (id: string, title: string) => ({
  id,
  type: 'tool',
  v: 1,
  title,
  position: { x: 0, y: 0 },
  config: {},
})

function dock(events: readonly RunEvent[], props: Partial<RunDockProps> = {}) {
  const server = new FakeServer().on('GET /api/interactions', {
    body: { results: [aQuestion({ run: 'r', step: 'step_save' })], next: null },
  })
  const due: (() => void)[] = []
  const feed = new RunFeed('r', null, (flush) => due.push(flush))
  const frame = () => {
    for (const flush of due.splice(0)) flush()
  }
  const view = new RunView(feed)
  view.attach()
  feed.take(events)
  frame()
  const selected: string[] = []
  const started: string[] = []
  const graph = {
    schema: 1 as const,
    nodes: [node('fetch', 'Read the page'), node('save', 'Save it')],
    edges: [],
  }
  show(
    <GraphProvider store={createGraphStore(graph)}>
      <RunViewProvider view={view}>
        <RunDock
          workflowId="wf_1"
          problems={[]}
          onSelectNode={(id) => selected.push(id)}
          onRun={(run) => started.push(run.id)}
          {...props}
        />
      </RunViewProvider>
    </GraphProvider>,
  )
  return { server, feed, view, frame, selected, started, user: userEvent.setup() }
}

const tree = () => screen.getByRole('tree', { name: 'Steps of the run over time' })

describe('the dock', () => {
  // jsdom lays nothing out, so the lists are told how high they are.
  beforeEach(() => {
    setDockOpen(true)
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400)
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1300)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('shows every step with its state and its time', () => {
    dock(aRun())
    const rows = within(tree()).getAllByRole('treeitem')
    expect(rows.map((row) => row.dataset.tip)).toEqual([
      'Read the page · Succeeded · worked 1.5 s · waited 1.0 s · attempt 2',
      'web/get · Failed · worked 1.0 s',
      'web/get · Succeeded · worked 500 ms · attempt 2',
      'Save it · Succeeded · worked 69 ms · waited 1 m 00 s',
      'other · Skipped',
    ])
  })

  it('moves through the steps by keyboard, folds them and tells the canvas', async () => {
    const { selected, user } = dock(aRun())
    await user.click(tree())
    await user.keyboard('{Home}')
    expect(selected.at(-1)).toBe('fetch')
    await user.keyboard('{ArrowLeft}')
    expect(within(tree()).getAllByRole('treeitem')).toHaveLength(3)
    await user.keyboard('{ArrowDown}')
    expect(selected.at(-1)).toBe('save')
  })

  it('opens a step: what went in, what it called, what came out', async () => {
    const { user } = dock(aRun())
    await user.click(screen.getByRole('treeitem', { name: /^Read the page/ }))
    const step = screen.getByRole('region', { name: 'Read the page' })
    expect(within(step).getByText(/attempt 1: MCP_TIMEOUT/)).toBeTruthy()
    const [lost] = within(step).getAllByRole('button', { name: /web\/get/ })
    await user.click(lost as HTMLElement)
    expect(within(step).getByText('No answer came. The call may have happened.')).toBeTruthy()
  })

  it('puts the open question beside its step', async () => {
    dock(aRun().slice(0, 15))
    expect(await screen.findByRole('region', { name: 'Allow filesystem/write_file?' })).toBeTruthy()
    expect(await screen.findByRole('button', { name: 'Approve' })).toBeTruthy()
  })

  it('leads to the answer by a key', async () => {
    const stop = listenToKeys()
    const { user } = dock(aRun().slice(0, 15))
    const approve = await screen.findByRole('button', { name: 'Approve' })
    expect(document.activeElement).not.toBe(approve)
    await user.keyboard('a')
    expect(document.activeElement).toBe(approve)
    stop()
  })

  it('tells who answered the question that stood there, until that was read', async () => {
    const { server, feed, frame, user } = dock(aRun().slice(0, 15))
    await screen.findByRole('button', { name: 'Approve' })
    const answered = {
      state: 'answered',
      answered_by: 'bob@example.org',
      answer: { action: 'accept' },
    } as const
    server.on('GET /api/interactions', {
      body: { results: [aQuestion({ run: 'r', step: 'step_save', ...answered })], next: null },
    })
    feed.take(aRun().slice(15, 18))
    act(frame)
    expect(await screen.findByText('by bob@example.org')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Close' }))
    expect(screen.queryByText('by bob@example.org')).toBeNull()
  })

  it('filters and searches the log', async () => {
    const { user } = dock(aRun())
    await user.click(screen.getByRole('tab', { name: /Log/ }))
    const log = screen.getByRole('log')
    await user.click(screen.getByRole('radio', { name: 'Tools' }))
    expect(within(log).queryByText('STEP_INIT')).toBeNull()
    expect(within(log).getAllByText('TOOL_REQUEST')).toHaveLength(3)
    await user.type(screen.getByRole('searchbox', { name: 'Search the log' }), 'write')
    expect(await within(log).findAllByText('TOOL_REQUEST')).toHaveLength(1)
  })

  it('shows the outputs when the run has ended', async () => {
    const { user } = dock(aRun())
    await user.click(screen.getByRole('tab', { name: 'Output' }))
    expect(screen.getByText('"saved"')).toBeTruthy()
  })

  it('grows with the run', async () => {
    const { feed, frame } = dock(aRun().slice(0, 5))
    expect(within(tree()).getAllByRole('treeitem')).toHaveLength(1)
    feed.take(aRun().slice(5, 14))
    act(frame)
    expect(await screen.findByRole('treeitem', { name: /^Save it/ })).toBeTruthy()
  })

  it('leads from a problem to its node', async () => {
    const problem = {
      code: 'server_unknown',
      severity: 'error' as const,
      node: 'save',
      message: 'No such server.',
    }
    const { selected, user } = dock(aRun(), { problems: [problem], tab: 'problems' })
    await user.click(screen.getByRole('button', { name: /No such server/ }))
    expect(selected).toEqual(['save'])
  })

  it('folds into a strip and remembers it', async () => {
    const { user } = dock(aRun())
    await user.click(screen.getByRole('button', { name: 'Collapse panel' }))
    expect(screen.queryByRole('tree')).toBeNull()
    expect(screen.getByText('Last run')).toBeTruthy()
    expect(localStorage.getItem('flag:dock-open')).toBe('0')
  })
})
