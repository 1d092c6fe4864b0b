/** One policy for all tools of a kind: how many are meant and how many change is said before it is confirmed. */
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import type { Role } from '@/api/queries'
import type { Tool } from '@/api/servers'
import { FakeServer, refusal, show } from '@/testing/server'
import { aServer, aTool } from '../registry.testing'
import { ToolList } from './ToolList'

const AT = '/api/mcp/servers/srv_shop'
const HIGH: Tool['risk'] = { level: 'HIGH', reasons: [] }
const TOOLS = [
  aTool('shop', 'look', { policy: 'allow' }),
  aTool('shop', 'peek'),
  aTool('shop', 'again', { effect: 'idempotent' }),
  aTool('shop', 'delete', { effect: 'write', risk: HIGH }),
]

let api: FakeServer

beforeEach(() => {
  api = new FakeServer()
    .on(`GET ${AT}/tools`, {
      body: { results: TOOLS, next: null, total: 4, changed: 0, tokens: 9, listed_at: null, left_out: [] },
    })
    .on(`GET ${AT}/tool-names`, { body: { results: TOOLS, next: null } })
    .on(`PATCH ${AT}/tools`, { body: { total: 2, changed: 2 } })
})

const shown = (role: Role) =>
  show(<ToolList server={aServer('shop')} requested={null} onTry={() => {}} />, role)

async function openDialog() {
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Set policies' }))
  const dialog = within(screen.getByRole('dialog', { name: 'Policies of shop' }))
  await dialog.findByRole('radio', { name: 'read (2)' })
  return { user, dialog }
}

it('sets a policy of all tools that write, in one request', async () => {
  shown('admin')
  const { user, dialog } = await openDialog()
  await user.click(dialog.getByRole('radio', { name: 'write (2)' }))
  await user.click(dialog.getByRole('radio', { name: 'deny' }))
  expect(dialog.getByRole('status').textContent).toBe('Never runs. Changes 2 of 2 tools.')
  await user.click(dialog.getByRole('button', { name: 'Set 2 policies' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(api.to(`PATCH ${AT}/tools`).map(({ body }) => body)).toEqual([{ which: 'write', policy: 'deny' }])
  await waitFor(() => expect(api.to(`GET ${AT}/tools`)).toHaveLength(2))
})

it('counts only what changes, and has nothing to confirm where nothing does', async () => {
  shown('admin')
  const { user, dialog } = await openDialog()
  await user.click(dialog.getByRole('radio', { name: 'allow' }))
  expect(dialog.getByRole('button', { name: 'Set 1 policy' })).toBeTruthy()
  await user.click(dialog.getByRole('radio', { name: 'high risk (1)' }))
  await user.click(dialog.getByRole('radio', { name: 'auto' }))
  expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Set 0 policies' }).disabled).toBe(true)
})

it('stays open with what went wrong, and cancels without a request', async () => {
  api.on(`PATCH ${AT}/tools`, refusal(403, 'FORBIDDEN'))
  shown('admin')
  const { user, dialog } = await openDialog()
  await user.click(dialog.getByRole('button', { name: 'Set 2 policies' }))
  expect(await dialog.findByRole('alert')).toBeTruthy()
  await user.click(dialog.getByRole('button', { name: 'Cancel' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(api.to(`PATCH ${AT}/tools`)).toHaveLength(1)
})

it('is not offered to those who may not', async () => {
  shown('editor')
  await screen.findByRole('region', { name: 'Tools' })
  expect(screen.queryByRole('button', { name: 'Set policies' })).toBeNull()
})
