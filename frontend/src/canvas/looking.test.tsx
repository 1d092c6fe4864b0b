/** Where the view goes when panels and runs change, until a person moves it; and what is found and replaced by words. */
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nodeRects } from '@/graph/layout/geometry'
import type { NodeTemplate } from '@/graph/nodes/templates'
import type { GraphStore } from '@/graph/store'
import type { Line } from '@/live/fold.testing'
import { runOf } from '@/live/run-view.testing'
import { canvasElement, card, giveLayout, nodeOf, type Opened, press, ready, select } from './canvas.testing'
import { follow } from './overview/follow'

/** Who watches the size of which element. */
const watched = new Map<Element, () => void>()

class Watcher {
  constructor(private readonly changed: () => void) {}
  observe(element: Element): void {
    watched.set(element, this.changed)
  }
  unobserve(element: Element): void {
    watched.delete(element)
  }
  disconnect(): void {}
}

beforeEach(() => {
  giveLayout()
  vi.stubGlobal('ResizeObserver', Watcher)
})
afterEach(() => vi.useRealTimers())

/** Everything is so large from now on. */
const makeBoxes = (width: number, height: number) =>
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, width, height))

/** The canvas becomes so large, and is told. */
function resizeTo(width: number, height: number): void {
  makeBoxes(width, height)
  act(() => watched.get(canvasElement())?.())
}

const TEMPLATE: NodeTemplate = { type: 'template', title: 'Template', base: 'template', config: {} }
const AWAY = { x: 5000, y: 5000, zoom: 1 }
const lookAway = ({ controller }: Opened) => act(async () => void (await controller.flow.setViewport(AWAY)))
/** So many milliseconds later, for what asks how late it is. */
const later = (ms: number) => vi.spyOn(performance, 'now').mockReturnValue(performance.now() + ms)

/** Whether a node is wholly in view. */
function sees({ controller, store }: Opened, id: string): boolean {
  const rect = nodeRects(store.getState().graph, store.getState().types).get(id)
  const view = controller.view.visible()
  return (
    rect !== undefined &&
    rect.x >= view.x &&
    rect.y >= view.y &&
    rect.x + rect.width <= view.x + view.width &&
    rect.y + rect.height <= view.y + view.height
  )
}

describe('a canvas whose size changes', () => {
  it('shows everything, until someone looks around', async () => {
    const opened = await ready()
    later(10_000)
    await lookAway(opened)
    resizeTo(600, 400)
    expect(opened.controller.flow.getViewport()).not.toEqual(AWAY)
  })

  it.each([
    ['a press', () => fireEvent.pointerDown(canvasElement())],
    ['the end of a press that began elsewhere', () => fireEvent.pointerUp(canvasElement())],
    ['the wheel', () => fireEvent.wheel(canvasElement())],
    ['a key', () => fireEvent.keyDown(canvasElement(), { key: 'Shift' })],
  ])('stays where it is after %s', async (_, touch) => {
    const opened = await ready()
    touch()
    later(10_000)
    await lookAway(opened)
    resizeTo(600, 400)
    expect(opened.controller.flow.getViewport()).toEqual(AWAY)
  })

  it('stays where it is after a press on what was fitted just now', async () => {
    const opened = await ready()
    later(0) // the clock stands still
    await act(async () => opened.controller.view.fitAll())
    const before = opened.controller.flow.getViewport()
    fireEvent.pointerDown(canvasElement())
    resizeTo(600, 400)
    await act(async () => {})
    expect(opened.controller.flow.getViewport()).toEqual(before)
  })

  it('shows everything where that was asked for a moment ago', async () => {
    const opened = await ready()
    fireEvent.pointerDown(canvasElement())
    await lookAway(opened)
    later(0) // the clock stands still
    await act(async () => opened.controller.view.fitAll())
    const before = opened.controller.flow.getViewport()
    resizeTo(600, 400)
    await waitFor(() => expect(opened.controller.flow.getViewport().zoom).toBeLessThan(before.zoom))
  })
})

