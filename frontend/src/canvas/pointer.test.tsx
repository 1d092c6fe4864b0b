/** What is done on the canvas with a pointer and in its boxes: clicks, drags, edges, notes, finding, connecting, the palette. */
import { act, createEvent, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { node, sample } from '@/graph/graph.testing'
import type { NodeTemplate } from '@/graph/nodes/templates'
import type { GraphStore } from '@/graph/store'
import { NOTHING } from '@/graph/types'
import {
  canvasElement,
  card,
  giveLayout,
  nodeOf,
  type Opened,
  openCanvas,
  press,
  ready,
  select,
} from './canvas.testing'
import { useLift } from './drag/lift'

beforeEach(giveLayout)

const TEMPLATE: NodeTemplate = { type: 'template', title: 'Template', base: 'template', config: {} }

const at = ({ x, y }: { x: number; y: number }) => ({ clientX: x, clientY: y, button: 0 })
const screenOf = ({ controller }: Opened, x: number, y: number) =>
  controller.flow.flowToScreenPosition({ x, y })
const edgePath = (id: string) => document.querySelector(`.react-flow__edge[data-id="${id}"]`) as Element
const handle = (id: string, port: string, type: string) =>
  document.querySelector(
    `.react-flow__handle.${type}[data-nodeid="${id}"][data-handleid="${port}"]`,
  ) as Element

/** An event of the mouse with its window, which jsdom does not take from its own. */
function mouse(kind: 'mouseDown' | 'mouseMove' | 'mouseUp', on: Element | Document, init: object) {
  const event = createEvent[kind](on, init)
  Object.defineProperty(event, 'view', { value: window })
  fireEvent(on, event)
}

/** Press at one place of the document, move over others, let go. */
function drag(
  opened: Opened,
  on: Element,
  from: readonly [number, number],
  to: readonly [number, number],
  more = {},
) {
  const start = screenOf(opened, ...from)
  const end = screenOf(opened, ...to)
  const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 }
  fireEvent.pointerMove(canvasElement(), at(start))
  mouse('mouseDown', on, at(start))
  for (const place of [middle, end]) {
    fireEvent.pointerMove(canvasElement(), { ...at(place), ...more })
    mouse('mouseMove', document, { ...at(place), ...more })
  }
  mouse('mouseUp', document, { ...at(end), ...more })
}

describe('drawing around cards', () => {
  it('makes one thing of them to be dragged', async () => {
    const opened = await ready()
    const { store } = opened
    const pane = document.querySelector('.react-flow__pane') as Element
    const corner = (x: number, y: number) => ({
      ...at(screenOf(opened, x, y)),
      isPrimary: true,
      pointerId: 1,
    })
    fireEvent.pointerDown(pane, corner(140, -60))
    fireEvent.pointerMove(pane, corner(300, 60))
    fireEvent.pointerMove(pane, corner(580, 100))
    fireEvent.pointerUp(pane, corner(580, 100))
    expect(store.getState().selection.nodes).toEqual(['log', 'new'])
    const box = await waitFor(() => {
      const rect = document.querySelector('.react-flow__nodesselection-rect')
      if (!rect) throw new Error('there is nothing to drag')
      return rect
    })
    await waitFor(() => expect(card('log').classList.contains('draggable')).toBe(true))
    drag(opened, box, [300, 30], [300, -170])
    await waitFor(() => expect(nodeOf(store, 'log')?.position.y).toBeLessThan(-50))
    expect(nodeOf(store, 'new')?.position.y).toBe(nodeOf(store, 'log')?.position.y)
  })
})

