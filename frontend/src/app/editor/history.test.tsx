/** Where the list of versions, the comparison and publishing lead from the editor, and what its bar says afterwards. */
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { sample } from '@/graph/graph.testing'
import { loadWords } from '@/i18n'
import { setDockOpen } from '@/runs/hooks'
import type { FakeServer } from '@/testing/server'
import { type Opening, openAt, openEditor, press } from './editor.testing'

// there before, as the code of the panels is
await Promise.all([import('../compare/screens'), loadWords('versions')])

const AT = '/api/workflows/wf_1'
const version = (number: number) => ({
  version: number,
  note: '',
  published_at: '2026-11-20T09:00:00Z',
  published_by: 'alice@example.org',
})
const prepare = (server: FakeServer) =>
  server
    .on(`GET ${AT}/versions`, { body: { results: [version(2), version(1)], next: null } })
    .on(`GET ${AT}/versions/2`, { body: { ...version(2), graph: sample() } })
    .on(`GET ${AT}/drafts`, { body: { results: [], next: null } })
    .on(`POST ${AT}/publish`, { status: 201, body: version(1) })
    .on(`PATCH ${AT}`, { body: {} })

beforeEach(() => setDockOpen(false))

const address = () => window.location.search
/** The dialog, once it stands; asked for by its element, for the page behind it is large. */
const dialogOf = async () => {
  const find = () => document.querySelector<HTMLElement>('dialog') ?? Promise.reject(new Error('no dialog'))
  return within(await waitFor(find))
}

/** The list of versions, opened by its key. */
async function list(opened: ReturnType<typeof openEditor>) {
  const { user } = await opened
  press('v')
  const dialog = await dialogOf()
  return { user, press: async (name: string) => user.click(await dialog.findByRole('button', { name })) }
}

describe('the list of versions', () => {
  it('opens by its entry in the menu, and closes', async () => {
    const { user } = await openEditor({ prepare })
    await user.click(await screen.findByText('Versions'))
    await user.click(await screen.findByText('Versions and drafts: compare, restore'))
    const dialog = await dialogOf()
    await dialog.findByRole('button', { name: 'Open v1' }) // all of it stands
    await user.click(dialog.getByLabelText('Close'))
    await waitFor(() => expect(document.querySelector('dialog')).toBeNull())
  })

  it('leads to a version', async () => {
    const versions = await list(openEditor({ prepare }))
    await versions.press('Open v1')
    await waitFor(() => expect(address()).toBe('?version=1'))
  })

  it('leads to a comparison, which leads back to the draft', async () => {
    const versions = await list(openEditor({ prepare }))
    await versions.press('Compare v2 with the draft')
    await waitFor(() => expect(address()).toBe('?compare=2..draft'))
    const [leave] = await screen.findAllByLabelText('Leave the comparison')
    if (leave) await versions.user.click(leave)
    await waitFor(() => expect(address()).toBe(''))
    expect(await screen.findByTestId('canvas')).toBeTruthy()
  })

  it('publishes an earlier version again, which is the published one then', async () => {
    const versions = await list(openEditor({ prepare }))
    await versions.press('Publish v1 again')
    expect(await screen.findByText('draft of v1')).toBeTruthy()
  })
})

/** The editor where it shows a published version. */
async function shown() {
  const opened = openAt('/workflows/wf_1?version=2', { prepare })
  await screen.findByTestId('canvas')
  return opened
}

describe('a version that is shown', () => {
  it('is compared with the draft', async () => {
    const versions = await list(shown())
    await versions.press('Compare v2 with the draft')
    await waitFor(() => expect(address()).toBe('?compare=2..draft'))
  })

  it('leaves room for publishing another one, and says so in the list', async () => {
    const versions = await list(shown())
    await versions.press('Publish v1 again')
    expect(await screen.findByLabelText('Publish v2 again')).toBeTruthy()
  })
})

it('a version is published again from its comparison with the draft', async () => {
  const { user } = openAt('/workflows/wf_1?compare=1..draft', {
    prepare: (server) =>
      prepare(server).on(`GET ${AT}/versions/1`, { body: { ...version(1), graph: sample() } }),
  })
  await user.click(await screen.findByLabelText('Publish v1 again'))
  await waitFor(() => expect(screen.queryByLabelText('Publish v1 again')).toBeNull())
})

describe('publishing', () => {
  async function asking(opening: Opening = {}) {
    const { user } = await openEditor({ prepare, ...opening })
    await user.click(await screen.findByText('Publish'))
    return { user, dialog: await dialogOf() }
  }

  it('leads to what differs from the published version', async () => {
    const { user, dialog } = await asking()
    await user.click(dialog.getByRole('button', { name: 'Compare' }))
    await waitFor(() => expect(address()).toBe('?compare=2..draft'))
  })

  it('leads to the problems', async () => {
    const { user, dialog } = await asking({
      problems: [{ code: 'x', severity: 'warning', node: 'log', message: 'Mind this.' }],
    })
    await user.click(await dialog.findByRole('button', { name: 'Show' }))
    expect(await screen.findByText('Mind this.')).toBeTruthy()
  })

  it('demands that the saved tests pass', async () => {
    const { user, dialog } = await asking()
    const box = dialog.getByRole<HTMLInputElement>('checkbox', { name: /Saved tests must pass/ })
    await user.click(box)
    await waitFor(() => expect(box.disabled).toBe(false))
    await waitFor(() => expect(box.checked).toBe(true))
  })
})
