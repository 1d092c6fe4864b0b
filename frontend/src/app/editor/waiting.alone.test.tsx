/** What is opened by a key before its code is there: that is loaded once only, so its modules are fresh. */
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Route } from 'wouter'
import { giveLayout } from '@/canvas/canvas.testing'
import { sample } from '@/graph/graph.testing'
import { FakeServer, show } from '@/testing/server'
import { listenToKeys } from '@/ui'
import EditorPage from './EditorPage'

it('the menu of what can be added is not waited for when Escape comes first', async () => {
  vi.stubGlobal('requestIdleCallback', () => 0) // the browser is never idle: what comes then does not come
  window.history.replaceState(null, '', '/workflows/wf_1')
  giveLayout()
  const draft = { revision: 5, by: 'bob@example.org', at: '2026-11-21T12:00:00Z', graph: sample() }
  new FakeServer().on('GET /api/workflows/wf_1', { body: { id: 'wf_1', name: 'Digest', draft } })
  onTestFinished(listenToKeys())
  show(<Route path="/workflows/:id" component={EditorPage} />)
  const canvas = await screen.findByTestId('canvas')
  const field = () => document.querySelector('input[aria-busy]')
  await waitFor(() => {
    fireEvent.keyDown(canvas, { key: '/' })
    expect(field()).not.toBeNull()
  })
  fireEvent.keyDown(field() as Element, { key: 'Escape' })
  expect(field()).toBeNull()
})
