/** What one click does about a problem: the document after it, or nothing where a person has to decide. */
import { describe, expect, it } from 'vitest'
import { fixOf, lettersApart, nearest } from './fixes'
import { node, noTypes, sample } from './graph.testing'
import type { Graph, GraphNode, NodeType, NodeTypes, Problem } from './types'
import { checkLocally } from './validate'

const typed = (type: string, ...outputs: readonly string[]): NodeType =>
  ({
    type,
    v: 1,
    ports: { in: type === 'start' ? [] : ['in'], out: ['out'] },
    output_schema: { properties: Object.fromEntries(outputs.map((name) => [name, {}])) },
  }) as unknown as NodeType
const typesOf = (...types: readonly NodeType[]): NodeTypes => new Map(types.map((type) => [type.type, type]))

const problem = (code: string, more: Partial<Problem> = {}): Problem => ({
  code,
  severity: 'error',
  message: code,
  ...more,
})

/** The document after the click; undefined where there is no button. */
const mended = (problem: Problem, graph: Graph = sample(), types: NodeTypes = noTypes): Graph | undefined =>
  fixOf(problem, graph, types)?.change(graph)

const configOf = (graph: Graph | undefined, id: string) =>
  graph?.nodes.find((entry) => entry.id === id)?.config

/** The sample where the answer says this of the log. */
function saying(text: unknown): Graph {
  const graph = sample()
  const nodes = graph.nodes.map((entry) => (entry.id === 'say' ? { ...entry, config: { text } } : entry))
  return { ...graph, nodes }
}

describe('the name that was meant', () => {
  it('is told by the letters that differ', () => {
    expect(lettersApart('kitten', 'sitting')).toBe(3)
    expect(lettersApart('', 'abc')).toBe(3)
    expect(lettersApart('same', 'same')).toBe(0)
  })

  it('is the nearest, whatever its case', () => {
    expect(nearest('Reslt', ['text', 'result', 'usage'])).toBe('result')
  })

  it('is none where most of it is different', () => {
    expect(nearest('date', ['structured', 'is_error'])).toBeUndefined()
    expect(nearest('x', [])).toBeUndefined()
  })
})

describe('an output that is not there', () => {
  const unknown = (key: string, known: readonly unknown[], name = 'log') =>
    problem('output_unknown', { node: 'say', params: { name, key, known } })

  it('is written as the one that was meant, and says which', () => {
    const graph = saying('{{ log.reslt | trim }} of {{#log.reslt#}}')
    const fix = fixOf(unknown('reslt', ['result', 'text']), graph, noTypes)
    expect(fix).toMatchObject({ kind: 'use', name: 'result', label: 'config' })
    expect(configOf(fix?.change(graph), 'say')).toEqual({
      text: '{{ log.result | trim }} of {{#log.result#}}',
    })
  })

  it('is what a tool always gives where no name is near', () => {
    const graph = saying('{{ log.date }}')
    expect(configOf(mended(unknown('date', ['is_error', 'structured']), graph), 'say')).toEqual({
      text: '{{ log.structured }}',
    })
  })

  it('is the only one there is', () => {
    const graph = saying('{{ log.answer }}')
    expect(configOf(mended(unknown('answer', ['text']), graph), 'say')).toEqual({ text: '{{ log.text }}' })
  })

  it('is left to a person where several could be meant, or none', () => {
    const graph = saying('{{ log.date }}')
    expect(mended(unknown('date', ['one', 'two']), graph)).toBeUndefined()
    expect(mended(unknown('date', []), graph)).toBeUndefined()
  })

  it('is written anew wherever the configuration has it, and nowhere else', () => {
    const config = {
      list: ['{{ log.reslt }}', 3, null],
      deep: { text: 'log.reslt is {{ log.reslt.reslt }}, not {{ log.reslts }} or {{ old.log.reslt }}' },
      words: '{{ log.text | default("log.reslt") }}',
      kept: '\\{{ log.reslt }}',
    }
    const graph = saying('')
    const nodes = graph.nodes.map((entry) => (entry.id === 'say' ? { ...entry, config } : entry))
    expect(configOf(mended(unknown('reslt', ['result']), { ...graph, nodes }), 'say')).toEqual({
      list: ['{{ log.result }}', 3, null],
      deep: { text: 'log.reslt is {{ log.result.reslt }}, not {{ log.reslts }} or {{ old.log.reslt }}' },
      words: '{{ log.text | default("log.reslt") }}',
      kept: '\\{{ log.reslt }}',
    })
  })

  it('is found where it is written in brackets', () => {
    const graph = saying('{{ log["reslt"].name }} {{ log[ \'reslt\' ] }}')
    expect(configOf(mended(unknown('reslt', ['result']), graph), 'say')).toEqual({
      text: '{{ log.result.name }} {{ log.result }}',
    })
    expect(configOf(mended(unknown('0', ['text']), saying('{{ log[0] }}')), 'say')).toEqual({
      text: '{{ log.text }}',
    })
  })

  it('is written in brackets where its name needs them', () => {
    const graph = saying('{{ log.first_name }}')
    expect(configOf(mended(unknown('first_name', ['first name']), graph), 'say')).toEqual({
      text: '{{ log["first name"] }}',
    })
  })

  it('is read to the end of its name in any script', () => {
    const graph = saying('{{ log.日 }} {{ log.日期 }}')
    expect(configOf(mended(unknown('日', ['日数']), graph), 'say')).toEqual({
      text: '{{ log.日数 }} {{ log.日期 }}',
    })
  })

  it('has no button where nothing would change', () => {
    expect(mended(unknown('reslt', ['result']), saying('{{ log.text }}'))).toBeUndefined()
  })
})

