import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { GraphProvider } from '@/graph/context'
import { node, sample } from '@/graph/graph.testing'
import { createGraphStore } from '@/graph/store'
import type { Graph, Selection } from '@/graph/types'
import { RunViewProvider } from '@/live/run-store'
import { FakeServer, show } from '@/testing/server'
import { Inspector } from './Inspector'

/** The inspector over a graph, with something other than one node selected. */
function open(graph: Graph, select: Partial<Selection>) {
  new FakeServer().on('GET /api/mcp/servers', { body: { results: [], next: null } })
  const store = createGraphStore(graph)
  store.getState().select(select)
  show(
    <RunViewProvider view={null}>
      <GraphProvider store={store}>
        <Inspector problems={[]} />
      </GraphProvider>
    </RunViewProvider>,
  )
  return store
}

const config = (model: string, tokens: number, json: boolean) => ({ model, tokens, json })
const TWO: Graph = {
  ...sample(),
  nodes: [
    node('one', 'llm', { config: config('small', 100, false) }),
    node('two', 'llm', { config: config('large', 200, true), timeout_s: 5 }),
    node('other', 'llm', { config: config('small', 1, false) }),
  ],
  edges: [],
}

describe('several nodes', () => {
  const openTwo = () => open(TWO, { nodes: ['one', 'two'] })
  const both = (store: ReturnType<typeof open>, read: (node: Graph['nodes'][number]) => unknown) =>
    store.getState().graph.nodes.map(read)

  it('have what they do on failure, their retries and their switch changed together', async () => {
    const store = openTwo()
    await userEvent.selectOptions(screen.getByLabelText('When it fails'), 'continue')
    expect(both(store, (node) => node.on_error)).toEqual(['continue', 'continue', undefined])
    await userEvent.selectOptions(screen.getByLabelText('Retry'), '2')
    expect(both(store, (node) => node.retry?.max)).toEqual([2, 2, undefined])
    await userEvent.selectOptions(screen.getByLabelText('Disabled'), 'off')
    expect(both(store, (node) => node.disabled)).toEqual([true, true, undefined])
  })

  it('have a text changed by Enter, a number when the field is left, and a switch', async () => {
    const store = openTwo()
    await userEvent.type(screen.getByLabelText('model'), 'medium{Enter}')
    expect(both(store, (node) => node.config.model)).toEqual(['medium', 'medium', 'small'])
    await userEvent.type(screen.getByLabelText('tokens'), '300')
    expect(both(store, (node) => node.config.tokens)).toEqual([100, 200, 1])
    await userEvent.tab()
    expect(both(store, (node) => node.config.tokens)).toEqual([300, 300, 1])
    await userEvent.selectOptions(screen.getByLabelText('json'), 'true')
    expect(both(store, (node) => node.config.json)).toEqual([true, true, false])
  })

  it('take a time limit that is one, and no other', async () => {
    const store = openTwo()
    await userEvent.type(screen.getByLabelText('Timeout'), '-1{Enter}')
    expect(both(store, (node) => node.timeout_s)).toEqual([undefined, 5, undefined])
    await userEvent.type(screen.getByLabelText('Timeout'), '30{Enter}')
    expect(both(store, (node) => node.timeout_s)).toEqual([30, 30, undefined])
  })
})

describe('a connection', () => {
  it('leads to the node before it', async () => {
    const graph = sample()
    const [edge] = graph.edges
    if (!edge) throw new Error('the sample has no edge')
    const store = open(graph, { edges: [edge.id] })
    await userEvent.click(screen.getByRole('button', { name: new RegExp(edge.source_port) }))
    expect(store.getState().selection.nodes).toEqual([edge.source])
  })

  it('leads to the node after it', async () => {
    const graph = sample()
    const edge = graph.edges.find((edge) => edge.source_port !== edge.target_port)
    if (!edge) throw new Error('the sample has no such edge')
    const store = open(graph, { edges: [edge.id] })
    const buttons = screen.getAllByRole('button', { name: new RegExp(`${edge.target_port}$`) })
    await userEvent.click(buttons.at(-1) as HTMLElement)
    expect(store.getState().selection.nodes).toEqual([edge.target])
  })
})

describe('a group', () => {
  const graph: Graph = {
    ...sample(),
    annotations: [
      { id: 'g', kind: 'group', text: 'Old', position: { x: 0, y: 0 }, size: { width: 100, height: 100 } },
    ],
  } as Graph

  it('gets another title, and is deleted', async () => {
    const store = open(graph, { annotations: ['g'] })
    await userEvent.type(screen.getByLabelText('Title'), '!')
    expect(store.getState().graph.annotations?.[0]?.text).toBe('Old!')
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }))
    expect(store.getState().graph.annotations ?? []).toEqual([])
  })
})
