/** The audit page: rows with their details, filters in the address, exports with our headers, for admins only. */
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadRest } from '@/i18n'
import { FakeServer, refusal, show } from '@/testing/server'
import { Audit } from './Audit'

beforeAll(loadRest)

const ENTRY = {
  id: 'aud_1',
  at: '2026-11-22T05:31:19.776Z',
  action: 'workflow.changed',
  actor: { id: 'usr_1', email: 'bob@example.org', name: 'Bob' },
  token: null,
  kind: 'workflow',
  target: 'wf_1',
  data: { name: 'Invoices', slug: 'invoices' },
  changes: { description: ['', 'Every month'] },
  content: {},
  erased: false,
  link: {
    position: 4,
    digest: 'ab'.repeat(32),
    data_digest: '',
    data_salt: null,
    content_digest: '',
    content_salt: null,
  },
}
const GONE = {
  ...ENTRY,
  id: 'aud_2',
  action: 'interaction.answered',
  actor: { id: 'usr_2', email: null, name: null },
  kind: 'interaction',
  target: 'int_1',
  data: { run: 'run_1', answer: 'accept' },
  changes: {},
  erased: true,
  link: null,
}
const UNKNOWN = { ...ENTRY, id: 'aud_3', action: 'thing.done', kind: '', target: '', data: {}, changes: {} }

const CHAIN = {
  start: 0,
  head: 4,
  digest: 'ab'.repeat(32),
  verified: 4,
  verified_at: '2026-11-22T05:31:19.776Z',
  broken: null as number | null,
  problem: '',
  waiting: 2,
}

const served = (results: readonly object[] = [ENTRY, GONE, UNKNOWN]) =>
  new FakeServer()
    .on('GET /api/audit', { body: { results, next: null } })
    .on('GET /api/audit/chain', { body: CHAIN })
    .on('GET /api/teams/members', {
      body: { results: [{ id: 'mem_1', user: 'usr_1', email: 'bob@example.org', name: 'Bob' }], next: null },
    })