describe('clicking', () => {
  it('a card selects it, Shift adds another, the empty canvas none', async () => {
    const user = userEvent.setup()
    const { store } = await ready()
    fireEvent.click(card('log'))
    expect(store.getState().selection.nodes).toEqual(['log'])
    await user.keyboard('{Shift>}')
    fireEvent.click(card('say'), { shiftKey: true })
    await user.keyboard('{/Shift}')
    expect(store.getState().selection.nodes).toEqual(['log', 'say'])
  })

  it('a card that React Flow still holds for selected is selected again', async () => {
    const { store } = await ready()
    fireEvent.click(card('log'))
    act(() => {
      store.getState().select(NOTHING) // and it is not drawn yet
      fireEvent.click(card('log'))
    })
    expect(store.getState().selection.nodes).toEqual(['log'])
  })

  it('an edge selects it, with the right button too', async () => {
    const { store } = await ready()
    fireEvent.click(edgePath('e2'))
    expect(store.getState().selection.edges).toEqual(['e2'])
    fireEvent.contextMenu(edgePath('e3'), { clientX: 10, clientY: 10 })
    expect(store.getState().selection.edges).toEqual(['e3'])
  })

  it('far away a click goes to the card under the pointer, and beside it to nothing', async () => {
    const opened = await ready()
    const { store, controller } = opened
    await act(async () => void (await controller.flow.setViewport({ x: 300, y: 300, zoom: 0.2 })))
    await waitFor(() => expect(canvasElement().dataset.lod).toBe('far'))
    const pane = document.querySelector('.react-flow__pane') as Element
    fireEvent.click(pane, at(screenOf(opened, 160, 30)))
    expect(store.getState().selection.nodes).toEqual(['log'])
    await waitFor(() => expect(controller.flow.getZoom()).toBeCloseTo(0.9))
    await waitFor(() => expect(canvasElement().dataset.lod).toBe('full'))
    await act(async () => void (await controller.flow.setViewport({ x: 300, y: 300, zoom: 0.2 })))
    await waitFor(() => expect(canvasElement().dataset.lod).toBe('far'))
    fireEvent.click(pane, at(screenOf(opened, -900, -900)))
    expect(store.getState().selection).toEqual(NOTHING)
  })

  it('twice on a card opens the inspector, on a frame and on the canvas the list of nodes', async () => {
    const opened = await ready()
    const { store, controller } = opened
    const added = () => controller.canvas.getState().quickAdd
    select(store, { nodes: ['log'] })
    fireEvent.doubleClick(card('log'))
    expect(opened.opened()).toBe(1)
    fireEvent.doubleClick(document.querySelector('.react-flow__pane') as Element, at({ x: 400, y: 500 }))
    expect(added()).toMatchObject({ screen: { x: 400, y: 500 } })
    fireEvent.doubleClick(document.querySelector('.frame') as Element, at({ x: 300, y: 300 }))
    expect(added()).toMatchObject({ into: 'each' })
  })

  it('a frame has a button to add inside, and one while it is empty', async () => {
    const { store, controller } = await ready()
    fireEvent.click(within(card('each')).getByRole('button', { name: 'Add a node inside' }))
    expect(controller.canvas.getState().quickAdd?.into).toBe('each')
    act(() => controller.canvas.setState({ quickAdd: null }))
    await act(async () => {
      store.getState().commit('delete', (graph) => ({
        ...graph,
        nodes: graph.nodes.filter((node) => node.parent !== 'each'),
        edges: graph.edges.filter((edge) => edge.id !== 'e5'),
      }))
    })
    fireEvent.click(screen.getByRole('button', { name: 'Drop nodes here, or click to add one' }))
    expect(controller.canvas.getState().quickAdd?.into).toBe('each')
  })

  it('the empty place behind the start asks what comes next', async () => {
    const { controller } = openCanvas({
      ...sample(),
      nodes: [node('start', 'start')],
      edges: [],
      annotations: [],
    })
    const toolbar = screen.getByRole('toolbar', { name: 'View' })
    const button = screen
      .getAllByRole('button', { name: 'Add a node' })
      .find((button) => button.classList.contains('empty-slot') && !toolbar.contains(button))
    fireEvent.click(button as Element)
    expect(controller.canvas.getState().quickAdd?.after).toEqual({ node: 'start' })
  })

  it('the button on an edge comes with the pointer, adds there, and goes after it', async () => {
    const { controller } = await ready()
    fireEvent.mouseEnter(edgePath('e2'))
    fireEvent.click(screen.getByRole('button', { name: 'Add a node on this edge', hidden: true }))
    expect(controller.canvas.getState().quickAdd?.on).toBe('e2')
    fireEvent.mouseLeave(edgePath('e2'))
    await waitFor(() => expect(controller.canvas.getState().edge).toBeNull())
  })
})