describe('a node that is not there', () => {
  const unknown = (name: string, more: Partial<Problem> = {}) =>
    problem('reference_unknown', { node: 'say', params: { name }, ...more })

  it('is one of those before with a name like it', () => {
    const graph = saying('{{ logs.result }} {{ all.logs }}')
    expect(configOf(mended(unknown('logs'), graph), 'say')).toEqual({
      text: '{{ log.result }} {{ all.logs }}',
    })
  })

  it('is found by what the page itself checks', () => {
    const graph = saying('{{ logs.result }}')
    const [unknown] = checkLocally(graph, noTypes).filter(({ code }) => code === 'unknown_reference')
    expect(unknown).toBeTruthy()
    expect(configOf(mended({ message: '', ...unknown } as Problem, graph), 'say')).toEqual({
      text: '{{ log.result }}',
    })
  })

  it('is never one that comes later', () => {
    const graph = saying('{{ each_.items }}')
    expect(mended(unknown('each_'), graph)).toBeUndefined()
  })

  it('is left alone where a variable is meant', () => {
    expect(mended(unknown('vars.log'), saying('{{ vars.log }}'))).toBeUndefined()
  })
})

describe('a start', () => {
  const types = typesOf(typed('start'))
  const rest: Graph = { ...sample(), nodes: sample().nodes.filter((entry) => entry.type !== 'start') }

  it('that is missing stands left of all others', () => {
    for (const code of ['no_start', 'start_missing']) {
      const next = mended(problem(code), rest, types)
      const [start] = next?.nodes.filter((entry) => entry.type === 'start') ?? []
      expect(start?.position).toEqual({ x: -260, y: 0 })
      expect(next?.nodes).toHaveLength(rest.nodes.length + 1)
    }
  })

  it('is the first node of an empty document', () => {
    const empty: Graph = { schema: 1, nodes: [], edges: [], annotations: [] }
    expect(mended(problem('start_missing'), empty, types)?.nodes).toMatchObject([
      { type: 'start', position: { x: 0, y: 0 } },
    ])
  })

  it('cannot be added before the types are known', () => {
    expect(mended(problem('start_missing'), rest)).toBeUndefined()
  })

  it('that is one too many is deleted', () => {
    const graph: Graph = { ...sample(), nodes: [...sample().nodes, node('start_2', 'start')] }
    for (const code of ['two_starts', 'start_double'])
      expect(mended(problem(code, { node: 'start_2' }), graph)).toEqual(sample())
  })
})

describe('a connection that is wrong', () => {
  it.each(['dangling_edge', 'unknown_port', 'port_unknown', 'edge_same', 'edge_crosses'])(
    'goes for %s',
    (code) => {
      expect(mended(problem(code, { edge: 'e2' }))?.edges.map(({ id }) => id)).toEqual([
        'e1',
        'e3',
        'e4',
        'e5',
        'e6',
      ])
    },
  )

  it('that nobody names has no button', () => {
    expect(mended(problem('edge_same'))).toBeUndefined()
  })
})

describe('a field that the node does not know', () => {
  it('is removed', () => {
    const wrong = problem('config_unknown', { node: 'log', params: { field: 'tool' } })
    expect(configOf(mended(wrong), 'log')).toEqual({ server: 'git', arguments: { path: '{{ start.path }}' } })
  })

  it('that is gone already has no button', () => {
    expect(mended(problem('config_unknown', { node: 'log', params: { field: 'old' } }))).toBeUndefined()
    expect(mended(problem('config_unknown', { params: { field: 'tool' } }))).toBeUndefined()
  })
})

describe('an end that returns nothing', () => {
  const missing = problem('output_none', { node: 'end' })
  const ending = (last: GraphNode): Graph => ({
    ...sample(),
    nodes: [last, node('end', 'end', { config: { outputs: {}, title: 'Done' } })],
    edges: [{ id: 'e1', source: last.id, source_port: 'out', target: 'end', target_port: 'in' }],
  })

  it('returns what the node before it gives: its text first', () => {
    const graph = ending(node('sum', 'llm'))
    const types = typesOf(typed('llm', 'usage', 'text'))
    expect(fixOf(missing, graph, types)).toMatchObject({ kind: 'return', name: 'sum.text' })
    expect(configOf(mended(missing, graph, types), 'end')).toEqual({
      title: 'Done',
      outputs: { text: '{{ sum.text }}' },
    })
  })

  it('returns its only value, whatever that is called', () => {
    const graph = ending(node('each', 'iteration'))
    expect(configOf(mended(missing, graph, typesOf(typed('iteration', 'items'))), 'end')).toMatchObject({
      outputs: { items: '{{ each.items }}' },
    })
  })

  it('is left to a person where nothing is known to come in', () => {
    const graph = ending(node('sum', 'llm'))
    expect(mended(missing, graph, typesOf(typed('llm')))).toBeUndefined()
    expect(mended(missing, graph, typesOf(typed('llm', 'odd key')))).toBeUndefined()
    expect(mended(missing, { ...graph, edges: [] }, typesOf(typed('llm', 'text')))).toBeUndefined()
  })
})

it('any other problem is for a person', () => {
  expect(mended(problem('cycle', { node: 'log' }))).toBeUndefined()
})