describe('the audit page', () => {
  beforeEach(() => window.history.replaceState(null, '', '/settings/audit'))

  it('names the server that a program was started for', async () => {
    const started = { ...ENTRY, action: 'program.started', kind: 'server', target: 'srv_1', changes: {} }
    const declared = {
      ...started,
      id: 'aud_9',
      target: 'decl_5f0c',
      data: { server: 'clock', command: 'uvx' },
    }
    served([{ ...started, data: { server: 'files', command: 'npx' } }, declared])
    show(<Audit />, 'admin')
    expect((await screen.findByRole('link', { name: 'files' })).getAttribute('href')).toBe('/registry/files')
    expect(screen.getByText('clock').closest('a')).toBeNull()
  })

  it('names an invitation by whom it is for, also one for anyone with its link', async () => {
    const invited = {
      ...ENTRY,
      action: 'invitation.created',
      kind: 'invitation',
      target: 'inv_1',
      changes: {},
    }
    served([
      { ...invited, data: { role: 'editor', email: 'dana@example.org', days: 7 } },
      { ...invited, id: 'aud_8', target: 'inv_2', data: { role: 'editor', email: '', days: 7 } },
      { ...invited, id: 'aud_9', target: 'inv_3', data: {}, erased: true },
    ])
    show(<Audit />, 'admin')
    const names = (await screen.findAllByRole('button', { name: 'Invited' })).map(
      (button) => button.nextElementSibling?.textContent,
    )
    expect(names).toEqual(['dana@example.org', 'Anyone with the link', 'inv_3'])
  })

  it('says who did what, on what, and shows before and after', async () => {
    served()
    show(<Audit />, 'admin')
    const row = await screen.findByRole('button', { name: 'Changed a workflow' })
    expect(screen.getByRole('link', { name: 'Invoices' }).getAttribute('href')).toBe('/workflows/wf_1')
    fireEvent.click(row)
    const changes = within(screen.getByRole('table'))
    expect(changes.getByRole('rowheader', { name: 'description' })).toBeTruthy()
    expect(changes.getByText('Every month')).toBeTruthy()
    expect(screen.getByText('workflow.changed')).toBeTruthy()
    expect(screen.getByText('abababababab…')).toBeTruthy()
  })

  it('says what is gone, and shows an action that it has no words for', async () => {
    served()
    show(<Audit />, 'owner')
    fireEvent.click(await screen.findByRole('button', { name: 'Answered a question' }))
    expect(screen.getByText('deleted account')).toBeTruthy()
    expect(screen.getByText(/was deleted together with the object it belonged to/)).toBeTruthy()
    expect(screen.queryByRole('link', { name: 'int_1' })).toBeNull()
    expect(screen.getByRole('button', { name: 'thing.done' })).toBeTruthy()
  })

  it('asks for what the filters say', async () => {
    const server = served([])
    show(<Audit />, 'admin')
    expect(await screen.findByText('Nothing yet')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Who: Anyone' }))
    fireEvent.click(await screen.findByRole('option', { name: 'Bob' }))
    fireEvent.change(screen.getByLabelText('What'), { target: { value: 'session' } })
    fireEvent.change(screen.getByLabelText('Search in names, values, people'), { target: { value: 'fire' } })
    await waitFor(() => {
      const last = server.to('GET /api/audit').at(-1)?.path.split('?')[1] ?? ''
      expect(Object.fromEntries(new URLSearchParams(last))).toEqual({
        actor: 'usr_1',
        action: 'session',
        q: 'fire',
      })
    })
    expect(await screen.findByText('No matching entries')).toBeTruthy()
  })

  it('asks for the time that was chosen', async () => {
    const server = served()
    show(<Audit />, 'admin')
    await userEvent.selectOptions(screen.getByLabelText('Time'), '7')
    await waitFor(() => expect(server.to('GET /api/audit').at(-1)?.path).toContain('from='))
  })

  it('goes from one thing to all of them', async () => {
    window.history.replaceState(null, '', '/settings/audit?target=wf_1')
    const server = served()
    show(<Audit />, 'admin')
    await userEvent.click(await screen.findByRole('button', { name: 'Show all' }))
    await waitFor(() => expect(server.to('GET /api/audit').at(-1)?.path).not.toContain('target'))
    expect(server.to('GET /api/audit')[0]?.path).toContain('target=wf_1')
  })

  it('is asked for again where it could not be read', async () => {
    const server = served().on('GET /api/audit', refusal(500, 'INTERNAL'))
    show(<Audit />, 'admin')
    const again = await screen.findByRole('button', { name: 'Try again' })
    expect(screen.getByText('This could not be loaded.')).toBeTruthy()
    server.on('GET /api/audit', { body: { results: [ENTRY], next: null } })
    await userEvent.click(again)
    expect(await screen.findByRole('button', { name: 'Changed a workflow' })).toBeTruthy()
  })

  it('shows what is older, page by page', async () => {
    served().on('GET /api/audit', ({ path }) =>
      path.includes('cursor=c2')
        ? { body: { results: [UNKNOWN], next: null } }
        : { body: { results: [ENTRY], next: 'c2' } },
    )
    show(<Audit />, 'admin')
    await userEvent.click(await screen.findByRole('button', { name: 'Show older' }))
    expect(await screen.findByRole('button', { name: 'thing.done' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Show older' })).toBeNull()
  })

  it('says how far the rows were verified, and which is not as it was', async () => {
    served()
    const shown = show(<Audit />, 'admin')
    expect(await screen.findByText(/Verified up to row 4/)).toBeTruthy()
    expect(screen.getByText(/2 rows not linked yet/)).toBeTruthy()
    shown.unmount()
    served().on('GET /api/audit/chain', { body: { ...CHAIN, broken: 3, problem: 'changed' } })
    show(<Audit />, 'admin')
    expect(await screen.findByText(/Row 3 of the chain was changed after it was written/)).toBeTruthy()
  })

  it('is for admins', () => {
    served()
    show(<Audit />, 'editor')
    expect(screen.getByText('Only admins can do this.')).toBeTruthy()
  })
})
