import { describe, expect, it } from 'vitest'
import { node, sample } from '@/graph/graph.testing'
import { createGraphStore } from '@/graph/store'
import { commonConfig, patchNodes, shared } from './many'

describe('several nodes', () => {
  it('change together, as one undo step', () => {
    const store = createGraphStore(sample())
    const retry = { max: 2 }
    store.getState().commit('settings', (graph) => patchNodes(graph, ['log', 'say'], () => ({ retry })))
    const changed = store.getState().graph.nodes.filter((each) => each.retry)
    expect(changed.map((each) => each.id)).toEqual(['log', 'say'])
    store.getState().undo()
    expect(store.getState().graph).toEqual(sample())
  })

  it('take a setting out again, and a change of nothing is none', () => {
    const graph = patchNodes(sample(), ['log'], () => ({ timeout_s: 3 }))
    expect(patchNodes(graph, ['log'], () => ({ timeout_s: 3 }))).toBe(graph)
    const without = patchNodes(graph, ['log'], () => ({ timeout_s: undefined }) as object)
    expect(without).toEqual(sample())
  })

  it('say what they share', () => {
    const one = node('a', 'llm', { config: { model: 'm', temperature: 1, messages: [] } })
    const two = node('b', 'agent', { config: { model: 'n', temperature: 1, messages: [] } })
    expect(commonConfig([one, two])).toEqual(['model', 'temperature'])
    expect(shared([one, two], (each) => each.config.temperature)).toEqual({ mixed: false, value: 1 })
    expect(shared([one, two], (each) => each.config.model)).toEqual({ mixed: true })
    expect(shared([], (each) => each.id)).toBeNull()
  })
})
