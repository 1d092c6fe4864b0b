import { describe, expect, it } from 'vitest'
import { below, type Candidate, leadOf } from './follow'
import { viewOf } from './view-of'

const candidate = (id: string, status: Candidate['status'], since = 0, frame = false): Candidate => ({
  id,
  status,
  since,
  frame,
})

describe('the node to look at', () => {
  it('one that waits for a person comes before one that works, and that before one that only waits', () => {
    const all = [candidate('a', 'waiting', 9), candidate('b', 'running', 5), candidate('c', 'person', 1)]
    expect(leadOf(all, null)).toBe('c')
    expect(leadOf(all.slice(0, 2), null)).toBe('b')
    expect(leadOf(all.slice(0, 1), null)).toBe('a')
  })

  it('what ended is nothing to look at', () => {
    expect(leadOf([candidate('a', 'succeeded'), candidate('b', 'failed')], 'a')).toBeNull()
  })

  it('of several that work the newest, but the one looked at stays', () => {
    const all = [candidate('a', 'running', 1), candidate('b', 'running', 2), candidate('c', 'running', 0)]
    expect(leadOf(all, null)).toBe('b')
    for (const current of ['a', 'b', 'c']) expect(leadOf(all, current)).toBe(current)
  })

  it('a step inside of a frame comes before the frame', () => {
    expect(leadOf([candidate('loop', 'running', 9, true), candidate('a', 'running', 1)], 'loop')).toBe('a')
    expect(leadOf([candidate('loop', 'running', 9, true)], null)).toBe('loop')
  })
})

describe('the view of a card', () => {
  const size = { width: 800, height: 600 }
  const card = { x: 1000, y: 0, width: 200, height: 64 }
  const still = { x: 0, y: 100, zoom: 1 }

  it('stays where the card is seen whole', () => {
    expect(viewOf({ ...card, x: 100 }, still, size, true)).toBeNull()
  })

  it('goes to a card outside, at the zoom there is', () => {
    const view = viewOf(card, still, size, false)
    expect(view?.zoom).toBe(1)
    expect(card.x + (view?.x ?? 0)).toBeGreaterThan(0)
    expect(viewOf(card, view ?? still, size, false)).toBeNull()
  })

  it('comes near enough for a question to be read, and only for a question', () => {
    const far = { x: 20, y: 100, zoom: 0.4 }
    expect(viewOf(card, far, size, false)).toBeNull()
    const near = viewOf(card, far, size, true)
    expect(near?.zoom).toBeGreaterThanOrEqual(0.6)
    expect(viewOf(card, near ?? far, size, true)).toBeNull()
  })

  it('shows the end of a card that is larger than the room, and then rests', () => {
    const small = { width: 320, height: 200 }
    const tall = { ...card, height: 400 }
    const view = viewOf(tall, still, small, true) ?? still
    expect((tall.y + tall.height) * view.zoom + view.y).toBeLessThan(small.height)
    expect(viewOf(tall, view, small, true)).toBeNull()
  })
})

it('the map knows what lies below it', () => {
  const map = { x: 640, y: 480, width: 156, height: 100 }
  expect(below(map, [{ x: 600, y: 460, width: 100, height: 60 }])).toBe(true)
  expect(below(map, [{ x: 100, y: 460, width: 100, height: 60 }])).toBe(false)
})
