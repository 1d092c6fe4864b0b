import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Run } from '@/api/run-types'
import { FakeServer, refusal, show } from '@/testing/server'
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
    .on('GET /api/runs', (asked) =>
      asked.path.includes('cursor=more')
        ? { body: { results: [aRun({ id: 'run_2', workflow_name: 'Older' })], next: null } }
        : { body: { results, next } },
    )
    .on('GET /api/workflows', { body: { results: [{ id: 'wf_1', name: 'Weekly digest' }], next: null } })
  show(<RunsPage />)
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

  it('filters by state, in the address too', async () => {
    const { server, user } = page([aRun()])
    await user.click(await screen.findByRole('radio', { name: 'Failed' }))
    await screen.findByRole('link', { name: 'Weekly digest' })
    expect(server.to('GET /api/runs').at(-1)?.path).toContain('state=ERROR')
    expect(window.location.search).toBe('?state=ERROR')
  })

  it('loads page by page', async () => {
    const { user } = page([aRun()], 'more')
    await user.click(await screen.findByRole('button', { name: 'Load more' }))
    expect(await screen.findByRole('link', { name: 'Older' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
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
    for (const asked of server.to('GET /api/runs')) expect(asked.path).toContain('parent=run_9')
    expect(screen.queryByRole('button', { name: 'Select runs' })).toBeNull()
  })
})
