import { describe, expect, it } from 'vitest'
import { node, noTypes, sample } from '@/graph/graph.testing'
import type { RunView } from '@/live/run-store'
import { aloneForm } from './alone'

const ran = (outputs: Record<string, unknown>) =>
  ({ stepValues: (id: string) => (id in outputs ? { input: null, output: outputs[id] } : null) }) as RunView

describe('a node alone', () => {
  it('asks for what it speaks of, filled with what the others gave last', () => {
    const form = aloneForm(sample(), noTypes, 'new', ran({ log: { result: ['a'], more: 1 } }), {})
    expect(Object.keys(form.schema.properties as object)).toEqual(['log'])
    expect(form.values).toEqual({ log: { result: ['a'] } })
  })

  it('takes a pinned output before that of the run, and the start with its inputs', () => {
    const graph = sample()
    const [start] = graph.nodes
    if (start) start.config = { inputs: { type: 'object', properties: { path: { type: 'string' } } } }
    graph.nodes.push(node('last', 'template', { config: { template: '{{ log["result"] }} {{ say.text }}' } }))
    const log = graph.nodes.find((each) => each.id === 'log')
    if (log) log.pinned = { result: 'pinned' }
    const form = aloneForm(graph, noTypes, 'last', ran({ log: { result: 'ran' } }), { path: '/' })
    expect(form.values).toEqual({ start: { path: '/' }, log: { result: 'pinned' }, say: {} })
    expect(form.given(form.values)).toEqual({
      inputs: { path: '/' },
      outputs: { log: { result: 'pinned' }, say: {} },
    })
  })
})
