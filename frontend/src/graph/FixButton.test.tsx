import { createEvent, fireEvent, render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { GraphProvider } from './context'
import { FixButton } from './FixButton'
import { node } from './graph.testing'
import { createGraphStore } from './store'
import type { NodeType, Problem } from './types'

const START: NodeType = {
  type: 'start',
  v: 1,
  group: 'flow',
  title: 'Start',
  description: '',
  config_schema: {},
  output_schema: {},
  ports: { in: [], out: ['out'] },
}

function shown() {
  const graph = { schema: 1 as const, nodes: [node('log')], edges: [] }
  const store = createGraphStore(graph)
  store.getState().setTypes(new Map([['start', START]]))
  const problem: Problem = { code: 'no_start', severity: 'error', message: 'There is no start.' }
  render(
    <GraphProvider store={store}>
      <FixButton problem={problem} />
    </GraphProvider>,
  )
  return { store, button: screen.getByRole('button', { name: 'Add a start' }) }
}

it('a click mends what is wrong, as one step that can be undone', () => {
  const { store, button } = shown()
  fireEvent.click(button)
  expect(store.getState().graph.nodes.map(({ type }) => type)).toContain('start')
  store.getState().undo()
  expect(store.getState().graph.nodes.map(({ type }) => type)).toEqual(['tool'])
})

it('a press leaves the focus where it is', () => {
  const { button } = shown()
  const down = createEvent.pointerDown(button)
  fireEvent(button, down)
  expect(down.defaultPrevented).toBe(true)
})
