/** Permanent approvals of a server: what they cover and whose they are, taking one back, nothing where there are none. */
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { loadWords } from '@/i18n'
import { FakeServer, refusal, show } from '@/testing/server'
import { aServer } from '../registry.testing'
import { Grants } from './Grants'

const AT = 'GET /api/mcp/servers/srv_shop/grants'
const GRANT = {
  id: '41',
  tool: 'create_issue',
  workflow: 'wf_1',
  of: 'tool',
  by: ['alice@example.org'],
  valid: true,
  created_at: '2026-11-20T00:00:00Z',
}
const OLD = { ...GRANT, id: '40', tool: 'drop', workflow: 'wf_gone', of: 'arguments', by: [], valid: false }

beforeEach(() => loadWords('grants'))

const server = (results: unknown[]) =>
  new FakeServer().on(AT, { body: { results, next: null } }).on('GET /api/workflows', {
    body: { results: [{ id: 'wf_1', slug: 'triage', name: 'Triage' }], next: null },
  })

it('says what each covers, whose it is and whether it holds', async () => {
  server([GRANT, OLD])
  show(<Grants server={aServer('shop')} />, 'viewer')
  const section = within(await screen.findByRole('region', { name: 'Permanent approvals' }))
  await section.findByRole('link', { name: 'Triage' })
  const [first, second] = section.getAllByRole('listitem').map((item) => item.textContent)
  expect(first).toContain('create_issue')
  expect(first).toContain('any call · alice@example.org')
  expect(first).not.toContain('No longer valid')
  expect(second).toContain('a deleted workflow')
  expect(second).toContain('No longer valid')
  expect(second).toContain('exactly these arguments')
})

it('an admin takes one back once they said so, and the list is read anew', async () => {
  const api = server([GRANT]).on('DELETE /api/mcp/servers/srv_shop/grants/41', { status: 204 })
  show(<Grants server={aServer('shop')} />, 'admin')
  const user = userEvent.setup()
  const name = 'Withdraw the approval for create_issue in Triage'
  await user.click(await screen.findByRole('button', { name }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText('The next call of create_issue in Triage asks again.')).toBeTruthy()
  api.on(AT, { body: { results: [], next: null } })
  await user.click(dialog.getByRole('button', { name: 'Withdraw' }))
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Permanent approvals' })).toBeNull())
  expect(api.to('DELETE /api/mcp/servers/srv_shop/grants/41')).toHaveLength(1)
})

it('shows nothing where nobody allowed anything for good', async () => {
  const api = server([])
  show(<Grants server={aServer('shop')} />, 'admin')
  await waitFor(() => expect(api.to(AT)).toHaveLength(1))
  expect(screen.queryByRole('region', { name: 'Permanent approvals' })).toBeNull()
})

it('exports all of them as a file', async () => {
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:here', revokeObjectURL: () => {} }))
  const names: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  server([GRANT]).on(`${AT}/export`, {
    text: '{}\n',
    headers: { 'Content-Disposition': 'attachment; filename="approvals-shop.jsonl"' },
  })
  show(<Grants server={aServer('shop')} />, 'viewer')
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Export' }))
  await waitFor(() => expect(names).toEqual(['approvals-shop.jsonl']))
})

it('withdraws nothing where the question is closed', async () => {
  const api = server([GRANT])
  show(<Grants server={aServer('shop')} />, 'admin')
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: /^Withdraw the approval for create_issue/ }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(api.requests.every(({ method }) => method === 'GET')).toBe(true)
})

it('asks again for what could not be read', async () => {
  const api = server([GRANT]).on(AT, refusal(500, 'INTERNAL'))
  show(<Grants server={aServer('shop')} />, 'viewer')
  const again = await screen.findByRole('button', { name: 'Try again' })
  api.on(AT, { body: { results: [GRANT], next: null } })
  await userEvent.setup().click(again)
  expect(await screen.findByRole('region', { name: 'Permanent approvals' })).toBeTruthy()
})
