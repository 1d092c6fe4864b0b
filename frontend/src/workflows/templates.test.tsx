import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { beforeEach, describe, expect, it } from 'vitest'
import { FakeServer, refusal, show } from '@/testing/server'
import { StartCards } from './StartCards'
import { TemplateDialog } from './TemplateDialog'
import WorkflowsPage from './WorkflowsPage'

const preview = { nodes: [{ id: 'start', type: 'start', x: 0, y: 0, parent: null, server: '' }], edges: [] }
const template = (id: string, name: string, needs: readonly object[] = []) => ({
  id,
  name,
  description: `About ${name}`,
  needs,
  preview,
})
const TIME = { kind: 'server', name: 'time', preset: 'time' }
const MODEL = { kind: 'model', name: 'model', preset: '' }
const PRESET = {
  id: 'time',
  name: { en: 'Time', zh: '时间' },
  transport: 'stdio',
  available: true,
  secrets: [],
  inputs: [{ name: 'ZONE', label: { en: 'Time zone', zh: '时区' }, required: true, placeholder: 'UTC' }],
}
const PROVIDERS = [
  { id: 'pro_1', name: 'House', slug: 'house', models: [{ id: 'm-1' }, { id: 'm-2' }] },
  { id: 'pro_2', name: 'Other', slug: 'other', models: [{ id: 'o-1' }] },
]
const CREATE = 'POST /api/workflows'

interface Team {
  readonly templates: readonly object[]
  readonly servers?: readonly object[]
  readonly presets?: readonly object[]
}

function team({ templates, servers = [], presets = [] }: Team) {
  return new FakeServer()
    .on('GET /api/workflow-templates', { body: { results: templates } })
    .on('GET /api/mcp/servers', { body: { results: servers, next: null } })
    .on('GET /api/mcp/presets', { body: { results: presets } })
    .on('GET /api/providers', { body: { results: PROVIDERS, next: null } })
    .on('GET /api/workflows', { body: { results: [], next: null } })
    .on(CREATE, { status: 201, body: { id: 'wf_5' } })
}

const opened = () => waitFor(() => expect(window.location.pathname).toBe('/workflows/wf_5'))

beforeEach(() => window.history.replaceState(null, '', '/'))

describe('the cards on the first page', () => {
  it('one that works now is made and opened with the form of its run', async () => {
    const server = team({ templates: [template('hello', 'Hello')] })
    show(<StartCards onLook={() => {}} />)
    await userEvent.click(await screen.findByRole('button', { name: 'Try now: Hello' }))
    await opened()
    expect(server.to(CREATE)[0]?.body).toEqual({ template: 'hello', uses: {} })
    expect(window.history.state).toEqual({ run: true })
  })

  it('one that needs a server is set up first', async () => {
    team({ templates: [template('hello', 'Hello'), template('clock', 'Clock', [TIME])] })
    show(<WorkflowsPage />)
    await userEvent.click(await screen.findByRole('button', { name: 'Set up Clock' }))
    const dialog = await screen.findByRole('dialog', { name: 'From a template' })
    expect(await within(dialog).findByRole('radio', { name: /Clock/ })).toHaveProperty('checked', true)
  })
})

function Beside({ templates }: { readonly templates: ReactNode }) {
  return <section aria-label="Templates">{templates}</section>
}

describe('a busy team', () => {
  it('sets up a template from the rows beside its newest workflows', async () => {
    const server = team({ templates: [template('clock', 'Clock', [TIME])] })
    const ran = { id: 'run_1', state: 'SUCCESS', waits_for_person: false, waits_for_client: false }
    const workflow = (n: number) => ({
      id: `wf_${n}`,
      name: `Flow ${n}`,
      slug: `flow-${n}`,
      description: '',
      draft: { revision: 1, by: null, at: '2026-11-21T12:00:00Z' },
      published_version: null,
      node_count: 2,
      problem_count: 0,
      servers: [],
      updated_at: '2026-11-21T12:00:00Z',
      last_run: { ...ran, queued_at: '2026-11-21T12:00:00Z', finished_at: '2026-11-21T12:00:01Z' },
    })
    server.on('GET /api/workflows', {
      body: { results: Array.from({ length: 9 }, (_, n) => workflow(n)), next: null },
    })
    show(<WorkflowsPage BusyTeam={Beside} />)
    const rows = within(await screen.findByRole('region', { name: 'Templates' }))
    await userEvent.click(await rows.findByRole('button', { name: 'Set up Clock' }))
    expect(await screen.findByRole('dialog', { name: 'From a template' })).toBeTruthy()
  })
})

