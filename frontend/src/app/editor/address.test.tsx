import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useStore } from 'zustand'
import { CanvasProvider, useController } from '@/canvas/CanvasProvider'
import { GraphProvider } from '@/graph/context'
import { sample } from '@/graph/graph.testing'
import { createGraphStore, type GraphStore } from '@/graph/store'
import { useNodeInAddress } from './address'

function Inside({ store }: { store: GraphStore }) {
  const [selected = null] = useStore(store, (state) => state.selection.nodes)
  return <p>missing: {useNodeInAddress(useController(), selected) ?? 'none'}</p>
}

function open(): GraphStore {
  const store = createGraphStore(sample())
  render(
    <GraphProvider store={store}>
      <CanvasProvider>
        <Inside store={store} />
      </CanvasProvider>
    </GraphProvider>,
  )
  return store
}

const select = (store: GraphStore, ...nodes: string[]) => act(() => store.getState().select({ nodes }))
const rest = () => act(() => vi.advanceTimersByTime(200))

beforeEach(() => {
  vi.useFakeTimers()
  window.history.replaceState(null, '', '/workflows/wf_1')
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the node in the address', () => {
  it('follows the selection', () => {
    const store = open()
    select(store, 'say')
    rest()
    expect(window.location.search).toBe('?node=say')
  })

  it('does not take back what was selected while it was being written', () => {
    const store = open()
    const quick = () => store.getState().select({ nodes: ['start'] })
    window.addEventListener('replaceState', quick, { once: true })
    select(store, 'say')
    rest()
    expect(store.getState().selection.nodes).toEqual(['start'])
    rest()
    expect(window.location.search).toBe('?node=start')
  })

  it('says that a node is not there until another one is selected', () => {
    window.history.replaceState(null, '', '/workflows/wf_1?node=gone')
    const store = open()
    expect(screen.getByText('missing: gone')).toBeTruthy()
    select(store, 'say')
    rest()
    expect(screen.getByText('missing: none')).toBeTruthy()
  })
})
