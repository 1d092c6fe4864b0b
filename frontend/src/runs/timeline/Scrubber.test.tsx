import { fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GraphProvider } from '@/graph/context'
import { createGraphStore } from '@/graph/store'
import { aRun } from '@/live/fold.testing'
import { RunViewProvider } from '@/live/run-store'
import { RunFeed, RunView } from '@/live/run-view'
import { show } from '@/testing/server'
import { listenToKeys } from '@/ui'
import { Scrubber } from './Scrubber'

const ALL = aRun().length

/** The timeline of a run that has ended, 1,000 px wide. */
function scrubber() {
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 1000, 24))
  const feed = new RunFeed('r', null, (flush) => flush())
  const view = new RunView(feed)
  view.attach()
  feed.take(aRun())
  show(
    <GraphProvider store={createGraphStore({ schema: 1, nodes: [], edges: [] })}>
      <RunViewProvider view={view}>
        <Scrubber />
      </RunViewProvider>
    </GraphProvider>,
  )
  return { view, user: userEvent.setup() }
}

const line = () => screen.getByRole('slider', { name: 'Run timeline' }).parentElement as HTMLElement
const moment = (seq: number) => screen.getByText(`Event ${seq} of ${ALL}`)

describe('the timeline of a run', () => {
  let stop = () => {}
  beforeEach(() => {
    stop = listenToKeys()
  })
  afterEach(() => stop())

  it('goes to the first event and back to the newest', async () => {
    const { view, user } = scrubber()
    await user.click(screen.getByRole('button', { name: 'First event' }))
    expect(moment(1)).toBeTruthy()
    expect(view.info().scrub).toBe(1)
    await user.click(screen.getByRole('button', { name: 'Newest event' }))
    expect(moment(ALL)).toBeTruthy()
    expect(view.info().scrub).toBeNull()
  })

  it('goes from event to event by keys', async () => {
    const { user } = scrubber()
    await user.keyboard(',,')
    expect(moment(ALL - 2)).toBeTruthy()
    await user.keyboard(';')
    expect(moment(ALL - 1)).toBeTruthy()
  })

  it('goes to where the line is pressed, and along while the pointer is dragged', () => {
    scrubber()
    fireEvent.click(screen.getByRole('radio', { name: 'Events' }))
    const captured = vi.spyOn(line(), 'hasPointerCapture').mockReturnValue(true)
    fireEvent.pointerDown(line(), { clientX: 0, pointerId: 1 })
    expect(moment(1)).toBeTruthy()
    fireEvent.pointerMove(line(), { clientX: 1000, pointerId: 1, buttons: 1 })
    expect(moment(ALL)).toBeTruthy()
    captured.mockReturnValue(false)
    fireEvent.pointerMove(line(), { clientX: 0, pointerId: 1, buttons: 1 })
    expect(moment(ALL)).toBeTruthy()
  })

  it('goes to the event that the slider is moved to', () => {
    scrubber()
    fireEvent.change(screen.getByRole('slider'), { target: { value: '5' } })
    expect(moment(5)).toBeTruthy()
  })

  it('shows long waits shortened when it is scaled by time, and not by events', async () => {
    const { user } = scrubber()
    expect(screen.getByText(/^waited for a person/)).toBeTruthy()
    await user.click(screen.getByRole('radio', { name: 'Events' }))
    expect(screen.queryByText(/^waited for a person/)).toBeNull()
  })

  it('plays from the beginning, until it is stopped', async () => {
    const { user, view } = scrubber()
    await user.click(screen.getByRole('button', { name: 'Play' }))
    await waitFor(() => expect(view.info().scrub).not.toBeNull())
    expect(view.info().seq).toBeLessThan(ALL)
    await user.click(screen.getByRole('button', { name: 'Stop playing' }))
    expect(screen.getByRole('button', { name: 'Play' })).toBeTruthy()
  })
})
