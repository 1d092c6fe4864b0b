import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { Program, Server } from '@/api/servers'
import { aServer } from '@/registry/registry.testing'
import { FakeServer, show } from '@/testing/server'
import { Programs, ProgramsButton, ProgramWaits } from './Programs'

const program: Program = {
  id: 'apv_1',
  hash: '5f0c2d4b8a7e6f1d',
  name: 'Index',
  team: { id: 'team_2', name: 'Research' },
  command: 'uvx',
  args: ['--from', 'git+https://example.org/x', 'agent\u202egnp.exe', '····'],
  env: ['HTTPS_PROXY'],
  cwd: '',
  box: {},
  package: '',
  concerns: [
    { kind: 'arguments', name: '' },
    { kind: 'variable', name: 'HTTPS_PROXY' },
  ],
  asked_for: 'test',
  state: 'waiting',
  basis: null,
  requested_by: 'adam@example.org',
  decided_by: null,
  decided_at: null,
  created_at: '2026-11-21T12:00:00Z',
}

const answering = (programs: readonly Program[]) =>
  new FakeServer().on('GET /api/operator/programs', ({ path }) => {
    const query = new URLSearchParams(path.split('?')[1])
    const state = query.get('state')
    const matches = programs.filter(
      (program) => (!state || program.state === state) && program.name.includes(query.get('q') ?? ''),
    )
    const from = Number(query.get('cursor') ?? 0)
    const to = from + Number(query.get('limit'))
    const of = (state: Program['state']) => programs.filter((program) => program.state === state).length
    const counts = {
      waiting: of('waiting'),
      approved: of('approved'),
      rejected: of('rejected'),
      decided: 0,
      teams: 1,
    }
    return {
      body: { results: matches.slice(from, to), next: to < matches.length ? String(to) : null, counts },
    }
  })

it('shows more programs than a page holds, searched by the server', async () => {
  const user = userEvent.setup()
  const many = Array.from({ length: 120 }, (_, n) => ({ ...program, id: `apv_${n}`, name: `Index ${n}.` }))
  answering([...many, { ...program, id: 'apv_x', name: 'Approved one', state: 'approved' }])
  show(<Programs onClose={() => undefined} />)
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByText('Index 0.')
  expect(dialog.getByRole('radio', { name: /120/ })).toBeTruthy()
  await user.click(dialog.getByRole('button', { name: 'Load more' }))
  expect(await dialog.findByText('Index 99.')).toBeTruthy()
  await user.type(dialog.getByRole('searchbox', { name: 'Search' }), '119.')
  await waitFor(() => expect(dialog.queryByText('Index 0.')).toBeNull())
  expect(dialog.getByText('Index 119.')).toBeTruthy()
  await user.clear(dialog.getByRole('searchbox', { name: 'Search' }))
  await user.click(dialog.getByRole('radio', { name: /Approved/ }))
  expect(await dialog.findByText('Approved one')).toBeTruthy()
  expect(dialog.queryByText('Index 119.')).toBeNull()
})

it('shows an operator command, arguments, names of variables and hash, with hidden characters to be seen', async () => {
  const server = answering([program])
  server.on('POST /api/operator/programs/apv_1/approve', { body: { ...program, state: 'approved' } })
  show(<Programs onClose={() => undefined} />)
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByText('uvx')
  for (const text of [
    'git+https://example.org/x',
    'agent⟨U+202E⟩gnp.exe',
    '····',
    'HTTPS_PROXY',
    program.hash,
  ])
    expect(dialog.getByText(text)).toBeTruthy()
  expect(dialog.getByText(/may run code/)).toBeTruthy()
  await userEvent.setup().click(dialog.getByRole('button', { name: 'Approve' }))
  await waitFor(() => expect(server.to('POST /api/operator/programs/apv_1/approve')).toHaveLength(1))
})

it('shows an operator what was decided about the box', async () => {
  const folders = [
    { path: '/srv/documents', write: false },
    { path: '/srv/no\u202etes', write: true },
  ]
  const open = { ...program, id: 'apv_2', name: 'Bare', concerns: [], box: { box: 'open' } }
  answering([{ ...program, box: { folders, network: false } }, open])
  show(<Programs onClose={() => undefined} />)
  const dialog = within(await screen.findByRole('dialog'))
  const [boxed, bare] = (await dialog.findAllByRole('listitem')).filter((item) => item.querySelector('dl'))
  if (!boxed || !bare) throw new Error('two programs are shown')
  expect(within(boxed).getByText('/srv/documents').parentElement?.textContent).toBe('/srv/documents read')
  expect(within(boxed).getByText('/srv/no⟨U+202E⟩tes').parentElement?.textContent).toContain('read and write')
  expect(within(boxed).getByText('Network').nextElementSibling?.textContent).toBe('Off')
  expect(within(boxed).queryByText(/without a sandbox/)).toBeNull()
  expect(within(bare).getByText('None: full trust')).toBeTruthy()
  expect(within(bare).getByText(/It runs without a sandbox/)).toBeTruthy()
})

it('asks nothing and shows nothing where one is no operator', () => {
  const server = answering([program])
  show(<ProgramsButton />)
  expect(screen.queryByRole('button')).toBeNull()
  expect(server.to('GET /api/operator/programs')).toHaveLength(0)
})

it('says on a server that its program waits, and nothing where nobody needs to be asked', () => {
  answering([])
  const approval = { state: 'waiting', hash: 'abc', basis: null, decided_by: null, decided_at: null }
  const waits = aServer('one', { approval: approval as Server['approval'] })
  show(<ProgramWaits server={waits} />)
  expect(screen.getByText('An operator has to approve this program.')).toBeTruthy()
  expect(screen.getByText('abc')).toBeTruthy()
})

it('names the new version that is asked about', async () => {
  answering([{ ...program, package: 'index-server 1.1.0' }])
  show(<Programs onClose={() => undefined} />)
  const dialog = within(await screen.findByRole('dialog'))
  expect(await dialog.findByText('index-server 1.1.0')).toBeTruthy()
  expect(dialog.getByText('New version')).toBeTruthy()
})
