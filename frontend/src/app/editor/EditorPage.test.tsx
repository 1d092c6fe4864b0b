import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { Route } from 'wouter'
import { sample } from '@/graph/graph.testing'
import type { Graph } from '@/graph/types'
import { type Asked, FakeServer, refusal, show } from '@/testing/server'
import { listenToKeys } from '@/ui'
import { localDraftKey, tabName } from './draft/drafts'
import EditorPage from './EditorPage'

const PUT = 'PUT /api/workflows/wf_1/draft'

function open(more: { role?: Parameters<typeof show>[1]; problems?: readonly object[] } = {}) {
  window.history.replaceState(null, '', '/workflows/wf_1')
  const server = new FakeServer()
    .on('GET /api/workflows/wf_1', {
      body: {
        id: 'wf_1',
        name: 'Digest',
        slug: 'digest',
        description: '',
        published_version: 2,
        draft: { revision: 5, by: 'bob@example.org', at: '2026-11-21T12:00:00Z', graph: sample() },
      },
    })
    .on('POST /api/workflows/wf_1/validate', { body: { ok: true, problems: more.problems ?? [] } })
    .on('GET /api/workflows/wf_1/versions', { body: { results: [], next: null } })
    .on('GET /api/node-types', { body: { results: [], next: null } })
    .on('GET /api/mcp/servers', { body: { results: [], next: null } })
    .on('GET /api/runs', { body: { results: [], next: null } })
    .on('GET /api/interactions', { body: { results: [], next: null } })
    .on(PUT, { body: { revision: 6, problems: [] } })
  const stop = listenToKeys()
  const shown = show(<Route path="/workflows/:id" component={EditorPage} />, more.role)
  return { server, user: userEvent.setup(), shown, stop }
}

const state = () => screen.getByTestId('saved-state').dataset.state
const press = (key: string, more: KeyboardEventInit = {}) =>
  act(() => {
    fireEvent.keyDown(screen.getByTestId('canvas'), { key, ...more })
  })
/** Select everything and move it: an edit that needs no pointer. */
const edit = () => {
  press('a', { ctrlKey: true })
  press('ArrowRight')
}

const firstPlace = (asked: Asked | undefined) =>
  (asked?.body as { graph: Graph } | undefined)?.graph.nodes[0]?.position

describe('the editor page', () => {
  it('saves an edit with the revision it was made on, and says so', async () => {
    const { server, stop } = open()
    await screen.findByTestId('canvas')
    expect(screen.getByTestId('saved-state').textContent).toContain('revision 5')
    edit()
    expect(state()).toBe('unsaved')
    await waitFor(() => expect(state()).toBe('saved'), { timeout: 3000 })
    expect(screen.getByTestId('saved-state').textContent).toContain('revision 6')
    const [asked] = server.to(PUT)
    expect(asked?.body).toMatchObject({ revision: 5 })
    expect(firstPlace(asked)).toEqual({ x: 10, y: 0 })
    stop()
  })

  it('a stale save shows who was faster; mine becomes a workflow of its own', async () => {
    const { server, user, stop } = open()
    await screen.findByTestId('canvas')
    const detail = { revision: 9, by: 'alice@example.org', at: '2026-11-21T13:00:00Z' }
    server.on(PUT, refusal(409, 'STALE_DRAFT', { detail }))
    server.on('POST /api/workflows', { status: 201, body: { id: 'wf_2' } })
    edit()
    const card = await screen.findByTestId('conflict')
    expect(card.textContent).toContain('alice@example.org')
    expect(state()).toBe('conflict')
    await user.click(screen.getByRole('button', { name: 'Keep mine as a copy' }))
    await waitFor(() => expect(window.location.pathname).toBe('/workflows/wf_2'))
    const [copy] = server.to('POST /api/workflows')
    expect(copy?.body).toMatchObject({ name: 'Digest (my copy)' })
    expect(firstPlace(copy)).toEqual({ x: 10, y: 0 })
    stop()
  })

  it('what a reload cut off is there again and is saved', async () => {
    const graph = { ...sample(), language: 'zh' }
    localStorage.setItem(
      localDraftKey('wf_1', tabName()),
      JSON.stringify({ revision: 5, at: Date.now(), graph }),
    )
    const { server, stop } = open()
    await screen.findByTestId('canvas')
    await waitFor(
      () => expect(server.to(PUT)[0]?.body).toMatchObject({ revision: 5, graph: { language: 'zh' } }),
      {
        timeout: 3000,
      },
    )
    await waitFor(() => expect(localStorage.getItem(localDraftKey('wf_1', tabName()))).toBeNull())
    stop()
  })

  it('unsaved work on a draft that moved on is offered, never put over it', async () => {
    localStorage.setItem(
      localDraftKey('wf_1', tabName()),
      JSON.stringify({ revision: 3, at: 0, graph: sample() }),
    )
    const { server, user, stop } = open()
    expect(await screen.findByText(/Unsaved changes/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Discard' }))
    expect(screen.queryByText(/Unsaved changes/)).toBeNull()
    expect(server.to(PUT)).toEqual([])
    stop()
  })

  it('a viewer reads: nothing to add, nothing to save', async () => {
    const { server, stop } = open({ role: 'viewer' })
    await screen.findByTestId('canvas')
    edit()
    press('Delete')
    expect(screen.queryByTestId('saved-state')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Publish' })).toBeNull()
    expect(screen.getByText('view only')).toBeTruthy()
    expect(server.to(PUT)).toEqual([])
    stop()
  })

  it('errors keep from publishing and say why', async () => {
    const { server, user, stop } = open({
      problems: [{ code: 'x', severity: 'error', node: 'log', message: 'Broken.' }],
    })
    await screen.findByTestId('canvas')
    const publish = screen.getByRole('button', { name: 'Publish' })
    await waitFor(() => expect(publish.dataset.tip).toBe('Fix the errors first'))
    await user.click(publish)
    expect(server.to('POST /api/workflows/wf_1/publish')).toEqual([])
    stop()
  })

  it('a workflow that is not there says so', async () => {
    window.history.replaceState(null, '', '/workflows/wf_1')
    new FakeServer()
    show(<Route path="/workflows/:id" component={EditorPage} />)
    expect(await screen.findByText('There is nothing here.')).toBeTruthy()
  })
})
