import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Run } from '@/api/run-types'
import { onScreen } from '@/testing/screen'
import { FakeServer, refusal, show } from '@/testing/server'
import { Toasts } from '@/ui'
import { RunsTab } from './dock/RunsTab'
import RunsPage from './RunsPage'

function aRun(change: Partial<Run> = {}): Run {
  return {
    id: 'run_1',
    workflow: 'wf_1',
    workflow_name: 'Weekly digest',
    version: 7,
    state: 'SUCCESS',
    inputs: {},
    outputs: {},
    error: null,
    usage: { input_tokens: 900, output_tokens: 100, cost: 0 },
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
    last_seq: 61,
    ...change,
  }
}

function page(results: readonly Run[], next: string | null = null) {
  const server = new FakeServer()
    .on('GET /api/runs', (request) =>
      request.path.includes('cursor=more')
        ? { body: { results: [aRun({ id: 'run_2', workflow_name: 'Older' })], next: null } }
        : { body: { results, next } },
    )
    .on('GET /api/workflows', { body: { results: [{ id: 'wf_1', name: 'Weekly digest' }], next: null } })
  show(
    <>
      <RunsPage />
      <Toasts />
    </>,
  )
  return { server, user: userEvent.setup() }
}

describe('the list of runs', () => {
  beforeEach(() => window.history.replaceState(null, '', '/runs'))

  it('tells of each run its state, version, duration and who started it', async () => {
    page([aRun()])
    const row = (await screen.findByRole('link', { name: 'Weekly digest' })).closest('tr') as HTMLElement
    expect(row.textContent).toContain('Succeeded')
    expect(row.textContent).toContain('v7')
    expect(row.textContent).toContain('42 s')
    expect(row.textContent).toContain('bob@example.org')
    expect(within(row).getByRole('link').getAttribute('href')).toBe('/runs/run_1')
  })

  it('says whether a waiting run waits for a person', async () => {
    page([aRun({ state: 'WAITING', waiting: [{ kind: 'person', interaction: 'int_1' }], finished_at: null })])
    expect(await screen.findByText('Needs a person')).toBeTruthy()
  })

  it('says that a run waits for the app that called it, and names that', async () => {
    const caller = { kind: 'token', name: 'Shop front', program: null } as const
    const waiting = [{ kind: 'client', interaction: 'int_1' }] as const
    page([aRun({ state: 'WAITING', waiting, caller, trigger: 'agui', finished_at: null })])
    expect(await screen.findByText('Waiting for the app')).toBeTruthy()
    expect(screen.queryByText('Needs a person')).toBeNull()
    expect(screen.getByRole('row', { name: /bob@example.org · Shop front/ })).toBeTruthy()
  })

  it('filters by state, in the address too', async () => {
    const { server, user } = page([aRun()])
    await user.click(await screen.findByRole('radio', { name: 'Failed' }))
    await screen.findByRole('link', { name: 'Weekly digest' })
    expect(server.to('GET /api/runs').at(-1)?.path).toContain('state=ERROR')
    expect(window.location.search).toBe('?state=ERROR')
  })

  it('filters by the program that started runs, found by its name', async () => {
    const { server, user } = page([aRun()])
    const names = [{ name: 'Nightly CI' }, { name: 'Shop front' }]
    server.on('GET /api/run-callers', () => ({ body: { results: names, next: null } }))
    await user.click(await screen.findByRole('button', { name: 'Caller: All callers' }))
    await user.click(await screen.findByRole('option', { name: 'Shop front' }))
    await screen.findByRole('link', { name: 'Weekly digest' })
    expect(server.to('GET /api/runs').at(-1)?.path).toContain('caller=Shop%20front')
    expect(window.location.search).toBe('?caller=Shop+front')
    expect(await screen.findByRole('button', { name: 'Caller: Shop front' })).toBeTruthy()
  })

  it('filters by a workflow that is searched for', async () => {
    const { server, user } = page([aRun()])
    server.on('GET /api/workflows', ({ path }) => {
      const query = new URLSearchParams(path.split('?')[1])
      const rows = [
        { id: 'wf_1', name: 'Weekly digest' },
        { id: 'wf_249', name: 'Far away' },
      ]
      const words = query.get('q') ?? ''
      const ids = query.getAll('id')
      const fits = ({ id, name }: { id: string; name: string }) =>
        ids.length > 0 ? ids.includes(id) : name.includes(words) && (words !== '' || id === 'wf_1')
      return { body: { results: rows.filter(fits), next: null } }
    })
    await user.click(await screen.findByRole('button', { name: 'Workflow: All workflows' }))
    await screen.findByRole('option', { name: 'Weekly digest' })
    await user.keyboard('Far')
    await user.click(await screen.findByRole('option', { name: 'Far away' }))
    expect(window.location.search).toBe('?workflow=wf_249')
    expect(await screen.findByRole('button', { name: 'Workflow: Far away' })).toBeTruthy()
  })

  it('loads page by page', async () => {
    const { user } = page([aRun()], 'more')
    await user.click(await screen.findByRole('button', { name: 'Load more' }))
    expect(await screen.findByRole('link', { name: 'Older' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
  })

  it('keeps what is there when the next page does not come, and tries again', async () => {
    const { server, user } = page([aRun()], 'more')
    await screen.findByRole('link', { name: 'Weekly digest' })
    server.on('GET /api/runs', refusal(500, 'INTERNAL'))
    await user.click(screen.getByRole('button', { name: 'Load more' }))
    expect(await screen.findByText('More could not be loaded.')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Weekly digest' })).toBeTruthy()
    server.on('GET /api/runs', {
      body: { results: [aRun({ id: 'run_2', workflow_name: 'Older' })], next: null },
    })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('link', { name: 'Older' })).toBeTruthy()
  })

  it('teaches when there is nothing yet', async () => {
    page([])
    expect(await screen.findByText('No runs yet')).toBeTruthy()
  })

  it('says what went wrong and offers to try again', async () => {
    const { server, user } = page([])
    server.on('GET /api/runs', refusal(500, 'INTERNAL'))
    await user.click(await screen.findByRole('radio', { name: 'Failed' }))
    expect(await screen.findByText('The runs could not be loaded.')).toBeTruthy()
    server.on('GET /api/runs', { body: { results: [aRun()], next: null } })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('link', { name: 'Weekly digest' })).toBeTruthy()
  })

  it('deletes those that are chosen, after asking; what is refused stays chosen', async () => {
    const { server, user } = page([
      aRun(),
      aRun({ id: 'run_3', workflow_name: 'Held' }),
      aRun({ id: 'run_4', workflow_name: 'Going', state: 'RUNNING', finished_at: null }),
    ])
    server.on('DELETE /api/runs/run_1', {}).on('DELETE /api/runs/run_3', refusal(409, 'CONFLICT'))
    await user.click(await screen.findByRole('button', { name: 'Select runs' }))
    expect(screen.getByRole('checkbox', { name: 'Select a run of Going' })).toHaveProperty('disabled', true)
    await user.click(screen.getByRole('checkbox', { name: 'All finished' }))
    expect(screen.getByText('2 selected')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Delete' }))
    const question = await screen.findByRole('dialog', { name: 'Delete 2 runs?' })
    await user.click(within(question).getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('1 selected')).toBeTruthy()
    expect(server.to('DELETE /api/runs/run_1')).toHaveLength(1)
    expect(screen.getByRole('checkbox', { name: 'Select a run of Held' })).toHaveProperty('checked', true)
  })

  it('lists what one run started, on its own page, and leads back to it', async () => {
    window.history.replaceState(null, '', '/runs?parent=run_9')
    const { server, user } = page([aRun({ parent_run: 'run_9' })], 'more')
    expect(await screen.findByRole('heading', { name: 'Child runs' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Parent run' }).getAttribute('href')).toBe('/runs/run_9')
    await user.click(await screen.findByRole('radio', { name: 'Failed' }))
    expect(window.location.search).toBe('?state=ERROR&parent=run_9')
    await user.click(await screen.findByRole('button', { name: 'Load more' }))
    await screen.findByRole('link', { name: 'Older' })
    for (const request of server.to('GET /api/runs')) expect(request.path).toContain('parent=run_9')
    expect(screen.queryByRole('button', { name: 'Select runs' })).toBeNull()
  })

  it('filters by workflow, in the address too', async () => {
    const { server, user } = page([aRun()])
    await user.click(await screen.findByRole('button', { name: 'Workflow: All workflows' }))
    await user.click(await screen.findByRole('option', { name: 'Weekly digest' }))
    await waitFor(() => expect(server.to('GET /api/runs').at(-1)?.path).toContain('workflow=wf_1'))
    expect(window.location.search).toBe('?workflow=wf_1')
  })

  it('beside another window, its rows have titles; on a phone, where each stands elsewhere, none', async () => {
    onScreen('narrow')
    page([aRun()])
    await screen.findByText('Weekly digest')
    for (const title of ['State', 'Start', 'Duration']) expect(screen.getByText(title)).toBeTruthy()
    cleanup()
    onScreen('phone')
    page([aRun()])
    await screen.findByText('Weekly digest')
    expect(screen.queryByText('Duration')).toBeNull()
  })

  it('on a phone, the states are a list to choose from', async () => {
    onScreen('phone')
    const { server, user } = page([aRun()])
    const states = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Which runs' })
    expect(states.selectedOptions[0]?.text).toBe('All states') // beside "All callers" and "All workflows"
    await user.selectOptions(states, 'Succeeded')
    await waitFor(() => expect(server.to('GET /api/runs').at(-1)?.path).toContain('state=SUCCESS'))
  })

  it('leads from an empty list to the workflows', async () => {
    const { user } = page([])
    await user.click(await screen.findByRole('button', { name: 'Open workflows' }))
    expect(window.location.pathname).toBe('/workflows')
  })

  it.each([
    ['Usage', '/usage'],
    ['Triggers', '/triggers'],
  ])('leads to the page: %s', async (name, path) => {
    const { user } = page([aRun()])
    await user.click(screen.getByRole('button', { name }))
    expect(window.location.pathname).toBe(path)
  })

  it('selects runs one by one, and stops selecting by the same button', async () => {
    const { user } = page([aRun()])
    const select = await screen.findByRole('button', { name: 'Select runs' })
    await user.click(select)
    await user.click(screen.getByRole('checkbox', { name: 'Select a run of Weekly digest' }))
    expect(screen.getByText('1 selected')).toBeTruthy()
    await user.click(select)
    expect(screen.queryByRole('checkbox')).toBeNull()
  })

  it('stops selecting when that is done', async () => {
    const { user } = page([aRun()])
    await user.click(await screen.findByRole('button', { name: 'Select runs' }))
    await user.click(screen.getByRole('button', { name: 'Done' }))
    expect(screen.queryByRole('checkbox')).toBeNull()
  })

  it('deletes nothing when the question is cancelled', async () => {
    const { server, user } = page([aRun()])
    await user.click(await screen.findByRole('button', { name: 'Select runs' }))
    await user.click(screen.getByRole('checkbox', { name: 'All finished' }))
    await user.click(screen.getByRole('button', { name: 'Delete' }))
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(screen.getByText('1 selected')).toBeTruthy()
    expect(server.to('DELETE /api/runs/run_1')).toEqual([])
  })

  it('shows the list without the deleted runs, and the filters again', async () => {
    const { server, user } = page([aRun()])
    await user.click(await screen.findByRole('button', { name: 'Select runs' }))
    await user.click(screen.getByRole('checkbox', { name: 'All finished' }))
    await user.click(screen.getByRole('button', { name: 'Delete' }))
    server.on('DELETE /api/runs/run_1', {}).on('GET /api/runs', { body: { results: [], next: null } })
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('No runs yet')).toBeTruthy()
    expect(screen.getByRole('radio', { name: 'All' })).toBeTruthy()
  })
})

describe('the runs of a workflow, in the dock', () => {
  function tab(results: readonly Run[]) {
    const server = new FakeServer().on('GET /api/runs', { body: { results, next: null } })
    const opened: string[] = []
    show(<RunsTab workflow="wf_1" onOpen={(run) => opened.push(run.id)} />)
    return { server, opened, user: userEvent.setup() }
  }
  const rows = () => screen.findAllByRole('button', { name: /Succeeded/ })

  it('shows the chosen one on the canvas', async () => {
    const { server, opened, user } = tab([aRun(), aRun({ id: 'run_2' })])
    await user.click((await rows())[1] as HTMLElement)
    expect(opened).toEqual(['run_2'])
    expect(server.to('GET /api/runs')[0]?.path).toContain('workflow=wf_1')
  })

  it('arrow keys, Home and End go from row to row', async () => {
    const { user } = tab([aRun(), aRun({ id: 'run_2' }), aRun({ id: 'run_3' })])
    const [first, second, third] = await rows()
    first?.focus()
    await user.keyboard('{ArrowDown}')
    expect(document.activeElement).toBe(second)
    await user.keyboard('{End}')
    expect(document.activeElement).toBe(third)
    await user.keyboard('{Home}')
    expect(document.activeElement).toBe(first)
  })
})
