/** The page of a workflow: what is saved and when, what a reload keeps, and what is said when somebody was faster. */
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Route } from 'wouter'
import { sample } from '@/graph/graph.testing'
import type { Graph } from '@/graph/types'
import { FakeServer, refusal, type SentRequest, show } from '@/testing/server'
import { localDraftKey, tabName } from './draft/drafts'
import EditorPage from './EditorPage'
import { openAt, openEditor, PUT, press } from './editor.testing'

const state = () => screen.getByTestId('saved-state').dataset.state

/** Select everything, once the cards are drawn, and move it: an edit that needs no pointer. */
const edit = async () => {
  await waitFor(() => {
    press('a', { ctrlKey: true })
    expect(document.querySelector('.react-flow__node.selected')).toBeTruthy()
  })
  press('ArrowRight')
}

const firstPlace = (request: SentRequest | undefined) =>
  (request?.body as { graph: Graph } | undefined)?.graph.nodes[0]?.position

/** Unsaved work of an earlier visit of this tab. */
const keep = (revision: number, at: number, graph: Graph) =>
  localStorage.setItem(localDraftKey('wf_1', tabName()), JSON.stringify({ revision, at, graph }))

describe('the editor page', () => {
  it('saves an edit with the revision it was made on, and says so', async () => {
    const { server } = await openEditor()
    expect(screen.getByTestId('saved-state').textContent).toContain('revision 5')
    await edit()
    await waitFor(() => expect(screen.getByTestId('saved-state').textContent).toContain('revision 6'))
    expect(state()).toBe('saved')
    const [request] = server.to(PUT)
    expect(request?.body).toMatchObject({ revision: 5 })
    expect(firstPlace(request)).toEqual({ x: 10, y: 0 })
  })

  it('says that an edit is not saved yet', async () => {
    await openEditor({ prepare: (server) => server.on(PUT, () => new Promise(() => {})) })
    await edit()
    await waitFor(() => expect(['unsaved', 'saving']).toContain(state()))
  })

  it('what a reload cut off is there again and is saved', async () => {
    keep(5, Date.now(), { ...sample(), language: 'zh' })
    const { server } = await openEditor()
    await waitFor(() =>
      expect(server.to(PUT)[0]?.body).toMatchObject({ revision: 5, graph: { language: 'zh' } }),
    )
    await waitFor(() => expect(localStorage.getItem(localDraftKey('wf_1', tabName()))).toBeNull())
  })

  it('unsaved work on a draft that moved on is offered, never put over it', async () => {
    keep(3, 0, sample())
    const { server, user } = openAt('/workflows/wf_1')
    expect(await screen.findByText(/Unsaved changes/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Discard' }))
    await waitFor(() => expect(screen.queryByText(/Unsaved changes/)).toBeNull())
    expect(server.to(PUT)).toEqual([])
  })

  it('unsaved work on a draft that moved on becomes a workflow of its own', async () => {
    keep(3, 0, sample())
    const { server, user } = openAt('/workflows/wf_1', {
      prepare: (server) => server.on('POST /api/workflows', { status: 201, body: { id: 'wf_2' } }),
    })
    const button = await screen.findByRole('button', { name: 'Keep mine as a copy' })
    const assign = vi.fn()
    vi.stubGlobal('location', { ...window.location, assign })
    onTestFinished(() => void vi.unstubAllGlobals())
    await user.click(button)
    await waitFor(() => expect(assign).toHaveBeenCalledWith('/workflows/wf_2'))
    expect(server.to('POST /api/workflows')[0]?.body).toMatchObject({ name: 'Digest (my copy)' })
    expect(localStorage.getItem(localDraftKey('wf_1', tabName()))).toBeNull()
  })

  it('a viewer reads: nothing to add, nothing to save', async () => {
    const { server } = await openEditor({ role: 'viewer' })
    press('a', { ctrlKey: true })
    press('ArrowRight')
    press('Delete')
    expect(screen.queryByTestId('saved-state')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Publish' })).toBeNull()
    expect(screen.getByText('view only')).toBeTruthy()
    expect(server.to(PUT)).toEqual([])
  })

  it('errors keep from publishing and say why', async () => {
    const { server } = await openEditor({
      problems: [{ code: 'x', severity: 'error', node: 'log', message: 'Broken.' }],
    })
    const publish = screen.getByRole('button', { name: 'Publish' })
    await waitFor(() => expect(publish.dataset.tip).toBe('Fix the errors first'))
    fireEvent.click(publish)
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(server.to('POST /api/workflows/wf_1/publish')).toEqual([])
  })

  it('a workflow that is not there says so', async () => {
    window.history.replaceState(null, '', '/workflows/wf_1')
    new FakeServer()
    show(<Route path="/workflows/:id" component={EditorPage} />)
    expect(await screen.findByText('There is nothing here.')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Go to workflows' }).getAttribute('href')).toBe('/')
  })

  it('is asked for again where it could not be read', async () => {
    const { server, user } = openAt('/workflows/wf_1', {
      prepare: (server) => server.on('GET /api/workflows/wf_1', refusal(500, 'INTERNAL')),
    })
    const again = await screen.findByRole('button', { name: 'Try again' })
    const draft = { revision: 5, by: 'bob@example.org', at: '2026-11-21T12:00:00Z', graph: sample() }
    server.on('GET /api/workflows/wf_1', { body: { id: 'wf_1', name: 'Digest', draft } })
    await user.click(again)
    expect(await screen.findByTestId('canvas')).toBeTruthy()
  })
})

describe('after a stale save', () => {
  const theirs = { revision: 9, by: 'alice@example.org', at: '2026-11-21T13:00:00Z' }
  const stale = async () => {
    const opened = await openEditor({
      prepare: (server) =>
        server
          .on(PUT, refusal(409, 'STALE_DRAFT', { detail: theirs }))
          .on('POST /api/workflows', { status: 201, body: { id: 'wf_2' } }),
    })
    await edit()
    const card = await screen.findByTestId('conflict')
    return { ...opened, card, choose: (name: string) => opened.user.click(within(card).getByText(name)) }
  }

  it('it says who was faster; mine becomes a workflow of its own', async () => {
    const { server, card, choose } = await stale()
    expect(card.textContent).toContain('alice@example.org')
    await waitFor(() => expect(state()).toBe('conflict'))
    await choose('Keep mine as a copy')
    await waitFor(() => expect(window.location.pathname).toBe('/workflows/wf_2'))
    const [copy] = server.to('POST /api/workflows')
    expect(copy?.body).toMatchObject({ name: 'Digest (my copy)' })
    expect(firstPlace(copy)).toEqual({ x: 10, y: 0 })
  })

  it('what the other one saved can be loaded', async () => {
    const { server, choose } = await stale()
    const draft = { ...theirs, graph: sample() }
    server.on('GET /api/workflows/wf_1', { body: { id: 'wf_1', name: 'Digest', draft } })
    await choose('Load theirs')
    await waitFor(() => expect(screen.getByTestId('saved-state').textContent).toContain('revision 9'))
    expect(state()).toBe('saved')
    expect(screen.queryByTestId('conflict')).toBeNull()
  })
})
