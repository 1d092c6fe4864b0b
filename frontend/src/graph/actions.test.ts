/** Each edit and each method of the store does what it says: what the other tests only pass through. */
import { describe, expect, it } from 'vitest'
import { addNote, patchAnnotation, patchNode, reconnect } from '@/graph/edit/edits'
import { removeAndHeal } from '@/graph/edit/heal'
import { noTypes, sample } from '@/graph/graph.testing'
import { applyPlaces } from '@/graph/layout/tidy'
import { createGraphStore } from '@/graph/store'
import { NOTHING, type NodeTypes, type Problem } from '@/graph/types'

const find = (graph: ReturnType<typeof sample>, id: string) => graph.nodes.find((node) => node.id === id)

describe('edits', () => {
  it('a configuration is replaced, and only that of its node', () => {
    const graph = patchNode(sample(), 'say', { config: { text: 'Hello' } })
    expect(find(graph, 'say')?.config).toEqual({ text: 'Hello' })
    expect(find(graph, 'log')).toEqual(find(sample(), 'log'))
  })

  it('an annotation changes where it is told to', () => {
    const graph = patchAnnotation(sample(), 'note1', { text: 'Because' })
    expect(graph.annotations).toEqual([{ ...sample().annotations?.[0], text: 'Because' }])
  })

  it('a new note lies where it was asked for', () => {
    const { graph, id } = addNote(sample(), { x: 40, y: 50 }, 'Look here')
    expect(graph.annotations?.map((item) => item.id)).toEqual(['note1', id])
    expect(graph.annotations?.at(-1)).toMatchObject({ text: 'Look here', position: { x: 40, y: 50 } })
  })

  it('an edge is put elsewhere and keeps its id; not where it may not be', () => {
    const to = (target: string) => ({ source: 'log', source_port: 'out', target, target_port: 'in' })
    const graph = reconnect(sample(), noTypes, 'e2', to('say'))
    expect(graph.edges.find((edge) => edge.id === 'e2')).toMatchObject({ source: 'log', target: 'say' })
    const before = sample()
    expect(reconnect(before, noTypes, 'e2', to('start'))).toBe(before)
  })

  it('deleting joins what the node stood between', () => {
    const graph = removeAndHeal(sample(), noTypes, { nodes: ['log'] })
    expect(find(graph, 'log')).toBeUndefined()
    expect(graph.edges.some((edge) => edge.source === 'start' && edge.target === 'new')).toBe(true)
  })

  it('the places of a layout become those of the nodes', () => {
    const graph = applyPlaces(sample(), { log: { x: 11, y: 22 } })
    expect(find(graph, 'log')?.position).toEqual({ x: 11, y: 22 })
    expect(find(graph, 'say')?.position).toEqual(find(sample(), 'say')?.position)
  })
})

describe('the store', () => {
  it('a loaded document has no history, and keeps the selection of what is still there', () => {
    const store = createGraphStore(sample())
    store.getState().commit('config', (graph) => patchNode(graph, 'say', { config: { text: 'Hello' } }))
    store.getState().select({ nodes: ['say', 'log'] })
    const other = removeAndHeal(sample(), noTypes, { nodes: ['log'] })
    store.getState().load(other)
    expect(store.getState()).toMatchObject({ graph: other, past: [], future: [] })
    expect(store.getState().selection).toEqual({ ...NOTHING, nodes: ['say'] })
  })

  it('knows the types and the problems that it was given', () => {
    const store = createGraphStore(sample())
    const types: NodeTypes = new Map()
    const problems: readonly Problem[] = [
      { code: 'unreachable', severity: 'warning', message: 'Nothing leads here.', node: 'say' },
    ]
    store.getState().setTypes(types)
    store.getState().setProblems(problems)
    expect(store.getState().types).toBe(types)
    expect(store.getState().problems).toBe(problems)
  })
})
