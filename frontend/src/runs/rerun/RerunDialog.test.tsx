import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Role } from '@/api/queries'
import { GraphProvider } from '@/graph/context'
import { createGraphStore } from '@/graph/store'
import { loadRest, translate } from '@/i18n'
import type { Step } from '@/live/fold'
import { logOf } from '@/live/fold.testing'
import { RunViewProvider } from '@/live/run-store'
import { RunFeed, RunView } from '@/live/run-view'
import { useForkKey } from '@/runs/hooks'
import { Commands, command } from '@/testing/commands'
import { FakeServer, refusal, show } from '@/testing/server'
import { ForkButton, OriginNote, RetryButton } from './buttons'
import { ForkHere } from './ForkHere'
import { forkEntries } from './menu'
import { RerunHost } from './RerunHost'
import { requestRerun } from './request'

const asks = { type: 'object', properties: { name: { type: 'string', title: 'Name' } } }
const graph = {
  schema: 1 as const,
  nodes: [
    { id: 'start', type: 'start', v: 1, title: 'Start', position: { x: 0, y: 0 }, config: { inputs: asks } },
    { id: 'send', type: 'tool', v: 1, title: 'Send mail', position: { x: 0, y: 0 }, config: {} },
  ],
  edges: [],
}
const step = (node: string, title: string) => ({ node, title, type: 'tool' })
const write = {
  node: 'send',
  run: 'r',
  step: 's',
  server: 'mail',
  tool: 'send_mail',
  arguments: { to: 'all' },
  at: '2026-11-22T01:00:00Z',
  effect: 'write',
  outcome: 'unknown',
}
const plan = {
  origin_run: 'r',
  origin_node: 'send',
  kept: [step('start', 'Start')],
  runs: [{ ...step('send', 'Send mail'), why: 'point', rounds_kept: 2 }],
  inside: [{ ...step('each', 'Each'), path: [{ node: 'send', index: 2 }], rounds_kept: 5 }],
  below: [{ ...step('ask', 'Ask'), path: [], run: 'rb', workflow: 'Paying', steps_kept: 3, rounds_kept: 1 }],
  writes: [write],
  writes_total: 1,
}

interface Sent {
  readonly role?: Role
  readonly draft?: unknown
  /** The run's events have not come yet when the page stands: `come` brings them. */
  readonly late?: boolean
  readonly save?: (() => Promise<unknown>) | null
}

function open({ role = 'editor', draft = graph, late = false, save = null }: Sent = {}) {
  const server = new FakeServer()
    .on('GET /api/runs/r', {
      body: { id: 'r', workflow: 'wf', graph, inputs: { name: 'Ada' }, error: { node: 'send' } },
    })
    .on('GET /api/workflows/wf', { body: { id: 'wf', draft: { revision: 3, graph: draft } } })
    .on('POST /api/runs/r/retry', ({ body }) =>
      (body as { dry_run?: boolean }).dry_run ? { body: plan } : { status: 201, body: { id: 'r2' } },
    )
    .on('POST /api/runs/r/fork', ({ body }) =>
      (body as { dry_run?: boolean }).dry_run
        ? { body: { ...plan, writes: [], writes_total: 0 } }
        : { status: 201, body: { id: 'r3' } },
    )
  const due: (() => void)[] = []
  const feed = new RunFeed('r', null, (flush) => due.push(flush))
  if (late) feed.expect(5)
  const view = new RunView(feed)
  view.attach()
  feed.take(
    logOf([
      [0, null, 'FLOW_QUEUED', { origin_run: 'r0', origin_node: 'send', copied_seq: 2 }],
      [1, 'start', 'STEP_INIT', { attempt: 1 }],
      [2, null, 'FLOW_START'],
      [3, 'send', 'STEP_INIT', { attempt: 1 }],
      [4, null, 'FLOW_FAILED', { code: 'MCP_TIMEOUT', message: 'No answer.', hint: '', node: 'send' }],
    ]),
  )
  const come = () => {
    for (const flush of due.splice(0)) flush()
  }
  if (!late) come()
  const started: string[] = []
  const store = createGraphStore(graph)
  const { unmount } = show(
    <GraphProvider store={store}>
      <RunViewProvider view={view}>
        <Forking save={save} />
        <RetryButton />
        <OriginNote titleOf={() => 'Send mail'} />
        <RerunHost onStarted={(run) => started.push(run.id)} />
        <Commands />
      </RunViewProvider>
    </GraphProvider>,
    role,
  )
  return { server, store, view, come, started, leave: unmount, user: userEvent.setup() }
}