describe('dragging', () => {
  it('a card goes where it is dropped, in one step that can be undone', async () => {
    const opened = await ready()
    const { store } = opened
    const before = nodeOf(store, 'say')?.position ?? { x: 0, y: 0 }
    await waitFor(() => expect(card('say').classList.contains('draggable')).toBe(true))
    drag(opened, card('say'), [640, 30], [640, -270])
    const after = nodeOf(store, 'say')?.position ?? { x: 0, y: 0 }
    expect(after.y).toBeLessThan(before.y - 100)
    expect(store.getState().past).toHaveLength(1)
    act(() => store.getState().undo())
    expect(store.getState().graph).toEqual(sample())
  })

  it('several selected cards go together', async () => {
    const opened = await ready()
    const { store } = opened
    await waitFor(() => expect(card('say').classList.contains('draggable')).toBe(true))
    select(store, { nodes: ['say', 'new'] })
    drag(opened, card('say'), [640, 30], [640, -270])
    expect(nodeOf(store, 'new')?.position.y).toBeLessThan(-100)
    expect(nodeOf(store, 'say')?.position.y).toBeLessThan(-100)
  })

  it('from port to port connects, to the empty canvas asks what comes next', async () => {
    const opened = await ready()
    const { store, controller } = opened
    drag(opened, handle('log', 'out', 'source'), [348, 32], [684, 182])
    expect(store.getState().graph.edges.at(-1)).toMatchObject({ source: 'log', target: 'end' })
    drag(opened, handle('say', 'out', 'source'), [804, 32], [900, -300])
    expect(controller.canvas.getState().quickAdd?.after).toEqual({ node: 'say', port: 'out' })
  })

  it('onto a card beside its port connects with the card', async () => {
    const opened = await ready()
    document.elementFromPoint = () => card('end').firstElementChild
    drag(opened, handle('log', 'out', 'source'), [348, 32], [740, 260])
    expect(opened.store.getState().graph.edges.at(-1)).toMatchObject({ source: 'log', target: 'end' })
  })

  it('an end of an edge can be put elsewhere', async () => {
    const opened = await ready()
    const end = edgePath('e2').querySelector('.react-flow__edgeupdater-target') as Element
    drag(opened, end, [376, 32], [604, 32])
    expect(opened.store.getState().graph.edges.find((edge) => edge.id === 'e2')).toMatchObject({
      source: 'log',
      target: 'say',
    })
  })
})

describe('notes and groups', () => {
  const grouped = () => {
    const graph = sample()
    const [note] = graph.annotations ?? []
    if (!note) throw new Error('the sample has a note')
    const group = { ...note, id: 'group1', kind: 'group' as const, text: 'Read', position: { x: 0, y: 500 } }
    return { ...graph, annotations: [note, group] }
  }
  const textOf = (store: GraphStore, id: string) =>
    store.getState().graph.annotations?.find((item) => item.id === id)?.text

  it.each([
    ['note1', 'Note', '.note', '{Control>}{Enter}{/Control}'],
    ['note1', 'Note', '.note', '{Escape}'],
    ['group1', 'Group', '.group', '{Enter}'],
    ['group1', 'Group', '.group', '{Escape}'],
  ])('%s is written after a double click, and kept by the end key', async (id, label, box, end) => {
    const user = userEvent.setup()
    const { store } = await ready(grouped())
    fireEvent.doubleClick(document.querySelector(box) as Element)
    const field = screen.getByRole('textbox', { name: label })
    await user.clear(field)
    await user.type(field, `New words${end}`)
    expect(textOf(store, id)).toBe('New words')
    expect(screen.queryByRole('textbox', { name: label })).toBeNull()
  })

  it.each([
    ['note1', 'Note', '.note'],
    ['group1', 'Group', '.group'],
  ])('%s is kept when one goes elsewhere', async (id, label, box) => {
    const { store } = await ready(grouped())
    fireEvent.doubleClick(document.querySelector(box) as Element)
    const field = screen.getByRole('textbox', { name: label })
    fireEvent.change(field, { target: { value: 'Elsewhere' } })
    fireEvent.blur(field)
    expect(textOf(store, id)).toBe('Elsewhere')
  })

  it.each(['note1', 'group1'])('%s is as large as it was drawn', async (id) => {
    const opened = await ready(grouped())
    select(opened.store, { annotations: [id] })
    const before = opened.store.getState().graph.annotations?.find((item) => item.id === id)
    const corner = document.querySelector('.react-flow__resize-control.handle.bottom.right') as Element
    const from = [(before?.position.x ?? 0) + 220, (before?.position.y ?? 0) + 120] as const
    drag(opened, corner, from, [from[0] + 100, from[1] + 60])
    const after = opened.store.getState().graph.annotations?.find((item) => item.id === id)
    expect(after?.size.width).toBeGreaterThan(290)
    expect(opened.controller.canvas.getState().sizes.size).toBe(0)
  })
})

