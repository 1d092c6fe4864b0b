import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { Server } from '@/api/servers'
import { aServer } from '@/registry/registry.testing'
import { FakeServer, refusal, show } from '@/testing/server'
import { Unboxed } from './Box'
import { ServerSettings } from './ServerSettings'

const PATCH = 'PATCH /api/mcp/servers/srv_notes'
type Boxed = NonNullable<Server['boxed_as']>

const boxed = (more: Partial<Boxed> = {}): Boxed =>
  ({
    kind: 'bwrap',
    reason: '',
    folders: [],
    broad: [],
    network: true,
    as_a_whole: true,
    memory_mb: 4096,
    processes: 1024,
    files: 8192,
    file_mb: 4096,
    home_mb: 8192,
    cpu_s: 0,
    ...more,
  }) as Boxed

/** The settings of a server, against a server that keeps what it is sent. */
function settings(more: Partial<Server> = {}) {
  const before = aServer('notes', { boxed_as: boxed(), ...more })
  const server = new FakeServer()
  server.on(PATCH, ({ body }) => ({ body: { ...before, ...(body as object) } }))
  show(<ServerSettings server={before} />, 'admin')
  const sent = () => server.to(PATCH).map((request) => request.body)
  return { server, sent, user: userEvent.setup() }
}

const save = () => screen.getByRole('button', { name: 'Save' })
const folders = () => screen.getByRole('textbox', { name: /^Folders/ })

it('sends folders line by line, reading unless rw stands before the path', async () => {
  const { sent, user } = settings()
  await user.type(folders(), 'ro /srv/documents{Enter}rw /srv/my notes{Enter}/srv/plain')
  await user.click(save())
  await waitFor(() =>
    expect(sent()).toEqual([
      {
        folders: [
          { path: '/srv/documents', write: false },
          { path: '/srv/my notes', write: true },
          { path: '/srv/plain', write: false },
        ],
      },
    ]),
  )
})

it('shows the folders that are declared, and taking them away leaves those of the arguments', async () => {
  const { sent, user } = settings({ folders: [{ path: '/srv/notes', write: true }] })
  expect((folders() as HTMLTextAreaElement).value).toBe('rw /srv/notes')
  await user.clear(folders())
  await user.click(save())
  await waitFor(() => expect(sent()).toEqual([{ folders: null }]))
})

it('switches the network off and on, and sends nothing else', async () => {
  const { sent, user } = settings()
  const network = screen.getByRole('checkbox', { name: /^Network/ })
  expect((network as HTMLInputElement).checked).toBe(true)
  await user.click(network)
  await user.click(save())
  await waitFor(() => expect(sent()).toEqual([{ network: false }]))
})

it('opens the box, and has no fields for what an open program may do anyhow', async () => {
  const { sent, user } = settings()
  await user.click(screen.getByRole('radio', { name: 'Off' }))
  expect(screen.getByText('It can do anything Patchbay can do on this machine.')).toBeTruthy()
  expect(screen.queryByRole('textbox', { name: /^Folders/ })).toBeNull()
  expect(screen.queryByRole('checkbox', { name: /^Network/ })).toBeNull()
  await user.click(save())
  await waitFor(() => expect(sent()).toEqual([{ box: 'open' }]))
})

it('decides for a server that nobody decided about', async () => {
  const { sent, user } = settings({
    box: 'undecided',
    boxed_as: boxed({ kind: 'open', reason: 'undecided' }),
  })
  expect(screen.getByText(/was added before sandboxes existed/)).toBeTruthy()
  for (const name of ['Sandboxed', 'Off'])
    expect((screen.getByRole('radio', { name }) as HTMLInputElement).checked).toBe(false)
  await user.click(screen.getByRole('radio', { name: 'Sandboxed' }))
  await user.click(save())
  await waitFor(() => expect(sent()).toEqual([{ box: 'boxed' }]))
})

it('says beside the folders what the server has against them, and keeps what was typed', async () => {
  const { server, user } = settings()
  server.on(PATCH, refusal(400, 'VALIDATION_FAILED', { fields: { folders: ['must be an absolute path'] } }))
  await user.type(folders(), 'ro documents')
  await user.click(save())
  expect(await screen.findByText('must be an absolute path')).toBeTruthy()
  expect((folders() as HTMLTextAreaElement).value).toBe('ro documents')
})

it('names folders that are too broad to be shared unasked', () => {
  settings({ boxed_as: boxed({ broad: ['/home', '/'] }) })
  expect(screen.getByText(/Too broad to share by default: \/home, \//)).toBeTruthy()
})

it('marks a program without a box with the reason, and one in a box with nothing', () => {
  const { rerender } = show(<Unboxed box={boxed()} />)
  expect(document.body.textContent).toBe('')
  rerender(<Unboxed box={boxed({ kind: 'open', reason: 'trusted_command' })} />)
  expect(screen.getByText(/works outside any sandbox/)).toBeTruthy()
  rerender(<Unboxed box={boxed({ kind: 'open', reason: 'decided' })} />)
  expect(screen.getByText(/by someone.s decision/)).toBeTruthy()
})
