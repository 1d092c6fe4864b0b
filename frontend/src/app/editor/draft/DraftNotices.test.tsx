import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { GraphProvider } from '@/graph/context'
import { sample } from '@/graph/graph.testing'
import { FakeServer, show } from '@/testing/server'
import { DraftNotices } from './DraftNotices'
import { aSaver } from './drafts.testing'

it('a newer revision is loaded when that is asked for', async () => {
  const { saver, store } = aSaver()
  const draft = {
    revision: 9,
    by: 'alice@example.org',
    at: '2026-11-21T13:00:00Z',
    graph: { ...sample(), language: 'zh' },
  }
  new FakeServer().on('GET /api/workflows/wf_1', { body: { id: 'wf_1', name: 'Digest', draft } })
  show(
    <GraphProvider store={store}>
      <DraftNotices saver={saver} workflow="wf_1" name="Digest" />
    </GraphProvider>,
  )
  act(() => saver.noteRevision(9))
  expect(screen.getByText('Someone saved this draft: revision 9.')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Load it' }))
  await waitFor(() => expect(saver.state.getState().revision).toBe(9))
  expect(store.getState().graph.language).toBe('zh')
  expect(screen.queryByRole('button', { name: 'Load it' })).toBeNull()
})