describe('finding', () => {
  async function find() {
    const user = userEvent.setup()
    const opened = await ready()
    press('f', { ctrlKey: true })
    // the box itself: a field stands for it until its code is there
    const field = await waitFor(() => {
      const input = document.querySelector<HTMLElement>('search input')
      if (!input) throw new Error('the box is not there yet')
      return input
    })
    return { ...opened, user, field, found: () => opened.store.getState().selection.nodes[0] }
  }

  it('Enter goes to the hit and on to the next, Shift back, arrows up and down, Escape ends it', async () => {
    const { user, field, found, controller } = await find()
    await user.type(field, 's')
    await user.keyboard('{Enter}')
    const first = found()
    expect(first).toBeDefined()
    await user.keyboard('{Enter}')
    const second = found()
    expect(second).not.toBe(first)
    await user.keyboard('{Shift>}{Enter}{/Shift}')
    expect(found()).toBe(first)
    await user.keyboard('{ArrowDown}')
    expect(found()).toBe(second)
    await user.keyboard('{ArrowUp}')
    expect(found()).toBe(first)
    await user.keyboard('{Escape}')
    expect(controller.canvas.getState().finding).toBe(false)
  })

  it('a click on a hit goes there, the cross closes', async () => {
    const { user, field, found, controller } = await find()
    await user.type(field, 'answer')
    await user.click(screen.getByRole('button', { name: /^answer/i }))
    expect(found()).toBe('say')
    await user.click(screen.getByRole('button', { name: 'Close the search' }))
    expect(controller.canvas.getState().finding).toBe(false)
  })
})

describe('connecting from a list', () => {
  async function list() {
    const opened = await ready()
    select(opened.store, { nodes: ['log'] })
    press('c')
    return { ...opened, field: await screen.findByRole('combobox') }
  }

  it('a click connects; the press before it does not take the focus from the field', async () => {
    const { store } = await list()
    const option = screen.getByRole('option', { name: /answer/i })
    const pressed = createEvent.pointerDown(option)
    fireEvent(option, pressed)
    expect(pressed.defaultPrevented).toBe(true)
    fireEvent.click(option)
    expect(store.getState().graph.edges.at(-1)).toMatchObject({ source: 'log', target: 'say' })
  })

  it('it closes when one goes elsewhere', async () => {
    const { field, controller } = await list()
    fireEvent.blur(field)
    expect(controller.canvas.getState().connecting).toBeNull()
  })
})

describe('the clipboard of the browser', () => {
  function clipboard(kind: 'copy' | 'cut' | 'paste', text = '') {
    const data = new Map([['text/plain', text]])
    const event = createEvent[kind](document.body, {
      clipboardData: {
        setData: (type: string, value: string) => void data.set(type, value),
        getData: (type: string) => data.get(type) ?? '',
      },
    })
    act(() => void fireEvent(document.body, event))
    return data.get('text/plain') ?? ''
  }

  it('copies, pastes and cuts what is selected', async () => {
    const { store } = await ready()
    select(store, { nodes: ['log'] })
    const text = clipboard('copy')
    expect(JSON.parse(text).nodes).toHaveLength(1)
    clipboard('paste', text)
    expect(nodeOf(store, 'log_2')).toBeDefined()
    select(store, { nodes: ['log'] })
    expect(JSON.parse(clipboard('cut')).nodes).toHaveLength(1)
    expect(nodeOf(store, 'log')).toBeUndefined()
  })

  it('pastes at the pointer, and beside the original when that is elsewhere', async () => {
    const opened = await ready()
    const { store, controller } = opened
    select(store, { nodes: ['log'] })
    const text = controller.copyText() ?? ''
    fireEvent.pointerMove(canvasElement(), at(screenOf(opened, 500, 500)))
    clipboard('paste', text)
    const there = nodeOf(store, 'log_2')?.position ?? { x: 0, y: 0 }
    expect(Math.abs(there.x - 500)).toBeLessThan(210)
    expect(Math.abs(there.y - 500)).toBeLessThan(80)
    fireEvent.pointerLeave(canvasElement())
    clipboard('paste', text)
    const beside = nodeOf(store, 'log_3')?.position ?? { x: 0, y: 0 }
    expect(Math.abs(beside.y - 0)).toBeLessThan(80)
  })

  it('a curl command becomes an HTTP node at the pointer, in one undo step and without its secret', async () => {
    const opened = await ready()
    const { store } = opened
    fireEvent.pointerMove(canvasElement(), at(screenOf(opened, 500, 500)))
    clipboard(
      'paste',
      "curl 'https://api.example.org/a?b=1' -H 'Authorization: Bearer t0ken-4711' -d 'x=1'\n",
    )
    await waitFor(() => expect(nodeOf(store, 'http')).toBeDefined(), { timeout: 60_000 })
    const { config, position } = nodeOf(store, 'http') ?? {}
    expect(config).toMatchObject({
      method: 'POST',
      url: 'https://api.example.org/a',
      query: { b: '1' },
      auth: { kind: 'bearer', secret: '' },
    })
    expect(JSON.stringify(store.getState().graph)).not.toContain('t0ken')
    expect(Math.abs((position?.y ?? 0) - 500)).toBeLessThan(80)
    expect(store.getState().selection.nodes).toEqual(['http'])
    act(() => store.getState().undo())
    expect(nodeOf(store, 'http')).toBeUndefined()
  })

  it('a curl command that names no address adds nothing', async () => {
    const { store } = await ready()
    const before = store.getState().graph
    const { takeForeign } = await import('./input/foreign')
    await takeForeign('curl -X POST ', () => expect.unreachable())
    expect(store.getState().graph).toBe(before)
  })
})

