/** The canvas of a comparison: what is chosen on it, where it looks, and the buttons beside it. */
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { giveLayout } from '@/canvas/canvas.testing'
import { chosen, open, row } from './compare.testing'

/** Who watches the size of which element. */
const watched = new Map<Element, () => void>()

class Watcher {
  constructor(private readonly changed: () => void) {}
  observe(element: Element): void {
    watched.set(element, this.changed)
  }
  unobserve(): void {}
  disconnect(): void {}
}

beforeEach(() => {
  giveLayout()
  vi.stubGlobal('ResizeObserver', Watcher)
})

const canvas = () => document.querySelector('.compare-canvas') as Element
const view = () => document.querySelector<HTMLElement>('.react-flow__viewport')?.style.transform
const element = (kind: 'node' | 'edge', id: string) =>
  waitFor(() => {
    const drawn = document.querySelector(`.react-flow__${kind}[data-id="${id}"]`)
    if (!drawn) throw new Error(`there is no ${kind} ${id}`)
    return drawn
  })
/** Where React Flow looks before anything is fitted. */
const UNFITTED = /^(|translate\(0px(, ?0px)?\) scale\(1\))$/

/** A comparison once its canvas shows the whole. */
async function ready() {
  const opened = open()
  await row(/^Commits changed/)
  await waitFor(() => expect(view() ?? '').not.toMatch(UNFITTED))
  return opened
}

/** The canvas becomes smaller, and is told. */
async function shrink(): Promise<void> {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 600, 400))
  await act(async () => watched.get(canvas())?.())
}

describe('on the canvas of a comparison', () => {
  it('a click on a card chooses its change, also where React Flow still holds it for selected', async () => {
    const { user } = await ready()
    const card = await element('node', 'log')
    fireEvent.click(card, { ctrlKey: true })
    await waitFor(() => expect(chosen()).toContain('Commits'))
    const close = screen.getByRole('button', { name: 'Close' })
    act(() => {
      fireEvent.click(close) // and it is not drawn yet
      fireEvent.click(card)
    })
    expect(chosen()).toContain('Commits')
    await user.click(screen.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(chosen()).toBeUndefined())
  })

  it('a click on an edge selects it', async () => {
    await ready()
    const edge = await element('edge', 'e1')
    fireEvent.click(edge)
    await waitFor(() => expect(edge.classList.contains('selected')).toBe(true))
  })

  it('Tab walks from node to node', async () => {
    await ready()
    fireEvent.keyDown(canvas(), { key: 'Tab' })
    await waitFor(() => expect(document.querySelector('.react-flow__node.selected')).not.toBeNull())
  })

  it('one side alone is shown by its button', async () => {
    const { user } = await ready()
    await user.click(screen.getByRole('radio', { name: 'Only v1' }))
    await waitFor(() => expect(screen.queryByText('− removed')).toBeNull())
  })
})

describe('the view of a comparison', () => {
  it('is the whole again by its key', async () => {
    const { user } = await ready()
    const whole = view()
    await user.click(screen.getByRole('button', { name: 'Zoom in' }))
    await waitFor(() => expect(view()).not.toBe(whole))
    const near = view()
    await user.keyboard('f')
    await waitFor(() => expect(view()).not.toBe(near))
  })

  it('shows the whole when its size changes', async () => {
    await ready()
    const whole = view()
    await shrink()
    await waitFor(() => expect(view()).not.toBe(whole))
  })

  it.each([
    ['a press', () => fireEvent.pointerDown(canvas())],
    ['the wheel', () => fireEvent.wheel(canvas())],
    ['a key', () => fireEvent.keyDown(canvas(), { key: 'Shift' })],
  ])('stays where it is after %s', async (_, touch) => {
    await ready()
    const before = view()
    touch()
    await shrink()
    expect(view()).toBe(before)
  })
})

describe('the ways out of a comparison', () => {
  it('lead back to the draft by a button', async () => {
    const { addresses, user } = await ready()
    await user.click(screen.getByRole('button', { name: 'Leave the comparison' }))
    expect(await screen.findByText('The editor')).toBeTruthy()
    expect(addresses).toEqual([null])
  })

  it('lead from a version that is gone to another one', async () => {
    const { addresses, user } = open('9..draft')
    await screen.findByText(/^There is no/)
    await user.click(await screen.findByRole('button', { name: 'Swap sides' }))
    expect(addresses).toEqual(['draft..9'])
  })
})
