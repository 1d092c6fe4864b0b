import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { InstallationFacts } from '@/api/installation'
import { FakeServer, refusal, show, unwatched } from '@/testing/server'
import { Installation } from './Installation'

const facts: InstallationFacts = {
  operators: [
    { email: 'alice@example.org', name: 'Alice', named: true },
    { email: 'olga@example.org', name: '', named: false },
  ],
  teams: 2,
  programs: { allowed: true, set: true },
  commands: ['uvx'],
  hosts: ['10.0.0.0/8'],
  proxy: false,
  loopback: { allowed: false, set: false, default: false },
  allowed: [
    {
      id: 'alw_1',
      kind: 'host',
      value: 'wiki\u202e.internal',
      added_by: 'alice@example.org',
      created_at: '2026-11-21T12:00:00Z',
    },
  ],
}

const storage = {
  database_bytes: 2048,
  free_mb: 1024,
  retention_days: 30,
  blobs: { count: 2, bytes: 3072 },
  files: { count: 1, bytes: 1024 },
  teams_count: 900,
  teams: [
    {
      id: 'team_2',
      name: 'Research',
      members: 4,
      runs: 12,
      events: 340,
      blobs: { count: 2, bytes: 3072 },
      files: { count: 1, bytes: 1024 },
    },
  ],
}

const workers = {
  mode: 'scaled',
  lease_s: 15,
  limit: 30,
  running: 3,
  queued: 0,
  waiting: 2,
  oldest_s: null,
  workers: [
    { name: 'one:11', alive: true, running: 3, capacity: 64, age_s: 600, seen_s: 2 },
    { name: 'two:22', alive: false, running: 0, capacity: 64, age_s: 900, seen_s: 40 },
  ],
}

const answering = (more: Partial<InstallationFacts> = {}) =>
  new FakeServer()
    .on('GET /api/operator/installation', { body: { ...facts, ...more } })
    .on('GET /api/operator/storage', { body: storage })
    .on('GET /api/operator/workers', { body: workers })
    .on('GET /api/operator/programs', { body: { results: [], next: null, counts: null } })

it('says who operates, what is allowed and from where, with hidden characters to be seen', async () => {
  answering()
  show(<Installation />)
  expect(await screen.findByText('alice@example.org')).toBeTruthy()
  expect(screen.getByText('Owner of the only team')).toBeTruthy()
  expect(screen.getByText(/manage\.py operator/)).toBeTruthy()
  const allowed = within(screen.getByRole('region', { name: 'Allowed here' }))
  expect(allowed.getByText('uvx').parentElement?.textContent).toContain('Environment')
  const added = allowed.getByText('wiki⟨U+202E⟩.internal')
  expect(added.parentElement?.textContent).toContain('Added by alice@example.org')
  expect(allowed.getAllByRole('button', { name: /^Remove/ })).toHaveLength(1)
})

it('allows one more, and shows what the server says against it', async () => {
  const user = userEvent.setup()
  const server = answering().on(
    'POST /api/operator/allowed',
    refusal(400, 'VALIDATION_FAILED', { fields: { value: ['must be a host'] } }),
  )
  show(<Installation />)
  await user.click(await screen.findByRole('button', { name: 'Allow a host' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByRole('textbox'), 'x:80')
  await user.click(dialog.getByRole('button', { name: 'Add' }))
  expect(await dialog.findByText('must be a host')).toBeTruthy()
  server.on('POST /api/operator/allowed', { status: 201, body: facts.allowed[0] })
  await user.click(dialog.getByRole('button', { name: 'Add' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(server.to('POST /api/operator/allowed')[0]?.body).toEqual({ kind: 'host', value: 'x:80' })
})

it('takes back after asking', async () => {
  const user = userEvent.setup()
  const server = answering().on('DELETE /api/operator/allowed/alw_1', { body: {} })
  show(<Installation />)
  await user.click(await screen.findByRole('button', { name: /^Remove/ }))
  expect(server.to('DELETE /api/operator/allowed/alw_1')).toHaveLength(0)
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(server.to('DELETE /api/operator/allowed/alw_1')).toHaveLength(1))
})

it('offers no list of commands where every command may be started', async () => {
  answering({ commands: [] })
  show(<Installation />)
  expect(await screen.findByText(/Any command may be started/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Allow a command' })).toBeNull()
})

it('leaves loopback to the environment where that decides', async () => {
  answering({ loopback: { allowed: false, set: true, default: true } })
  show(<Installation />)
  expect(await screen.findByText('(Environment)')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Allow' })).toBeNull()
})

it('allows loopback where nobody said anything', async () => {
  const server = answering().on('POST /api/operator/allowed', { status: 201, body: facts.allowed[0] })
  show(<Installation />)
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Allow' }))
  await waitFor(() =>
    expect(server.to('POST /api/operator/allowed')[0]?.body).toEqual({ kind: 'loopback', value: '' }),
  )
})

it('tells storage of all teams and workers in numbers', async () => {
  answering()
  show(<Installation />)
  const row = (await screen.findByText('Research')).closest('tr')
  expect(row?.textContent).toContain('340')
  expect(screen.getByText('The 1 largest of 900 teams are shown.')).toBeTruthy()
  expect((await screen.findByText('one:11')).closest('tr')?.textContent).toContain('Alive')
  expect(screen.getByText('two:22').closest('tr')?.textContent).toContain('Silent')
})

it.each(['installation', 'storage', 'workers'])('asks again for %s that could not be read', async (part) => {
  unwatched()
  const route = `GET /api/operator/${part}`
  const server = answering().on(route, refusal(500, 'INTERNAL'))
  show(<Installation />)
  const again = await screen.findByRole('button', { name: 'Try again' })
  const before = server.to(route).length
  await userEvent.click(again)
  await waitFor(() => expect(server.to(route).length).toBeGreaterThan(before))
})

it('disallows loopback again, and says so', async () => {
  const entry = {
    id: 'alw_2',
    kind: 'loopback' as const,
    value: '',
    added_by: 'alice@example.org',
    created_at: '2026-11-21T12:00:00Z',
  }
  const server = answering({ loopback: { allowed: true, set: false, default: false }, allowed: [entry] })
  server.on('DELETE /api/operator/allowed/alw_2', () => {
    server.on('GET /api/operator/installation', { body: { ...facts, allowed: [] } })
    return {}
  })
  show(<Installation />)
  await userEvent.click(await screen.findByRole('button', { name: 'Disallow' }))
  expect(await screen.findByRole('button', { name: 'Allow' })).toBeTruthy()
})

it.each([
  ['Allow a host', 'Close'],
  ['Remove wiki⟨U+202E⟩.internal', 'Cancel'],
])('leaves all as it is where the dialog is left: %s', async (name, way) => {
  answering()
  show(<Installation />)
  await userEvent.click(await screen.findByRole('button', { name }))
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: way }))
  expect(screen.queryByRole('dialog')).toBeNull()
})
