/** What the page itself does so that nothing is lost: when it goes, when it would be left, when the network is back. */
import { fireEvent, render } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '@/api/client'
import { patchNode } from '@/graph/edit/edits'
import { type DraftSaver, localDraftKey, SAVE_AFTER_MS, tabName } from './drafts'
import { aSaver } from './drafts.testing'
import { SavedState, useDraftGuards } from './SavedState'

function Guarded({ saver }: { readonly saver: DraftSaver }) {
  useDraftGuards(saver)
  return <SavedState saver={saver} />
}

/** A page whose draft was just edited, with a server that does not answer. */
function edited() {
  const put = vi.fn(() => Promise.reject(new ApiError(0, 'NETWORK', 'No connection.')))
  const { saver, store } = aSaver({ put })
  saver.start()
  render(<Guarded saver={saver} />)
  store.getState().commit('retitle', (graph) => patchNode(graph, 'say', { title: 'Words' }))
  return { put, saver }
}

const kept = () => localStorage.getItem(localDraftKey('wf_1', tabName()))

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a draft with an edit that is not saved', () => {
  it('is kept in the browser when the page goes', () => {
    edited()
    expect(kept()).toBeNull()
    fireEvent(window, new Event('pagehide'))
    expect(kept()).toContain('Words')
  })

  it('is saved at once when the network is back', async () => {
    const { put, saver } = edited()
    await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS)
    expect(saver.state.getState().save.kind).toBe('offline')
    fireEvent(window, new Event('online'))
    expect(put).toHaveBeenCalledTimes(2)
  })
})