/** The key and what it does, as the pages have them. */
function Forking({ save }: { readonly save: (() => Promise<unknown>) | null }) {
  const fork = useForkKey()
  return <ForkHere {...fork} shows="r" save={save} />
}

describe('running again', () => {
  beforeEach(() => loadRest())

  it('lists the write that may happen again before it retries', async () => {
    const { server, started, user } = open()
    await user.click(screen.getByRole('button', { name: 'Retry from the failed step' }))
    const dialog = await screen.findByRole('dialog', { name: 'Retry from Send mail' })
    expect(await within(dialog).findByText('1 write will or may happen again')).toBeTruthy()
    expect(within(dialog).getByText('mail / send_mail')).toBeTruthy()
    expect(within(dialog).getByText('may have happened')).toBeTruthy()
    expect(within(dialog).getByText('2 finished items reused')).toBeTruthy()
    expect(within(dialog).getByText('5 finished items reused')).toBeTruthy()
    expect(within(dialog).getByText('3 steps reused, 1 finished item reused')).toBeTruthy()
    expect(within(dialog).getByText('Paying (Ask)')).toBeTruthy()
    expect(within(dialog).getByText('Each (Send mail 3)')).toBeTruthy()
    await user.click(within(dialog).getByRole('button', { name: 'Start the new run' }))
    await expect.poll(() => started).toEqual(['r2'])
    expect(server.to('POST /api/runs/r/retry').map((request) => request.body)).toEqual([
      { dry_run: true },
      {},
    ])
  })

  it('forks from the start with other inputs, and says plainly that nothing is written', async () => {
    const { server, started, user } = open()
    act(() => requestRerun({ run: 'r', node: 'start' }))
    const dialog = await screen.findByRole('dialog', { name: 'Fork from Start' })
    expect(await within(dialog).findByText(/No write is repeated/)).toBeTruthy()
    const name = within(dialog).getByRole('textbox', { name: 'Name' })
    await user.clear(name)
    await user.type(name, 'Eve')
    await user.click(within(dialog).getByRole('button', { name: 'Start the new run' }))
    await expect.poll(() => started).toEqual(['r3'])
    expect(server.to('POST /api/runs/r/fork').at(-1)?.body).toEqual({
      step: 'start',
      inputs: { name: 'Eve' },
    })
  })

  it('takes the draft where one differs, and shows what is refused', async () => {
    const draft = { ...graph, language: 'en' }
    const { server, user } = open({ draft })
    await user.click(screen.getByRole('button', { name: 'Retry from the failed step' }))
    server.on('POST /api/runs/r/fork', refusal(400, 'GRAPH_INVALID'))
    await user.click(await screen.findByRole('checkbox', { name: /Use current draft/ }))
    expect(await screen.findByText('GRAPH_INVALID in words.')).toBeTruthy()
    expect(server.to('POST /api/runs/r/fork')[0]?.body).toEqual({ step: 'send', graph: draft, dry_run: true })
  })

  it('says where the run came from and which steps it took over', () => {
    const { view } = open()
    const link = screen.getByRole('link', { name: 'From Send mail of an earlier run' })
    expect(link.getAttribute('href')).toBe('/runs/r0')
    expect([...view.state.steps.values()].map((step) => [step.node, step.copied])).toEqual([
      ['start', true],
      ['send', false],
    ])
  })

  it('is not offered to those who only look', () => {
    open({ role: 'viewer' })
    expect(screen.queryByRole('button', { name: 'Retry from the failed step' })).toBeNull()
  })

  it.each(['Close', 'Cancel'])('starts nothing when the dialog is left: %s', async (name) => {
    const { started, user } = open()
    await user.click(screen.getByRole('button', { name: 'Retry from the failed step' }))
    await screen.findByText('mail / send_mail')
    await user.click(screen.getByRole('button', { name }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(started).toEqual([])
  })

  it('is a command too', async () => {
    open()
    await command('runs.retry')
    expect(await screen.findByRole('dialog', { name: 'Retry from Send mail' })).toBeTruthy()
  })

  it('is a command for the node that is selected', async () => {
    const { store } = open()
    act(() => store.getState().select({ nodes: ['send'] }))
    await command('runs.fork_here')
    expect(await screen.findByRole('dialog', { name: 'Fork from Send mail' })).toBeTruthy()
  })

  it('hears a key that is pressed before the run has come', async () => {
    const { store, come } = open({ late: true })
    act(() => store.getState().select({ nodes: ['send'] }))
    await command('runs.fork_here')
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(screen.queryByText(translate('rerun.fork_none'))).toBeNull()
    act(come)
    expect(await screen.findByRole('dialog', { name: 'Fork from Send mail' })).toBeTruthy()
  })

  it('goes with the page that asked for it', async () => {
    const { leave } = open()
    await command('runs.retry')
    await screen.findByRole('dialog', { name: 'Retry from Send mail' })
    leave()
    open()
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('opens on no other page when the draft is saved after its own has gone', async () => {
    const saving = Promise.withResolvers<void>()
    const { store, leave } = open({ save: () => saving.promise })
    act(() => store.getState().select({ nodes: ['send'] }))
    await command('runs.fork_here')
    leave()
    open()
    await act(async () => saving.resolve())
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('shows and hides the arguments of a write', async () => {
    const { user } = open()
    await user.click(screen.getByRole('button', { name: 'Retry from the failed step' }))
    const call = await screen.findByRole('button', { name: /mail \/ send_mail/ })
    expect(screen.getByText('"all"')).toBeTruthy()
    await user.click(call)
    expect(screen.queryByText('"all"')).toBeNull()
  })

  it('says no more why an input was refused once it is changed', async () => {
    const { server, user } = open()
    act(() => requestRerun({ run: 'r', node: 'start' }))
    const name = await screen.findByRole('textbox', { name: 'Name' })
    await screen.findByText(/No write is repeated/)
    server.on(
      'POST /api/runs/r/fork',
      refusal(400, 'VALIDATION_ERROR', { fields: { 'inputs.name': ['is taken'] } }),
    )
    await user.click(screen.getByRole('button', { name: 'Start the new run' }))
    expect(await screen.findByText('is taken')).toBeTruthy()
    await user.type(name, 'x')
    expect(screen.queryByText('is taken')).toBeNull()
  })

  it('forks from the head of a step, and from the menu of its card', async () => {
    const { view, user } = open()
    const step = [...view.state.steps.values()].find((entry) => entry.node === 'send')
    show(
      <RunViewProvider view={view}>
        <ForkButton step={step as Step} title="Send mail" />
      </RunViewProvider>,
    )
    await user.click(screen.getByRole('button', { name: 'Fork the run from Send mail' }))
    expect(await screen.findByRole('dialog', { name: 'Fork from Send mail' })).toBeTruthy()
    act(() => requestRerun(null))
    const [entry] = forkEntries(view, 'start', translate)
    act(() => entry && 'onSelect' in entry && entry.onSelect())
    expect(await screen.findByRole('dialog', { name: 'Fork from Start' })).toBeTruthy()
  })
})
