/** How a server answered: totals, a table of every step, and nothing made up where nothing was counted. */
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { ServerCalls } from '@/registry/queries'
import { FakeServer, refusal, show } from '@/testing/server'
import { aServer } from '../registry.testing'
import { Calls } from './Calls'

const AT = 'GET /api/mcp/servers/srv_shop/calls'
const NONE = { calls: 0, errors: 0, failed: 0, p50_ms: null, p95_ms: null }
const BUSY = { calls: 40, errors: 3, failed: 7, p50_ms: 212, p95_ms: 6400 }

const report = (span: ServerCalls['span'], more: Partial<ServerCalls> = {}): ServerCalls => ({
  span,
  since: '2026-11-20T00:00:00+00:00',
  total: BUSY,
  results: [
    { at: '2026-11-20T00:00:00+00:00', ...BUSY },
    { at: '2026-11-21T00:00:00+00:00', ...NONE },
  ],
  ...more,
})

it('tells a day, and a month when asked to, with every step in a table', async () => {
  const api = new FakeServer().on(AT, ({ path }) => ({
    body: report(path.includes('month') ? 'month' : 'day'),
  }))
  show(<Calls server={aServer('shop')} />, 'viewer')
  const user = userEvent.setup()
  const section = within(await screen.findByRole('region', { name: 'Calls of runs' }))
  expect(await section.findByText('25%')).toBeTruthy()
  expect(section.getByText('p95 6.4 s')).toBeTruthy()
  expect(section.getByText(/^Calls are counted since 20 Nov 2026/)).toBeTruthy()
  await user.click(section.getByRole('radio', { name: '30 days' }))
  await waitFor(() => expect(api.to(AT).at(-1)?.path).toContain('span=month'))
  await user.click(section.getByText('Show as a table'))
  const table = within(section.getByRole('table'))
  const cells = (name: string) =>
    within(table.getByRole('row', { name: new RegExp(`^${name}`) }))
      .getAllByRole('cell')
      .map((cell) => cell.textContent)
  await waitFor(() => expect(cells('20 Nov')).toEqual(['40', '3', '7', '212 ms', '6.4 s']))
  expect(cells('21 Nov')).toEqual(['0', '0', '0', '–', '–'])
})

it('says that nothing was counted instead of drawing it', async () => {
  new FakeServer().on(AT, { body: report('day', { since: null, total: NONE, results: [] }) })
  show(<Calls server={aServer('shop')} />, 'viewer')
  expect(await screen.findByText('No calls counted in the last 24 hours.')).toBeTruthy()
  expect(screen.queryByRole('table')).toBeNull()
})

it('says that it could not be loaded', async () => {
  new FakeServer().on(AT, refusal(503, 'SERVICE_UNAVAILABLE'))
  show(<Calls server={aServer('shop')} />, 'viewer')
  expect(await screen.findByRole('alert')).toBeTruthy()
})