describe('a card that asks', () => {
  it('is wholly in view when everything is shown', async () => {
    const opened = await ready()
    const tall = card('log').querySelector<HTMLElement>(':scope > .card') ?? card('log')
    vi.spyOn(tall, 'offsetHeight', 'get').mockReturnValue(3000)
    act(() => opened.controller.view.fitAll())
    const rect = nodeRects(opened.store.getState().graph, opened.store.getState().types).get('log')
    const { y, height } = opened.controller.view.visible()
    expect((rect?.y ?? 0) + 3000).toBeLessThanOrEqual(y + height)
  })
})

describe('what comes out of sight', () => {
  it('is seen once it is added', async () => {
    const opened = await ready()
    select(opened.store, { nodes: ['log'] })
    await lookAway(opened)
    act(() => void opened.controller.insert(TEMPLATE))
    const [id = ''] = opened.store.getState().selection.nodes
    expect(id).not.toBe('log')
    await waitFor(() => expect(sees(opened, id)).toBe(true))
  })

  it('is seen once it is pasted beside what was copied', async () => {
    const opened = await ready()
    select(opened.store, { nodes: ['log'] })
    const text = opened.controller.copyText() ?? ''
    await lookAway(opened)
    act(() => void opened.controller.pasteText(text))
    const [id = ''] = opened.store.getState().selection.nodes
    expect(id).not.toBe('log')
    await waitFor(() => expect(sees(opened, id)).toBe(true))
  })
})

const BEGUN: readonly Line[] = [
  [0, null, 'FLOW_QUEUED'],
  [1, null, 'FLOW_START', { inputs: {}, version: 1 }],
]
const WORKING = [...BEGUN, [2, 'end', 'STEP_INIT', { attempt: 1 }] as Line]
const ASKING = [
  ...BEGUN,
  [2, 'log', 'STEP_INIT', { attempt: 1 }] as Line,
  [3, 'log', 'STEP_WAITING_FOR_START', { interaction: 'int_1', tool: { server: 'git', name: 'x' } }] as Line,
  [4, null, 'FLOW_STOP', { waiting: [{ kind: 'person', interaction: 'int_1' }] }] as Line,
]

describe('a run', () => {
  async function followed(lines: readonly Line[]) {
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(64) // of a card
    const opened = await ready()
    await lookAway(opened)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let roomTaken = () => {}
    const leave = follow(opened.controller, runOf(lines), (_moved, resized) => {
      roomTaken = resized
      return () => {}
    })
    /** The view looks where the run is twice a second. */
    const look = () => act(async () => void (await vi.advanceTimersByTimeAsync(1100)))
    return { ...opened, leave, look, roomTaken }
  }
  const viewOf = ({ controller }: Opened) => controller.flow.getViewport()

  it('is followed to the node that works', async () => {
    const opened = await followed(WORKING)
    await opened.look()
    expect(sees(opened, 'end')).toBe(true)
  })

  it('is followed no longer when a person moves the view', async () => {
    const opened = await followed(WORKING)
    act(() => opened.controller.view.zoomTo(1))
    await lookAway(opened)
    await opened.look()
    expect(viewOf(opened)).toEqual(AWAY)
  })

  it('is followed as the switch was set last', async () => {
    const { controller } = await ready()
    act(() => controller.view.letGo())
    act(() => follow(controller, runOf(WORKING), () => () => {})())
    expect(controller.canvas.getState().follow).toBe(true)
    localStorage.setItem('flag:follow', '0')
    act(() => follow(controller, runOf(WORKING), () => () => {})())
    expect(controller.canvas.getState().follow).toBe(false)
  })

  it('is followed no longer when another is shown', async () => {
    const opened = await followed(WORKING)
    act(() => opened.leave())
    await opened.look()
    expect(viewOf(opened)).toEqual(AWAY)
  })

  it('that asks is not covered by a panel that opens', async () => {
    const opened = await followed(ASKING)
    await opened.look()
    expect(sees(opened, 'log')).toBe(true)
    act(() => opened.controller.view.letGo())
    makeBoxes(300, 300)
    expect(sees(opened, 'log')).toBe(false)
    act(() => opened.roomTaken())
    await opened.look()
    expect(sees(opened, 'log')).toBe(true)
  })

  it('that asks stays where a person looked since a panel opened', async () => {
    const opened = await followed(ASKING)
    await opened.look()
    act(() => opened.roomTaken())
    act(() => opened.controller.view.letGo())
    await lookAway(opened)
    await opened.look()
    expect(viewOf(opened)).toEqual(AWAY)
  })

  it('has a switch for being followed, which is kept', async () => {
    await ready(undefined, { run: runOf(WORKING) })
    const button = screen.getByRole('button', { name: 'Follow' })
    await userEvent.click(button)
    expect(button.getAttribute('aria-pressed')).toBe('false')
    expect(localStorage.getItem('flag:follow')).toBe('0')
    await userEvent.click(button)
    expect(button.getAttribute('aria-pressed')).toBe('true')
    expect(localStorage.getItem('flag:follow')).toBe('1')
  })
})

