import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RunEvent } from '@/api/run-types'
import { GraphProvider } from '@/graph/context'
import { createGraphStore } from '@/graph/store'
import { aQuestion } from '@/interactions/interactions.testing'
import { aRun, logOf } from '@/live/fold.testing'
import { RunViewProvider } from '@/live/run-store'
import { RunFeed, RunView } from '@/live/run-view'
import { setDockOpen, useDockKey } from '@/runs/hooks'
import { Commands, command } from '@/testing/commands'
import { FakeServer, refusal, show } from '@/testing/server'
import { listenToKeys, Toasts } from '@/ui'
import { RunControls } from './RunControls'
import { RunDock, type RunDockProps } from './RunDock'

const node = (id: string, title: string) => ({
  id,
  type: 'tool',
  v: 1,
  title,
  position: { x: 0, y: 0 },
  config: {},
})

/** As the pages have it. */
function DockKey() {
  useDockKey()
  return null
}

function dock(events: readonly RunEvent[], props: Partial<RunDockProps> = {}, upTo = 0) {
  const server = new FakeServer().on('GET /api/interactions', {
    body: { results: [aQuestion({ run: 'r', step: 'step_save' })], next: null },
  })
  const due: (() => void)[] = []
  const feed = new RunFeed('r', null, (flush) => due.push(flush))
  const frame = () => {
    for (const flush of due.splice(0)) flush()
  }
  feed.expect(upTo)
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
        <DockKey />
        <RunDock
          workflowId="wf_1"
          problems={[]}
          onSelectNode={(id) => selected.push(id)}
          onRun={(run) => started.push(run.id)}
          {...props}
        />
        <Commands />
      </RunViewProvider>
    </GraphProvider>,
  )
  return { server, feed, view, frame, selected, started, user: userEvent.setup() }
}