describe('the dialog of templates', () => {
  function dialog(server: FakeServer, role: Parameters<typeof show>[1] = 'editor') {
    const closed: true[] = []
    show(<TemplateDialog onClose={() => closed.push(true)} />, role)
    return { server, closed, user: userEvent.setup() }
  }
  const create = () => screen.getByRole('button', { name: 'Create workflow' })

  it('makes the chosen one and opens it', async () => {
    const { server, user } = dialog(team({ templates: [template('a', 'Hello'), template('b', 'Clock')] }))
    await user.click(await screen.findByRole('radio', { name: /Clock/ }))
    await user.click(create())
    await opened()
    expect(server.to(CREATE)[0]?.body).toEqual({ template: 'b', uses: {} })
    expect(window.history.state).toBeNull()
  })

  it('closes', async () => {
    const { closed, user } = dialog(team({ templates: [] }))
    await user.click(screen.getByRole('button', { name: 'Close' }))
    expect(closed).toHaveLength(1)
  })

  it('works with the server that is chosen for it', async () => {
    const servers = [{ id: 'srv_1', slug: 'git', name: 'Git' }]
    const { server, user } = dialog(team({ templates: [template('b', 'Clock', [TIME])], servers }))
    await screen.findByRole('option', { name: 'Git' })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Server for “time”' }), 'Git')
    await user.click(create())
    await opened()
    expect(server.to(CREATE)[0]?.body).toEqual({ template: 'b', uses: { time: 'git' } })
  })

  it('works with the provider and the model that are chosen for it', async () => {
    const { server, user } = dialog(team({ templates: [template('c', 'Chat', [MODEL])] }))
    await screen.findByRole('option', { name: 'Other' })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Provider' }), 'Other')
    expect(screen.getByRole('combobox', { name: 'Model' })).toHaveProperty('value', 'o-1')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Provider' }), 'House')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Model' }), 'm-2')
    await user.click(create())
    await opened()
    expect(server.to(CREATE)[0]?.body).toEqual({
      template: 'c',
      uses: { provider: 'house', model: 'm-2' },
    })
  })

  it('adds the server that it needs, once its program is said to be known', async () => {
    const server = team({ templates: [template('b', 'Clock', [TIME])], presets: [PRESET] })
      .on('POST /api/mcp/servers', { status: 201, body: { id: 'srv_9', slug: 'time' } })
      .on('POST /api/mcp/servers/srv_9/test', { body: { ok: true } })
    const { user } = dialog(server, 'admin')
    await user.type(await screen.findByRole('textbox', { name: /Time zone/ }), 'Europe/Oslo')
    fireEvent.click(create())
    expect(server.to(CREATE)).toEqual([])
    await user.click(screen.getByRole('checkbox', { name: /I know this program/ }))
    const before = server.to('GET /api/mcp/servers').length
    await user.click(create())
    await opened()
    expect(server.to('POST /api/mcp/servers')[0]?.body).toEqual({
      preset: 'time',
      values: { ZONE: 'Europe/Oslo' },
    })
    expect(server.to(CREATE)[0]?.body).toEqual({ template: 'b', uses: { time: 'time' } })
    expect(server.to('GET /api/mcp/servers').length).toBeGreaterThan(before)
  })

  it('keeps no server that could not be reached, and says what it printed', async () => {
    const report = {
      ok: false,
      code: 'MCP_UNREACHABLE',
      message: 'It ended.',
      hint: '',
      stderr: ['no such zone'],
    }
    const server = team({ templates: [template('b', 'Clock', [TIME])], presets: [{ ...PRESET, inputs: [] }] })
      .on('POST /api/mcp/servers', { status: 201, body: { id: 'srv_9', slug: 'time' } })
      .on('POST /api/mcp/servers/srv_9/test', { body: report })
      .on('DELETE /api/mcp/servers/srv_9', {})
    const { user } = dialog(server, 'admin')
    await user.click(await screen.findByRole('checkbox', { name: /I know this program/ }))
    await user.click(create())
    expect(await screen.findByText('no such zone')).toBeTruthy()
    expect(server.to('DELETE /api/mcp/servers/srv_9')).toHaveLength(1)
    expect(server.to(CREATE)).toEqual([])
  })

  it('says why it was not made', async () => {
    const server = team({ templates: [template('a', 'Hello')] }).on(CREATE, refusal(409, 'CONFLICT'))
    const { user } = dialog(server)
    await screen.findByRole('radio', { name: /Hello/ })
    await user.click(create())
    expect(await screen.findByText('CONFLICT in words.')).toBeTruthy()
  })
})