describe('what was found', () => {
  async function find(query: string) {
    const user = userEvent.setup()
    const opened = await ready()
    press('f', { ctrlKey: true })
    const field = await waitFor(() => {
      const input = document.querySelector<HTMLElement>('search input')
      if (!input) throw new Error('the box is not there yet')
      return input
    })
    await user.type(field, query)
    return { ...opened, user }
  }
  /** The search for `start.path`, which stands in two nodes, and the box for what goes in its place. */
  async function replaceBy(text: string) {
    const opened = await find('start.path')
    await opened.user.click(screen.getByRole('button', { name: 'Find and replace', expanded: false }))
    await opened.user.type(screen.getByRole('textbox', { name: 'Replace with' }), text)
    return opened
  }
  const argument = (store: GraphStore) => nodeOf(store, 'log')?.config.arguments
  const answer = (store: GraphStore) => String(nodeOf(store, 'say')?.config.text)

  it('is replaced in one place', async () => {
    const { store, user } = await replaceBy('start.file')
    await user.click(screen.getByRole('button', { name: 'Replace' }))
    expect(argument(store)).toEqual({ path: '{{ start.file }}' })
    expect(answer(store)).toContain('start.path')
    expect(screen.getByText('1 place replaced')).toBeTruthy()
  })

  it('is replaced by Enter', async () => {
    const { store, user } = await replaceBy('start.file')
    await user.keyboard('{Enter}')
    expect(argument(store)).toEqual({ path: '{{ start.file }}' })
    expect(answer(store)).toContain('start.path')
  })

  it('is replaced everywhere, as one step', async () => {
    const { store, user } = await replaceBy('start.file')
    await user.click(screen.getByRole('button', { name: 'Replace all (2)' }))
    expect(argument(store)).toEqual({ path: '{{ start.file }}' })
    expect(answer(store)).toContain('start.file')
    expect(store.getState().past).toHaveLength(1)
  })

  it.each([
    ['the canvas', [], () => canvasElement()],
    ['the card that is chosen', ['log'], () => card('log')],
  ])('gives the focus back to %s', async (_, nodes, place) => {
    const { store, user } = await find('nothing like it')
    act(() => store.getState().select({ nodes }))
    await user.keyboard('{Escape}')
    await waitFor(() => expect(document.activeElement).toBe(place()))
  })

  it('may be a note, which is brought into view', async () => {
    const { controller, store, user } = await find('why')
    await user.click(screen.getByRole('button', { name: /^Note/ }))
    expect(store.getState().selection.annotations).toEqual(['note1'])
    expect(controller.flow.getZoom()).toBeCloseTo(1.2, 5)
  })
})
