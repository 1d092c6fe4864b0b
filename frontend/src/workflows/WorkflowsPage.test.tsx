import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { FakeServer, refusal, show } from '@/testing/server'
import WorkflowsPage from './WorkflowsPage'

const workflow = (id: string, name: string, more: object = {}) => ({
  id,
  name,
  slug: name.toLowerCase(),
  description: '',
  draft: { revision: 3, by: 'bob@example.org', at: '2026-11-21T12:00:00Z' },
  published_version: null,
  node_count: 2,
  problem_count: 0,
  servers: [],
  updated_at: '2026-11-21T12:00:00Z',
  last_run: null,
  ...more,
})

function open(rows: readonly object[], role: Parameters<typeof show>[1] = 'editor') {
  const server = new FakeServer().on('GET /api/workflows', ({ path }) => {
    const asked = new URLSearchParams(path.split('?')[1]).get('q')?.toLowerCase() ?? ''
    const found = rows.filter((row) => 'name' in row && String(row.name).toLowerCase().includes(asked))
    return { body: { results: found, next: null } }
  })
  show(<WorkflowsPage />, role)
  return { server, user: userEvent.setup() }
}

describe('the list of workflows', () => {
  it('shows name, state and last edit, and finds by name', async () => {
    const { user } = open([
      workflow('wf_1', 'Digest', { published_version: 7 }),
      workflow('wf_2', 'Triage', { problem_count: 2 }),
    ])
    const digest = await screen.findByTestId('workflow-digest')
    expect(within(digest).getByText('v7')).toBeTruthy()
    expect(within(screen.getByTestId('workflow-triage')).getByText('2 problems')).toBeTruthy()
    const field = screen.getByRole('searchbox', { name: 'Search workflows' })
    await user.type(field, 'tri')
    await waitFor(() => expect(screen.queryByTestId('workflow-digest')).toBeNull())
    expect(screen.getByTestId('workflow-triage')).toBeTruthy()
    await user.type(field, 'umph')
    expect(await screen.findByText('No workflow matches.')).toBeTruthy()
    expect(screen.queryByText('No workflows yet')).toBeNull()
  })

  it('shows each newest run from the one answer, without asking for runs', async () => {
    const last_run = {
      id: 'run_1',
      state: 'WAITING',
      queued_at: '2026-11-21T12:00:00Z',
      waits_for_person: true,
    }
    const { server } = open([workflow('wf_1', 'Digest', { last_run }), workflow('wf_2', 'Triage')])
    const digest = await screen.findByTestId('workflow-digest')
    const links = within(digest).getAllByRole('link')
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/workflows/wf_1', '/runs/run_1'])
    expect(within(screen.getByTestId('workflow-triage')).getByText('–')).toBeTruthy()
    expect(server.to('GET /api/runs')).toHaveLength(0)
  })

  it('an empty list teaches the three steps', async () => {
    open([])
    expect(await screen.findByText('No workflows yet')).toBeTruthy()
    expect(screen.getAllByRole('listitem')).toHaveLength(3)
    expect(screen.getByRole('button', { name: 'New workflow' })).toBeTruthy()
  })

  it('a new workflow begins with its start node and opens', async () => {
    const { server, user } = open([])
    server.on('POST /api/workflows', { status: 201, body: workflow('wf_9', 'Mine') })
    await user.click(await screen.findByRole('button', { name: 'New workflow' }))
    const name = screen.getByRole('textbox', { name: /Workflow name/ })
    await user.clear(name)
    await user.type(name, 'Mine{Enter}')
    await waitFor(() => expect(window.location.pathname).toBe('/workflows/wf_9'))
    const [asked] = server.to('POST /api/workflows')
    expect(asked?.body).toMatchObject({
      name: 'Mine',
      graph: { schema: 1, nodes: [{ id: 'start', type: 'start' }] },
    })
  })

  it('says in the dialog why something cannot be deleted', async () => {
    const { server, user } = open([workflow('wf_1', 'Digest')])
    server.on('DELETE /api/workflows/wf_1', refusal(409, 'CONFLICT'))
    await user.click(await screen.findByRole('button', { name: 'Actions for Digest' }))
    await user.click(screen.getByRole('menuitem', { name: 'Delete' }))
    await user.click(screen.getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('CONFLICT in words.')).toBeTruthy()
  })

  it('a text that is no workflow is refused with the reason', async () => {
    const { server, user } = open([workflow('wf_1', 'Digest')])
    server.on('POST /api/workflows/import', refusal(400, 'VALIDATION_ERROR'))
    await user.click(await screen.findByRole('button', { name: 'Import' }))
    await user.type(screen.getByRole('textbox', { name: /paste its text/ }), 'hello')
    await user.click(screen.getAllByRole('button', { name: 'Import' }).at(-1) as HTMLElement)
    expect(await screen.findByText('VALIDATION_ERROR in words.')).toBeTruthy()
    expect(server.to('POST /api/workflows/import')[0]?.body).toEqual({ text: 'hello' })
  })

  it('a viewer may look, not create', async () => {
    const { user } = open([workflow('wf_1', 'Digest')], 'viewer')
    await user.click(await screen.findByRole('button', { name: 'Actions for Digest' }))
    expect(screen.queryByRole('menuitem', { name: 'Delete' })).toBeNull()
    expect(screen.getByRole('menuitem', { name: 'Export as YAML' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'New workflow' })).toBeNull()
  })
})
