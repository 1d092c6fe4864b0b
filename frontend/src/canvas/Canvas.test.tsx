import { act, fireEvent, render, screen } from '@testing-library/react'
import { useEffect } from 'react'
import { beforeEach, describe, expect, it } from 'vitest'
import { GraphProvider } from '@/graph/context'
import { sample } from '@/graph/graph.testing'
import { createGraphStore } from '@/graph/store'
import { listenToKeys } from '@/ui'
import { Canvas } from './Canvas'
import { CanvasProvider, useController } from './CanvasProvider'
import type { CanvasController } from './controller'
import { useCanvasKeys } from './input/useCanvasKeys'
import { ConnectMenu } from './menus/boxes'

let controller: CanvasController
let opened = 0

function Inside() {
  controller = useController()
  useCanvasKeys(() => {
    opened += 1
  })
  useEffect(() => listenToKeys(), [])
  return (
    <Canvas onOpen={() => {}}>
      <ConnectMenu />
    </Canvas>
  )
}

function open(readOnly = false) {
  const store = createGraphStore(sample())
  store.getState().setReadOnly(readOnly)
  render(
    <GraphProvider store={store}>
      <CanvasProvider>
        <Inside />
      </CanvasProvider>
    </GraphProvider>,
  )
  return store
}

const press = (key: string, more: KeyboardEventInit = {}) =>
  act(() => {
    fireEvent.keyDown(screen.getByTestId('canvas'), { key, ...more })
  })

beforeEach(() => {
  opened = 0
})

describe('keys of the canvas', () => {
  it('Delete removes, undo and redo bring back and away', () => {
    const store = open()
    act(() => store.getState().select({ nodes: ['say'] }))
    press('Delete')
    expect(store.getState().graph.nodes.some((node) => node.id === 'say')).toBe(false)
    press('z', { ctrlKey: true })
    expect(store.getState().graph).toEqual(sample())
    press('z', { ctrlKey: true, shiftKey: true })
    expect(store.getState().graph.nodes.some((node) => node.id === 'say')).toBe(false)
  })

  it('arrows nudge by 10 and 50, as one step while they follow each other', () => {
    const store = open()
    act(() => store.getState().select({ nodes: ['say'] }))
    press('ArrowRight')
    press('ArrowDown', { shiftKey: true })
    expect(store.getState().graph.nodes.find((node) => node.id === 'say')?.position).toEqual({
      x: 614,
      y: 50,
    })
    expect(store.getState().past).toHaveLength(1)
  })

  it('Tab walks along the edges and back, and on to the next branch', () => {
    const store = open()
    const walked: (string | undefined)[] = []
    const step = (more: KeyboardEventInit = {}) => {
      press('Tab', more)
      walked.push(store.getState().selection.nodes[0])
    }
    for (let count = 0; count < 4; count += 1) step()
    expect(walked).toEqual(['start', 'log', 'new', 'say'])
    step()
    step({ shiftKey: true })
    expect(walked.slice(4)).toEqual(['each', 'new'])
  })

  it('select all, duplicate, switch off, group', () => {
    const store = open()
    press('a', { ctrlKey: true })
    expect(store.getState().selection.nodes).toHaveLength(8)
    act(() => store.getState().select({ nodes: ['log'] }))
    press('d', { ctrlKey: true })
    expect(store.getState().selection.nodes).toEqual(['log_2'])
    press('b')
    expect(store.getState().graph.nodes.find((node) => node.id === 'log_2')?.disabled).toBe(true)
    press('g', { ctrlKey: true })
    expect(store.getState().graph.annotations?.at(-1)?.kind).toBe('group')
  })

  it('slash opens the quick-add menu, Enter the inspector, Escape clears', () => {
    const store = open()
    press('/')
    expect(controller.canvas.getState().quickAdd).not.toBeNull()
    act(() => store.getState().select({ nodes: ['log'] }))
    press('Enter')
    expect(opened).toBe(1)
    press('Escape')
    expect(controller.canvas.getState().quickAdd).toBeNull()
    expect(store.getState().selection.nodes).toEqual([])
  })

  it('C connects to a node from a list of those that may be', async () => {
    const store = open()
    act(() => store.getState().select({ nodes: ['log'] }))
    press('c')
    expect((await screen.findAllByRole('option')).map((option) => option.textContent)).toEqual([
      'answerout',
      'iterationout',
      'endout',
    ])
    const field = screen.getByRole('combobox')
    fireEvent.change(field, { target: { value: 'end' } })
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(store.getState().graph.edges.at(-1)).toMatchObject({ source: 'log', target: 'end' })
    expect(screen.queryByRole('combobox')).toBeNull()
  })

  it('a viewer changes nothing', () => {
    const store = open(true)
    act(() => store.getState().select({ nodes: ['say'] }))
    for (const key of ['Delete', 'ArrowLeft', 'b', '/']) press(key)
    expect(store.getState().graph).toEqual(sample())
    expect(controller.canvas.getState().quickAdd).toBeNull()
  })
})

describe('clipboard', () => {
  it('copies as text and pastes it into another workflow', () => {
    const store = open()
    act(() => store.getState().select({ nodes: ['log', 'new'] }))
    const text = controller.copyText() ?? ''
    expect(JSON.parse(text).nodes).toHaveLength(2)
    act(() => {
      expect(controller.pasteText(text)).toBe(true)
    })
    expect(store.getState().selection.nodes).toEqual(['log_2', 'new_2'])
    expect(controller.pasteText('hello')).toBe(false)
  })
})

describe('inserting', () => {
  it('goes behind the selected node, else where there is room', () => {
    const store = open()
    act(() => store.getState().select({ nodes: ['say'] }))
    let id: string | null = null
    act(() => {
      id = controller.insert({ type: 'template', title: 'Template', base: 'template', config: {} })
    })
    expect(store.getState().graph.edges.at(-1)).toMatchObject({ source: 'say', target: id })
    expect(store.getState().selection.nodes).toEqual([id])
  })
})