describe('the map', () => {
  it('goes where it is pressed and where the pointer then moves', async () => {
    const { controller } = await ready()
    const map = await screen.findByRole('img', { name: 'Map' })
    const before = controller.flow.getViewport()
    const held = new Set<number>()
    map.setPointerCapture = (id) => void held.add(id)
    map.hasPointerCapture = (id) => held.has(id)
    fireEvent.pointerDown(map, { ...at({ x: 900, y: 700 }), pointerId: 7 })
    await waitFor(() => expect(controller.flow.getViewport()).not.toEqual(before))
    const pressed = controller.flow.getViewport()
    fireEvent.pointerMove(map, { ...at({ x: 100, y: 100 }), pointerId: 7 })
    await waitFor(() => expect(controller.flow.getViewport()).not.toEqual(pressed))
  })
})

function Palette() {
  const lift = useLift()
  return (
    <button type="button" onPointerDown={(event) => lift(TEMPLATE, event)}>
      Template
    </button>
  )
}

describe('lifting from the palette', () => {
  async function lifted(pointerType = 'mouse') {
    const opened = await ready(sample(), { inside: <Palette /> })
    const button = screen.getByRole('button', { name: 'Template' })
    const from = { clientX: 20, clientY: 20, isPrimary: true, pointerType }
    fireEvent.pointerDown(button, { ...from, button: 0 })
    const move = (x: number, y: number) => fireEvent.pointerMove(window, { ...from, clientX: x, clientY: y })
    return { ...opened, move, ghost: () => opened.controller.canvas.getState().ghost, from }
  }

  it('a node is made where it is let go', async () => {
    const opened = await lifted()
    const to = screenOf(opened, 300, 450)
    opened.move(to.x, to.y)
    expect(opened.ghost()?.target).not.toBeNull()
    fireEvent.pointerUp(window, { ...opened.from, clientX: to.x, clientY: to.y })
    const created = opened.store.getState().graph.nodes.at(-1)
    expect(created?.type).toBe('template')
    expect(Math.abs((created?.position.x ?? 0) - 200)).toBeLessThan(40)
    expect(opened.ghost()).toBeNull()
  })

  it.each([
    ['Escape', () => fireEvent.keyDown(window, { key: 'Escape' })],
    ['a lost pointer', () => fireEvent.pointerCancel(window)],
  ])('%s puts it back', async (_, end) => {
    const opened = await lifted()
    opened.move(600, 400)
    expect(opened.ghost()).not.toBeNull()
    end()
    expect(opened.ghost()).toBeNull()
    fireEvent.pointerUp(window, { ...opened.from, clientX: 600, clientY: 400 })
    expect(opened.store.getState().graph).toEqual(sample())
  })

  it('a finger that rests lifts it, and what it lies on does not scroll or open a menu', async () => {
    const opened = await lifted('touch')
    await waitFor(() => expect(opened.ghost()).not.toBeNull())
    const touch = createEvent.touchMove(window, { cancelable: true })
    fireEvent(window, touch)
    expect(touch.defaultPrevented).toBe(true)
    const menu = createEvent.contextMenu(window, { cancelable: true })
    fireEvent(window, menu)
    expect(menu.defaultPrevented).toBe(true)
    fireEvent.pointerCancel(window)
  })
})

describe('a person who may only look', () => {
  it('cannot change the document by any key', async () => {
    const { store } = await ready(sample(), { readOnly: true })
    select(store, { nodes: ['say'] })
    for (const key of ['Delete', 'ArrowLeft', 'b', 'c', '/']) press(key)
    for (const key of ['d', 'g', 'l', 'z']) press(key, { ctrlKey: true })
    expect(store.getState().graph).toEqual(sample())
  })
})
