/** The page of a workflow and the page of a run in jsdom: the real stores, a server that knows one workflow, one run. */
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { onTestFinished } from 'vitest'
import { Route } from 'wouter'
import type { Run } from '@/api/run-types'
import { AppActions } from '@/app/frame/AppActions'
import { giveLayout } from '@/canvas/canvas.testing'
import { sample } from '@/graph/graph.testing'
import type { Graph } from '@/graph/types'
import type { Line } from '@/live/fold.testing'
import { RunsProvider } from '@/live/run-store'
import type { RunView } from '@/live/run-view'
import { runOf } from '@/live/run-view.testing'
import { showPastRun } from '@/runs/hooks'
import { Commands } from '@/testing/commands'
import { FakeServer, show } from '@/testing/server'
import { listenToKeys, Toasts } from '@/ui'
import EditorPage from './EditorPage'
import { loadPanels } from './load-panels'
import RunPage from './RunPage'

// what is fetched when it is first shown is there before: a test waits for what it does, not for code
await Promise.all([
  loadPanels(),
  import('@/app/frame/CommandPalette'),
  import('@/runs/dock/RunsTab'),
  import('@/runs/rerun/RerunDialog'),
  import('@/runs/start/RunFormBody'),
])

export { command } from '@/testing/commands'

export const PUT = 'PUT /api/workflows/wf_1/draft'
const EMPTY = { body: { results: [], next: null } }

const type = (name: string, title: string, group: string) => ({
  type: name,
  v: 1,
  group,
  title,
  description: '',
  config_schema: { type: 'object', properties: {} },
  output_schema: {},
  ports: { in: ['in'], out: ['out'] },
})

/** A run of the workflow, as its list has it. */
export const aRow = (change: Partial<Run> = {}): Run => ({
  id: 'run_1',
  workflow: 'wf_1',
  workflow_name: 'Digest',
  version: null,
  draft_revision: 5,
  state: 'ERROR',
  inputs: {},
  outputs: {},
  error: { code: 'X', message: 'It failed.', node: 'log' },
  usage: { input_tokens: 0, output_tokens: 0, cost: 0, estimated: false },
  waiting: [],
  trigger: 'api',
  trigger_id: null,
  started_by: 'bob@example.org',
  parent_run: null,
  origin_run: null,
  origin_step: null,
  queued_at: '2026-11-21T14:00:00Z',
  started_at: '2026-11-21T14:00:00Z',
  finished_at: '2026-11-21T14:00:42Z',
  last_seq: 5,
  ...change,
})

/** A run that gave something at its first node and failed at the next. */
export const FAILED: readonly Line[] = [
  [0, null, 'FLOW_QUEUED'],
  [1, null, 'FLOW_START', { inputs: {}, version: 1 }],
  [2, 'log', 'STEP_INIT', { attempt: 1 }],
  [3, 'log', 'STEP_INPUT', { input: {} }],
  [4, 'log', 'STEP_OUTPUT', { output: { result: 'three commits' } }],
  [5, 'say', 'STEP_INIT', { attempt: 1 }],
  [6, 'say', 'STEP_ERROR', { code: 'X', message: 'It failed.' }],
  [7, null, 'FLOW_FAILED', { code: 'X', message: 'It failed.', hint: '', node: 'say' }],
]

export interface Opening {
  readonly role?: Parameters<typeof show>[1]
  readonly graph?: Graph
  readonly problems?: readonly object[]
  /** The runs of the workflow, newest first. */
  readonly runs?: readonly Run[]
  /** What their logs hold. */
  readonly lines?: readonly Line[]
  readonly prepare?: (server: FakeServer) => void
}

function serve({ graph = sample(), problems = [], runs = [], prepare }: Opening): FakeServer {
  const draft = { revision: 5, by: 'bob@example.org', at: '2026-11-21T12:00:00Z', graph }
  const workflow = {
    id: 'wf_1',
    name: 'Digest',
    slug: 'digest',
    description: '',
    published_version: 2,
    tests_required: false,
    draft,
  }
  const version = {
    version: 1,
    note: 'first',
    published_at: '2026-11-20T12:00:00Z',
    published_by: 'bob@example.org',
  }
  const types = [type('start', 'Start', 'flow'), type('template', 'Template', 'Data')]
  const server = new FakeServer()
    .on('GET /api/workflows/wf_1', { body: workflow })
    .on('POST /api/workflows/wf_1/validate', { body: { ok: true, problems } })
    .on('GET /api/workflows/wf_1/versions', { body: { results: [version], next: null } })
    .on('GET /api/workflows/wf_1/versions/1', { body: { ...version, graph } })
    .on('GET /api/workflows/wf_1/tests', EMPTY)
    .on('GET /api/node-types', { body: { results: types, next: null } })
    .on('GET /api/mcp/servers', EMPTY)
    .on('GET /api/providers', EMPTY)
    .on('GET /api/workflows', EMPTY)
    .on('GET /api/runs', { body: { results: runs, next: null } })
    .on('GET /api/interactions', EMPTY)
    .on(PUT, { body: { revision: 6, problems: [] } })
  for (const run of runs) server.on(`GET /api/runs/${run.id}`, { body: { ...run, graph } })
  prepare?.(server)
  return server
}

/** A page of the app's, at its address. */
export function openAt(path: string, opening: Opening = {}) {
  giveLayout()
  window.history.replaceState(null, '', path)
  // which run is shown outlives a page: what another test chose is not shown here
  showPastRun('wf_1', opening.runs?.[0] ?? aRow({ id: 'run_none' }))
  const server = serve(opening)
  onTestFinished(listenToKeys())
  const views: Record<string, RunView> = {}
  const open = (run: string) => {
    views[run] ??= runOf(opening.lines ?? [], run)
    return views[run]
  }
  show(
    <RunsProvider source={{ open, load: async () => open }}>
      <AppActions />
      <Route path="/workflows/:id" component={EditorPage} />
      <Route path="/runs/:id" component={RunPage} />
      <Commands />
      <Toasts />
    </RunsProvider>,
    opening.role,
  )
  return { server, user: userEvent.setup(), views }
}

/** The editor, once its canvas and its panels stand. */
export async function openEditor(opening: Opening = {}) {
  const opened = openAt('/workflows/wf_1', opening)
  await screen.findByTestId('canvas')
  await screen.findByRole('region', { name: 'Run' })
  return opened
}

export const openRun = (opening: Opening = {}) =>
  openAt('/runs/run_1', { runs: [aRow()], lines: FAILED, ...opening })

export const canvasElement = (): HTMLElement => screen.getByTestId('canvas')

export const press = (key: string, more: KeyboardEventInit = {}) =>
  act(() => {
    fireEvent.keyDown(canvasElement(), { key, ...more })
  })

/** The card of a node, once it is drawn. */
export const card = (id: string): Promise<HTMLElement> =>
  waitFor(() => {
    const element = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${id}"]`)
    if (!element) throw new Error(`there is no card ${id}`)
    return element
  })

/** Chooses one node, as a click on its card does. */
export async function choose(id: string): Promise<void> {
  const element = await card(id)
  await waitFor(() => {
    fireEvent.click(element)
    if (!element.classList.contains('selected')) throw new Error(`${id} is not chosen`)
  })
}

export const inspector = (): HTMLElement | null => screen.queryByRole('complementary', { name: 'Inspector' })
