import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { Commands, command } from '@/testing/commands'
import { onScreen } from '@/testing/screen'
import { FakeServer, refusal, show } from '@/testing/server'
import { Toasts } from '@/ui'
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
  window.history.replaceState(null, '', '/workflows')
  const server = new FakeServer().on('GET /api/workflows', ({ path }) => {
    const query = new URLSearchParams(path.split('?')[1]).get('q')?.toLowerCase() ?? ''
    const matches = rows.filter((row) => 'name' in row && String(row.name).toLowerCase().includes(query))
    return { body: { results: matches, next: null } }
  })
  show(
    <>
      <WorkflowsPage />
      <Commands />
      <Toasts />
    </>,
    role,
  )
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
      waits_for_person: false,
      waits_for_client: true,
    }
    const { server } = open([workflow('wf_1', 'Digest', { last_run }), workflow('wf_2', 'Triage')])
    const digest = await screen.findByTestId('workflow-digest')
    const links = within(digest).getAllByRole('link')
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/workflows/wf_1', '/runs/run_1'])
    expect(within(digest).getByText('Waiting for the app')).toBeTruthy()
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
    const [request] = server.to('POST /api/workflows')
    expect(request?.body).toMatchObject({
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
    await user.type(await screen.findByRole('textbox', { name: /paste its text/ }), 'hello')
    await user.click(screen.getAllByRole('button', { name: 'Import' }).at(-1) as HTMLElement)
    expect(await screen.findByText('VALIDATION_ERROR in words.')).toBeTruthy()
    expect(server.to('POST /api/workflows/import')[0]?.body).toEqual({ text: 'hello', dry_run: true })
  })

  it('a viewer may look, not create', async () => {
    const { user } = open([workflow('wf_1', 'Digest')], 'viewer')
    await user.click(await screen.findByRole('button', { name: 'Actions for Digest' }))
    expect(screen.queryByRole('menuitem', { name: 'Delete' })).toBeNull()
    expect(screen.getByRole('menuitem', { name: 'Export as YAML' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'New workflow' })).toBeNull()
  })

  it.each([
    ['New workflow', 'New workflow'],
    ['From a template', 'From a template'],
    ['Import YAML or JSON', 'Import a workflow'],
  ])('where there is none yet, it begins by: %s', async (name, title) => {
    const { user } = open([])
    await user.click(await screen.findByRole('button', { name }))
    expect(await screen.findByRole('dialog', { name: title })).toBeTruthy()
  })

  it.each([
    ['New workflow', 'New workflow'],
    ['From a template', 'From a template'],
    ['Import', 'Import a workflow'],
  ])('beside those there are, one more begins by: %s', async (name, title) => {
    const { user } = open([workflow('wf_1', 'Digest')])
    await screen.findByTestId('workflow-digest')
    await user.click(screen.getByRole('button', { name }))
    const dialog = await screen.findByRole('dialog', { name: title })
    await user.click(within(dialog).getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it.each([
    ['From a template', 'From a template'],
    ['Import YAML or JSON', 'Import a workflow'],
  ])('on a small screen, the menu offers: %s', async (name, title) => {
    onScreen('narrow')
    const { user } = open([workflow('wf_1', 'Digest')])
    await user.click(await screen.findByRole('button', { name: 'More ways to start' }))
    await user.click(screen.getByRole('menuitem', { name }))
    expect(await screen.findByRole('dialog', { name: title })).toBeTruthy()
  })

  it.each([
    ['workflows.new', 'New workflow'],
    ['workflows.template', 'From a template'],
    ['workflows.import', 'Import a workflow'],
  ])('the command %s opens the dialog', async (id, title) => {
    open([workflow('wf_1', 'Digest')])
    await screen.findByTestId('workflow-digest')
    await command(id)
    expect(await screen.findByRole('dialog', { name: title })).toBeTruthy()
  })

  it('reads the list again after it could not be read', async () => {
    const { server, user } = open([])
    server.on('GET /api/workflows', refusal(503, 'UNAVAILABLE'))
    expect(await screen.findByText('UNAVAILABLE in words.')).toBeTruthy()
    server.on('GET /api/workflows', { body: { results: [workflow('wf_1', 'Digest')], next: null } })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByTestId('workflow-digest')).toBeTruthy()
  })

  it('the name of a new workflow is selected, so that typing replaces it', async () => {
    const { user } = open([])
    await user.click(await screen.findByRole('button', { name: 'New workflow' }))
    await user.keyboard('Mine')
    expect(screen.getByRole('textbox', { name: 'Workflow name' })).toHaveProperty('value', 'Mine')
  })

  it('opens an imported workflow', async () => {
    const { server, user } = open([workflow('wf_1', 'Digest')])
    const report = {
      kind: 'patchbay',
      counts: { choose: 0, left: 0, changed: 0, mapped: 1 },
      wants: { tools: [], models: [], secrets: [], servers: [], hosts: [], code: [] },
    }
    server.on('POST /api/workflows/import', ({ body }) =>
      (body as { dry_run?: boolean }).dry_run
        ? { body: { report } }
        : { status: 201, body: { workflow: workflow('wf_7', 'Taken'), report } },
    )
    await user.click(await screen.findByRole('button', { name: 'Import' }))
    const file = new File(['{"schema": 1}'], 'taken.yaml', { type: 'application/yaml' })
    await user.upload(await screen.findByLabelText('Choose a file'), file)
    expect(await screen.findByDisplayValue('{"schema": 1}')).toBeTruthy()
    await user.click(screen.getAllByRole('button', { name: 'Import' }).at(-1) as HTMLElement)
    await waitFor(() => expect(window.location.pathname).toBe('/workflows/wf_7'))
    expect(server.to('POST /api/workflows/import').map((request) => request.body)).toEqual([
      { text: '{"schema": 1}', name: 'taken', dry_run: true },
      { text: '{"schema": 1}', name: 'taken', choices: {} },
    ])
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('the menu of a workflow', () => {
  async function menu(entry: string) {
    const opened = open([workflow('wf_1', 'Digest')])
    await opened.user.click(await screen.findByRole('button', { name: 'Actions for Digest' }))
    await opened.user.click(screen.getByRole('menuitem', { name: entry }))
    return opened
  }

  it('opens it', async () => {
    await menu('Open')
    expect(window.location.pathname).toBe('/workflows/wf_1')
  })

  it('renames it', async () => {
    const { server, user } = await menu('Rename')
    server.on('PATCH /api/workflows/wf_1', { body: workflow('wf_1', 'Weekly') })
    const dialog = within(screen.getByRole('dialog', { name: 'Rename workflow' }))
    const name = dialog.getByRole('textbox', { name: 'Workflow name' })
    await user.clear(name)
    await user.type(name, 'Weekly')
    await user.click(dialog.getByRole('button', { name: 'Rename' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(server.to('PATCH /api/workflows/wf_1')[0]?.body).toMatchObject({ name: 'Weekly' })
  })

  it('keeps the name when the dialog is closed', async () => {
    const { server, user } = await menu('Rename')
    await user.click(screen.getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(server.to('PATCH /api/workflows/wf_1')).toEqual([])
  })

  it('says why it was not duplicated', async () => {
    const { server } = await menu('Duplicate')
    await waitFor(() => expect(server.requests.some(({ method }) => method === 'POST')).toBe(true))
    expect(await screen.findByText('There is nothing here.')).toBeTruthy()
  })

  it.each(['yaml', 'json'])('says why it was not exported as %s', async (format) => {
    const { server } = await menu(`Export as ${format.toUpperCase()}`)
    expect(await screen.findByText('There is nothing here.')).toBeTruthy()
    expect(server.to('GET /api/workflows/wf_1/export')[0]?.path).toContain(`format=${format}`)
  })

  it('deletes it after a question', async () => {
    const { server, user } = await menu('Delete')
    server.on('DELETE /api/workflows/wf_1', {})
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(server.to('DELETE /api/workflows/wf_1')).toHaveLength(1)
  })

  it('deletes nothing when the question is cancelled', async () => {
    const { server, user } = await menu('Delete')
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(server.to('DELETE /api/workflows/wf_1')).toEqual([])
  })
})
