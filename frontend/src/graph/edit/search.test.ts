import { describe, expect, it } from 'vitest'
import { node, noTypes, sample } from '@/graph/graph.testing'
import { createGraphStore } from '@/graph/store'
import type { Graph } from '@/graph/types'
import { countMatches, findInGraph, replaceInGraph } from './search'

const ids = (graph: Graph, query: string, ran?: (node: string) => unknown) =>
  findInGraph(graph, noTypes, query, ran).map((hit) => hit.id)

describe('finding', () => {
  it('titles come first, then types and tools, then configuration', () => {
    const graph = sample()
    graph.nodes.push(node('x', 'tool', { title: 'A git thing' }))
    expect(ids(graph, 'git')).toEqual(['log', 'x'])
    expect(ids(graph, 'iteration')).toEqual(['each'])
    expect(ids(graph, '')).toEqual([])
  })

  it('keys and values of the configuration, with the place', () => {
    const [hit] = findInGraph(sample(), noTypes, 'READ.res')
    expect(hit).toMatchObject({ id: 'sum', place: 'messages.0.content', excerpt: '{{ read.result }}' })
    expect(ids(sample(), 'conditions')).toEqual(['new'])
  })

  it('notes, and what the run that is shown gave', () => {
    expect(findInGraph(sample(), noTypes, 'why')).toEqual([
      { kind: 'annotation', id: 'note1', excerpt: 'Why' },
    ])
    const ran = (id: string) => (id === 'sum' ? { output: { text: 'a forecast' } } : undefined)
    expect(ids(sample(), 'forecast')).toEqual([])
    expect(findInGraph(sample(), noTypes, 'forecast', ran)[0]).toMatchObject({
      id: 'sum',
      place: 'output.text',
    })
  })
})

describe('replacing', () => {
  it('everywhere at once, as one undo step', () => {
    const store = createGraphStore(sample())
    expect(countMatches(sample(), 'log.')).toBe(3)
    store.getState().commit('replace', (graph) => replaceInGraph(graph, 'LOG.', 'journal.'))
    const { graph, past } = store.getState()
    expect(countMatches(graph, 'journal.')).toBe(3)
    expect(past).toHaveLength(1)
    expect(graph.nodes.map((each) => each.id)).toEqual(sample().nodes.map((each) => each.id))
    store.getState().undo()
    expect(store.getState().graph).toEqual(sample())
  })

  it('in one of them alone; what has no match stays the same object', () => {
    const before = sample()
    const after = replaceInGraph(before, 'result', 'answer', 'sum')
    expect(after.nodes.filter((each, index) => each !== before.nodes[index]).map((each) => each.id)).toEqual([
      'sum',
    ])
  })

  it('takes the text as it is, no pattern and no group', () => {
    const graph: Graph = {
      schema: 1,
      nodes: [node('a', 'template', { config: { template: 'a.b (c) $1' } })],
      edges: [],
    }
    expect(replaceInGraph(graph, '(c)', '$& $1').nodes[0]?.config).toEqual({ template: 'a.b $& $1 $1' })
    expect(replaceInGraph(graph, '.b (c', '').nodes[0]?.config).toEqual({ template: 'a) $1' })
  })
})
