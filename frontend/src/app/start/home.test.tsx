import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { FakeServer, show } from '@/testing/server'
import '@/workflows/StartCards'
import './BusyTeam'
import HomePage from './HomePage'

const AT = '2026-11-21T12:00:00Z'
const ran = { id: 'run_1', state: 'SUCCESS', queued_at: AT, waits_for_person: false }
const workflow = (index: number, last_run: object | null) => ({
  id: `wf_${index}`,
  name: `Digest ${index}`,
  slug: `digest-${index}`,
  description: '',
  draft: { revision: 3, by: 'bob@example.org', at: AT },
  published_version: 1,
  node_count: 2,
  problem_count: 0,
  servers: [],
  updated_at: AT,
  last_run,
})
const question = (index: number) => ({
  id: `int_${index}`,
  run: 'run_1',
  root_run: 'run_1',
  workflow_name: 'Digest 1',
  root_workflow_name: 'Digest 1',
  node_title: 'Ask',
  kind: 'approval',
  title: 'May it?',
  tool: { server: 'files', name: `write_${index}` },
  risk: { level: 'HIGH' },
  state: 'open',
  expires_at: null,
  created_at: AT,
})
const run = {
  id: 'run_1',
  workflow: 'wf_1',
  workflow_name: 'Digest 1',
  state: 'ERROR',
  waiting: [],
  trigger: 'webhook',
  started_by: null,
  usage: { input_tokens: 1000, output_tokens: 200 },
  queued_at: AT,
  started_at: AT,
  finished_at: '2026-11-21T12:00:09Z',
}
const schedule = (id: string, name: string, next_at: string, enabled = true) => ({
  id,
  name,
  workflow_name: 'Digest 1',
  enabled,
  next_at,
})
const template = {
  id: 'hello',
  name: 'Hello',
  description: 'About it',
  needs: [],
  preview: { nodes: [], edges: [] },
}

function team(workflows: readonly object[], more: Record<string, unknown> = {}) {
  const today = new Date().toISOString().slice(0, 10)
  const lists: Record<string, unknown> = {
    'GET /api/workflows': { results: workflows, next: null },
    'GET /api/workflow-templates': { results: [template] },
    'GET /api/interactions': { results: [1, 2, 3, 4, 5].map(question), next: null },
    'GET /api/runs': { results: [run], next: null },
    'GET /api/triggers': {
      results: [
        schedule('trg_1', 'Nightly', '2026-11-23T12:00:00Z'),
        schedule('trg_2', 'Hourly', '2026-11-22T12:00:00Z'),
        schedule('trg_3', 'Stopped', '2026-11-22T11:00:00Z', false),
      ],
      next: null,
    },
    'GET /api/mcp/servers': { results: [], next: null, counts: { all: 3, attention: 0, mine: 0 } },
    'GET /api/queue': { limit: 30, running: 3, queued: 0, oldest_s: null, runs: [], workers: [] },
    'GET /api/usage': { results: [{ key: today, runs: 200, failed: 3, cost: 1.82 }] },
    'GET /api/spending': { budgets: [{ name: 'cost', limit: 10 }] },
    ...more,
  }
  const server = new FakeServer()
  for (const [route, body] of Object.entries(lists)) server.on(route, { body })
  return server
}

const busy = [1, 2, 3, 4, 5, 6].map((index) => workflow(index, ran))
const part = async (name: string) => within(await screen.findByRole('region', { name }))

beforeEach(() => window.history.replaceState(null, '', '/'))

describe('the first page', () => {
  it('of a team that ran little says where to begin, and lists its workflows', async () => {
    const server = team([workflow(1, ran), workflow(2, null)])
    show(<HomePage />)
    expect(await screen.findByRole('button', { name: 'Try now: Hello' })).toBeTruthy()
    expect(screen.getByTestId('workflow-digest-2')).toBeTruthy()
    expect(screen.queryByText('Runs today')).toBeNull()
    expect(server.to('GET /api/runs')).toHaveLength(0)
  })

  it('of a busy team says what goes on today', async () => {
    team(busy)
    show(<HomePage />)
    const figure = async (name: string) => (await screen.findByText(name)).closest('a')?.textContent
    await waitFor(async () => expect(await figure('Runs today')).toBe('Runs today2000 yesterday'))
    expect(await figure('Running')).toBe('Running3of 30 at once')
    expect(await figure('Failed today')).toBe('Failed today32%')
    expect(await figure('Spent today')).toBe('Spent today$1.82of $10.00')
  })

  it('of a busy team shows four questions, five workflows and the newest runs', async () => {
    team(busy)
    show(<HomePage />)
    const waiting = await part('Needs you')
    const links = waiting.getAllByRole('link', { name: /^Review: / })
    expect(links.map((link) => link.getAttribute('href'))).toEqual([1, 2, 3, 4].map((n) => `/inbox/int_${n}`))
    expect(waiting.getByText('5')).toBeTruthy()
    expect((await part('Continue with')).getAllByTestId(/^workflow-/)).toHaveLength(5)
    const runs = await part('Recent runs')
    expect(runs.getByRole('link', { name: 'Digest 1' }).getAttribute('href')).toBe('/runs/run_1')
    expect(runs.getByText('webhook')).toBeTruthy()
    expect(
      (await part('Start with one that works')).getByRole('button', { name: 'Try now: Hello' }),
    ).toBeTruthy()
  })

  it('of a busy team says what starts next, soonest first, and nothing that is off', async () => {
    team(busy)
    show(<HomePage />)
    const next = await part('Coming up')
    expect(next.getAllByRole('link').map((link) => link.textContent)).toEqual([
      'Triggers',
      'Hourly',
      'Nightly',
    ])
    expect(screen.queryByRole('region', { name: 'Servers' })).toBeNull()
  })

  it('of a busy team says which triggers went off by themselves, and why', async () => {
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    const off = (id: string, name: string, off_reason: string | null, off_at: string | null) => ({
      ...schedule(id, name, '', false),
      kind: 'webhook',
      next_at: null,
      off_reason,
      off_at,
    })
    team(busy, {
      'GET /api/triggers': {
        results: [
          off('trg_1', 'By hand', null, null),
          off('trg_2', 'Long ago', 'left', ago(40)),
          off('trg_3', 'Issues', 'failures', ago(2)),
          off('trg_4', 'Mails', 'role', ago(1)),
        ],
        next: null,
      },
    })
    show(<HomePage />)
    const gone = await part('Triggers that went off')
    expect(gone.getAllByRole('link').map((link) => link.textContent)).toEqual(['Triggers', 'Mails', 'Issues'])
    expect(gone.getByText('Off: 20 failures in a row')).toBeTruthy()
    expect(gone.getByRole('link', { name: 'Issues' }).getAttribute('href')).toBe('/triggers/trg_3')
  })

  it('of a busy team names the servers that need attention', async () => {
    const status = { state: 'error', code: 'MCP_UNREACHABLE' }
    const ill = {
      id: 'srv_1',
      slug: 'issues',
      name: 'Issues',
      enabled: true,
      expires_at: null,
      status,
      changed_tools: 0,
    }
    team(busy, {
      'GET /api/mcp/servers': { results: [ill], next: null, counts: { all: 3, attention: 1, mine: 0 } },
    })
    show(<HomePage />)
    const servers = await part('Servers')
    expect(servers.getByText('1 of 3 need attention')).toBeTruthy()
    expect(servers.getByRole('link', { name: 'Issues' }).getAttribute('href')).toBe('/registry/issues')
  })
})
