import { describe, expect, it } from 'vitest'
import { node, noTypes, sample } from '@/graph/graph.testing'
import type { Graph } from '@/graph/types'
import type { Step } from '@/live/fold'
import type { RunView } from '@/live/run-store'
import { aloneForm } from './alone'

interface Ran {
  node: string
  path?: [string, number][]
  input?: unknown
  output?: unknown
}

/** A run whose steps ran one after the other. */
function ran(...steps: Ran[]): RunView {
  const all = steps.map(({ node, path = [], input = null, output = null }, at) => ({
    node,
    path: path.map(([frame, index]) => ({ node: frame, index })),
    parent: null,
    input,
    output,
    startedAt: at,
    endedAt: at + 1,
  }))
  return {
    steps: (id: string) => all.filter((step) => step.node === id) as unknown as Step[],
  } as unknown as RunView
}

const propertiesOf = (schema: unknown) => (schema as { properties: Record<string, unknown> }).properties

describe('a node alone', () => {
  it('asks for what it speaks of, filled with what the others gave last', () => {
    const view = ran({ node: 'log', output: { result: ['a'], more: 1 } })
    const form = aloneForm(sample(), noTypes, 'new', view, {})
    expect(Object.keys(propertiesOf(form.schema))).toEqual(['log'])
    expect(form.values).toEqual({ log: { result: ['a'] } })
  })

  it('takes a pinned output before that of the run, and the start with its inputs', () => {
    const graph = sample()
    const [start] = graph.nodes
    if (start) start.config = { inputs: { type: 'object', properties: { path: { type: 'string' } } } }
    graph.nodes.push(node('last', 'template', { config: { template: '{{ log["result"] }} {{ say.text }}' } }))
    const log = graph.nodes.find((each) => each.id === 'log')
    if (log) log.pinned = { result: 'pinned' }
    const form = aloneForm(graph, noTypes, 'last', ran({ node: 'log', output: { result: 'ran' } }), {
      path: '/',
    })
    expect(form.values).toEqual({ start: { path: '/' }, log: { result: 'pinned' }, say: {} })
    expect(form.split(form.values)).toEqual({
      inputs: { path: '/' },
      outputs: { log: { result: 'pinned' }, say: {} },
    })
  })
})

describe('a node alone inside containers', () => {
  it('asks for the item of its round, and for what its neighbours gave in it', () => {
    const graph = sample()
    const sum = graph.nodes.find((each) => each.id === 'sum')
    if (sum) sum.config = { prompt: '{{ item }} {{ index }} {{ read.result }} {{ log.result }}' }
    const view = ran(
      { node: 'log', output: { result: 'logged' } },
      { node: 'each', input: { items: ['a', 'b', 'c'] } },
      { node: 'read', path: [['each', 0]], output: { result: 'A' } },
      { node: 'read', path: [['each', 1]], output: { result: 'B' } },
      { node: 'sum', path: [['each', 1]] },
      { node: 'read', path: [['each', 2]], output: { result: 'C' } },
    )
    const form = aloneForm(graph, noTypes, 'sum', view, {})
    expect(form.values).toEqual({
      each: { item: 'b', index: 1 },
      read: { result: 'B' },
      log: { result: 'logged' },
    })
    expect(form.split(form.values)).toEqual({ inputs: {}, outputs: form.values })
  })

  it('asks for the variables of a loop as they were in its round, and for the round before', () => {
    const view = ran(
      { node: 'again', input: { vars: { sum: 0, other: 'o' } } },
      { node: 'add', path: [['again', 0]], output: { sum: 1 } },
      { node: 'add', path: [['again', 1]], output: { sum: 2 } },
      { node: 'deep', path: [['again', 1]], output: { text: 'one' } },
      { node: 'add', path: [['again', 2]], output: { sum: 3, unknown: 1 } },
      { node: 'deep', path: [['again', 2]] },
      { node: 'add', path: [['again', 3]], output: { sum: 4 } },
    )
    const form = aloneForm(looped('{{ loop.vars.sum }} {{ loop.last.deep.text }}'), noTypes, 'deep', view, {})
    const before = { add: { sum: 2 }, deep: { text: 'one' } }
    expect(form.values).toEqual({ again: { vars: { sum: 3, other: 'o' }, last: before, index: 2 } })
    expect(form.split(form.values).outputs).toEqual({
      again: { index: 2, loop: { vars: { sum: 3, other: 'o' }, last: before } },
    })
  })

  it('fills in what was given when it ran alone before', () => {
    const input = { index: 4, loop: { index: 4, vars: { sum: 9 }, last: null } }
    const view = ran({ node: 'again', input }, { node: 'deep', path: [['again', 0]] })
    const form = aloneForm(looped('{{ loop.vars.sum }}'), noTypes, 'deep', view, {})
    expect(form.values).toEqual({ again: { vars: { sum: 9 }, last: null, index: 4 } })
  })

  it('asks for the words that are read in the whole of a container, of the containers around it alone', () => {
    const graph = looped('{{ loop.vars.sum }}')
    graph.nodes.push(
      node('inner', 'iteration', {
        parent: 'again',
        config: { items: '{{ loop.vars.list }}', output: '{{ item }}' },
      }),
      node('child', 'template', { parent: 'inner', config: { template: '{{ item }} {{ index }}' } }),
    )
    const form = aloneForm(graph, noTypes, 'inner', null, {})
    expect(Object.keys(propertiesOf(form.schema))).toEqual(['again'])
    expect(Object.keys(propertiesOf(propertiesOf(form.schema).again))).toEqual(['vars', 'last', 'index'])
    expect(form.values).toEqual({ again: { vars: { other: 'written' }, index: 0 } })
  })
})

function looped(template: string): Graph {
  return {
    ...sample(),
    nodes: [
      node('start', 'start'),
      node('again', 'loop', { config: { vars: { sum: '{{ start.n }}', other: 'written' } } }),
      node('add', 'set_variable', { parent: 'again', config: { values: {} } }),
      node('deep', 'template', { parent: 'again', config: { template } }),
    ],
    edges: [],
  }
}