/** The last event of a run that ended because its second node failed. */
const failed = () =>
  logOf([[62_603, null, 'FLOW_FAILED', { code: 'X', message: 'It failed.', hint: '', node: 'save' }]]).map(
    (event) => ({ ...event, seq: 21 }),
  )

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

  it('shows no step before the log has come as far as the run had', () => {
    const { feed, frame } = dock(aRun().slice(0, 5), {}, 22)
    expect(screen.queryByRole('treeitem')).toBeNull()
    expect(screen.queryByText('This workflow has not run yet.')).toBeNull()
    feed.take(aRun().slice(5))
    act(frame)
    expect(within(tree()).getAllByRole('treeitem')).toHaveLength(5)
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
    const step = await screen.findByRole('region', { name: 'Read the page' })
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

  it('a key folds the dock and opens it again', async () => {
    const stop = listenToKeys()
    const { user } = dock(aRun())
    await user.keyboard('\\')
    expect(screen.queryByRole('tree')).toBeNull()
    await user.keyboard('\\')
    expect(tree()).toBeTruthy()
    stop()
  })

  it('opens from the strip', async () => {
    setDockOpen(false)
    const { user } = dock(aRun())
    await user.click(screen.getByRole('button', { name: 'Expand panel' }))
    expect(tree()).toBeTruthy()
  })

  it.each([
    ['Problems 1', 'problems'],
    ['Runs', 'runs'],
  ])('the strip leads to %s', async (name, expected) => {
    setDockOpen(false)
    const tabs: string[] = []
    const problem = { code: 'x', severity: 'error' as const, node: 'save', message: 'No such server.' }
    const { user } = dock(aRun(), {
      problems: [problem],
      onTab: (tab) => tabs.push(tab),
      onPastRun: () => {},
    })
    await user.click(screen.getByRole('button', { name }))
    expect(tabs).toEqual([expected])
    expect(screen.getByRole('tablist', { name: 'Run' })).toBeTruthy()
  })

  it('a command leads to the runs of the workflow', async () => {
    setDockOpen(false)
    const tabs: string[] = []
    dock(aRun(), { onTab: (tab) => tabs.push(tab), onPastRun: () => {} })
    await command('runs.of_workflow')
    expect(tabs).toEqual(['runs'])
    expect(screen.getByRole('tablist', { name: 'Run' })).toBeTruthy()
  })

  it('lists the runs of the workflow, and shows the chosen one', async () => {
    const opened: string[] = []
    const { server, user } = dock(aRun(), { onPastRun: (run) => opened.push(run.id) })
    const run = { id: 'run_7', state: 'SUCCESS', workflow: 'wf_1', waiting: [], version: 7 }
    server.on('GET /api/runs', { body: { results: [run], next: null } })
    await user.click(screen.getByRole('tab', { name: 'Runs' }))
    await user.click(await screen.findByRole('button', { name: /^Succeeded/ }))
    expect(opened).toEqual(['run_7'])
  })

  it('leads from a test that differs to its node', async () => {
    const { server, selected, user } = dock(aRun())
    const node = {
      node: 'save',
      title: 'Save it',
      status: 'differs',
      expected: { output: 1 },
      got: { output: 2 },
      missing: [],
    }
    const result = { ok: false, version: null, at: '2026-11-22T01:00:00Z', nodes: [node] }
    const test = { id: 't_1', name: 'Saves', run: 'r', result }
    server.on('GET /api/workflows/wf_1/tests', { body: { results: [test], next: null } })
    await user.click(screen.getByRole('tab', { name: 'Tests' }))
    await user.click(await screen.findByRole('button', { name: /^Saves/ }))
    await user.click(screen.getByRole('button', { name: 'Save it' }))
    expect(selected).toEqual(['save'])
  })

  it('leads from the error of a run to its node, in the waterfall', async () => {
    const { selected, user } = dock([...aRun().slice(0, 20), ...failed()])
    await user.click(screen.getByRole('tab', { name: 'Output' }))
    await user.click(screen.getByRole('button', { name: 'Save it' }))
    expect(selected).toEqual(['save'])
    expect(tree()).toBeTruthy()
  })

  it('shows the outputs as text or JSON', async () => {
    const { user } = dock(aRun())
    await user.click(screen.getByRole('tab', { name: 'Output' }))
    await user.click(screen.getByRole('radio', { name: 'JSON' }))
    expect(screen.getByText(/"result": "saved"/)).toBeTruthy()
  })

  it('closes the step', async () => {
    const { user } = dock(aRun())
    await user.click(screen.getByRole('treeitem', { name: /^Read the page/ }))
    await user.click(screen.getByRole('button', { name: 'Close the step' }))
    expect(screen.queryByRole('region', { name: 'Read the page' })).toBeNull()
    expect(screen.getByText(/^Choose a step/)).toBeTruthy()
  })

  it('an event of the log leads to its step, and to its moment where one can look at it', async () => {
    const seen: number[] = []
    const { selected, user } = dock(aRun(), { tab: 'log', onEvent: (seq) => seen.push(seq) })
    await user.click(within(screen.getByRole('log')).getByRole('button', { name: /STEP_INPUTSave it/ }))
    expect(selected).toEqual(['save'])
    expect(seen).toEqual([13])
  })

  it('starts the run again that was asked for, and shows the new one', async () => {
    const { server, started, user } = dock([...aRun().slice(0, 20), ...failed()])
    const graph = { nodes: [], edges: [] }
    server
      .on('GET /api/runs/r', { body: { id: 'r', workflow: 'wf_1', graph, error: { node: 'save' } } })
      .on('GET /api/workflows/wf_1', { body: { id: 'wf_1', draft: { revision: 3, graph } } })
      .on('POST /api/runs/r/retry', ({ body }) =>
        (body as { dry_run?: boolean }).dry_run
          ? { body: { kept: [], runs: [], inside: [], below: [], writes: [], writes_total: 0 } }
          : { status: 201, body: { id: 'r2' } },
      )
    await user.click(screen.getByRole('button', { name: 'Retry from the failed step' }))
    await screen.findByText(/No write is repeated/)
    await user.click(screen.getByRole('button', { name: 'Start the new run' }))
    await waitFor(() => expect(started).toEqual(['r2']))
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('the steps and events in the dock', () => {
  const logOfRun = () => screen.getByRole('log', { name: 'Run events' })
  beforeEach(() => {
    setDockOpen(true)
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400)
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1300)
  })

  it('a step is folded and unfolded by its arrow', async () => {
    const { selected, user } = dock(aRun())
    const arrow = () => tree().querySelector('.wf-fold') as HTMLElement
    await user.click(arrow())
    expect(within(tree()).getAllByRole('treeitem')).toHaveLength(3)
    await user.click(arrow())
    expect(within(tree()).getAllByRole('treeitem')).toHaveLength(5)
    expect(selected).toEqual([])
  })

  it('the log shows only the events of the selected step when asked to', async () => {
    const { user } = dock(aRun(), { tab: 'log', selectedNode: 'save' })
    expect(within(logOfRun()).getByText('FLOW_SUCCESS')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Only the selected step' }))
    expect(within(logOfRun()).queryByText('FLOW_SUCCESS')).toBeNull()
    expect(within(logOfRun()).getByText('STEP_ANSWERED')).toBeTruthy()
  })

  it('the log is copied as lines', async () => {
    const { user } = dock(aRun(), { tab: 'log' })
    await user.click(screen.getByRole('button', { name: 'Copy shown events' }))
    expect(await screen.findByRole('button', { name: 'Copied' })).toBeTruthy()
    const lines = (await navigator.clipboard.readText()).split('\n')
    expect(lines).toHaveLength(aRun().length)
    expect(lines[2]).toContain('STEP_INIT  Read the page')
  })

  it('the log follows its end, but not once it is scrolled away, until it is asked to again', async () => {
    vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(9000)
    const { feed, frame, user } = dock(aRun().slice(0, 10), { tab: 'log' })
    const log = logOfRun()
    log.scrollTo = (to?: ScrollToOptions | number) => {
      log.scrollTop = typeof to === 'object' ? (to.top ?? 0) : 0
    }
    expect(log.scrollTop).toBe(9000)
    log.scrollTop = 20
    fireEvent.scroll(log)
    feed.take(aRun().slice(10, 12))
    act(frame)
    await within(log).findByText('STEP_OUTPUT')
    expect(log.scrollTop).toBe(20)
    await user.click(screen.getByRole('button', { name: 'Go to the newest event' }))
    feed.take(aRun().slice(12, 14))
    act(frame)
    await waitFor(() => expect(log.scrollTop).toBe(9000))
  })
})

describe('the question in the dock', () => {
  const width = (px: number) => vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(px)
  beforeEach(() => {
    setDockOpen(true)
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400)
  })

  it('goes once it is answered', async () => {
    width(1300)
    const { server, feed, frame, user } = dock(aRun().slice(0, 15))
    const answered = aQuestion({ run: 'r', step: 'step_save', state: 'answered' })
    const approve = await screen.findByRole('button', { name: 'Approve' })
    server
      .on('POST /api/interactions/int_1/answer', { body: answered })
      .on('GET /api/interactions', { body: { results: [answered], next: null } })
    await user.click(approve)
    feed.take(aRun().slice(15, 17))
    act(frame)
    await waitFor(() => expect(screen.queryByRole('region', { name: /^Allow/ })).toBeNull())
  })

  it('on a phone, opens over the list when it is asked for, and goes back to it', async () => {
    width(390)
    const { user } = dock(aRun().slice(0, 15))
    await user.click(await screen.findByRole('button', { name: 'Review' }))
    expect(await screen.findByRole('button', { name: 'Approve' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Back' }))
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Review' })).toBeTruthy()
  })
})

describe('what a run takes while it goes on', () => {
  function controls(events: readonly RunEvent[], role?: Parameters<typeof show>[1]) {
    const server = new FakeServer()
    const feed = new RunFeed('r', null, (flush) => flush())
    const view = new RunView(feed)
    view.attach()
    feed.take(events)
    show(
      <RunViewProvider view={view}>
        <RunControls />
        <Commands />
        <Toasts />
      </RunViewProvider>,
      role,
    )
    return { server, feed, user: userEvent.setup() }
  }
  const paused = () =>
    logOf([
      [0, null, 'FLOW_START'],
      [1, null, 'FLOW_STOP', { waiting: [{ kind: 'pause' }] }],
    ])

  it('is stopped by the button, which says at once that it heard', async () => {
    const { server, user } = controls(aRun().slice(0, 5))
    server.on('POST /api/runs/r/cancel', { status: 202 })
    await user.click(screen.getByRole('button', { name: 'Stop' }))
    expect(screen.getByRole('button', { name: 'Stopping' })).toBeTruthy()
    expect(server.to('POST /api/runs/r/cancel')).toHaveLength(1)
  })

  it('is stopped by a key', async () => {
    const stop = listenToKeys()
    const { server, user } = controls(aRun().slice(0, 5))
    await user.keyboard('.')
    await waitFor(() => expect(server.to('POST /api/runs/r/cancel')).toHaveLength(1))
    stop()
  })

  it('says why it was not stopped, and can be stopped again', async () => {
    const { server, user } = controls(aRun().slice(0, 5))
    server.on('POST /api/runs/r/cancel', refusal(409, 'CONFLICT'))
    await user.click(screen.getByRole('button', { name: 'Stop' }))
    expect(await screen.findByText(/CONFLICT in words/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Stop' })).toBeTruthy()
  })

  it('is paused by the button', async () => {
    const { server, user } = controls(aRun().slice(0, 5))
    await user.click(screen.getByRole('button', { name: 'Pause' }))
    await waitFor(() => expect(server.to('POST /api/runs/r/pause')).toHaveLength(1))
  })

  it('goes on by the command once it is paused', async () => {
    const { server } = controls(paused())
    expect(screen.getByRole('button', { name: 'Resume' })).toBeTruthy()
    await command('runs.pause')
    await waitFor(() => expect(server.to('POST /api/runs/r/resume')).toHaveLength(1))
  })
})
