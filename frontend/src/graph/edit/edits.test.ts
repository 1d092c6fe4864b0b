import { describe, expect, it } from 'vitest'
import { hasExpression, references, renameReferences } from '@/graph/expressions'
import { node, noTypes, sample } from '@/graph/graph.testing'
import { freeId, newNodeId, refuseId, renameNode, slug } from '@/graph/ids'
import { setParent } from '@/graph/layout/frames'
import { nodeRects } from '@/graph/layout/geometry'
import { outPorts } from '@/graph/nodes/ports'
import { framesOf, upstreamOf, wouldCycle } from '@/graph/upstream'
import { checkLocally } from '@/graph/validate'
import { align, distribute, snapTo } from './arrange'
import {
  addNode,
  connect,
  groupAround,
  insertOnEdge,
  insideGroup,
  nudge,
  refuseEdge,
  remove,
  replaceNode,
  toggleDisabled,
} from './edits'

const find = (graph: ReturnType<typeof sample>, id: string) => graph.nodes.find((each) => each.id === id)

describe('ids', () => {
  it('are made from titles and tools', () => {
    expect(slug('Read Page!')).toBe('read_page')
    expect(slug('2. Schritt')).toBe('schritt')
    expect(slug('総括')).toBe('node')
    expect(slug('loop', 'tool')).toBe('tool')
    expect(newNodeId(sample(), 'log')).toBe('log_2')
    expect(newNodeId(sample(), 'loop')).toBe('loop_1')
    expect(freeId(new Set(['log', 'log_2']), 'log_2')).toBe('log_3')
  })

  it('a rename is refused with its reason', () => {
    expect(refuseId(sample(), 'log', 'Log')).toBe('pattern')
    expect(refuseId(sample(), 'log', 'item')).toBe('reserved')
    expect(refuseId(sample(), 'log', 'say')).toBe('taken')
    expect(refuseId(sample(), 'log', 'log')).toBeNull()
  })

  it('a rename takes edges, children and every way of writing a reference along', () => {
    const graph = renameNode(renameNode(sample(), 'log', 'commits'), 'each', 'loop_1')
    expect(find(graph, 'say')?.config.text).toBe(
      'Nothing in {{#start.path#}}: {{ commits.result | default("log.x") }}',
    )
    expect(find(graph, 'new')?.config).toEqual({
      conditions: [{ left: '{{ commits.result }}', op: 'empty' }],
    })
    expect(find(graph, 'read')?.parent).toBe('loop_1')
    expect(graph.edges.filter((edge) => edge.source === 'commits' || edge.target === 'commits')).toHaveLength(
      2,
    )
    expect(find(graph, 'end')?.config).toEqual({ outputs: { all: '{{ loop_1.items }}' } })
  })
})

describe('expressions', () => {
  it('only first names count, not path parts, filters, strings or escaped braces', () => {
    const text = String.raw`\{{ no.x }} {{ a.log["b.c"] | first }} {{#d.e#}} "{{ 'f.g' | default(h.i) }}" a.b`
    expect([...references(node('n', 'answer', { config: { text } }))].sort()).toEqual(['a', 'd', 'h'])
  })

  it('code is not a template, a template has statements', () => {
    const names = new Map([['a', 'b']])
    const code = node('n', 'code', { config: { source: 'x = "{{ a.b }}"', inputs: { a: '{{ a.b }}' } } })
    expect(renameReferences(code, names).config).toEqual({
      source: 'x = "{{ a.b }}"',
      inputs: { a: '{{ b.b }}' },
    })
    const template = node('n', 'template', {
      config: { template: '{% for x in a.list %}{{ x }}{% endfor %} a' },
    })
    expect(renameReferences(template, names).config.template).toBe(
      '{% for x in b.list %}{{ x }}{% endfor %} a',
    )
  })

  it('a node without the name stays the same object', () => {
    const say = node('say', 'answer', { config: { text: 'hello', list: [{ deep: 'a' }] } })
    expect(renameReferences(say, new Map([['a', 'b']]))).toBe(say)
    expect(hasExpression({ a: ['x {{ y }}'] })).toBe(true)
    expect(hasExpression('\\{{ y }}')).toBe(false)
  })
})

describe('edges', () => {
  it('are refused when they make no sense', () => {
    const graph = sample()
    const edge = (source: string, source_port: string, target: string) =>
      refuseEdge(graph, noTypes, { source, source_port, target, target_port: 'in' })
    expect(edge('log', 'out', 'say')).toBeNull()
    expect(edge('say', 'out', 'end')).toBeNull()
    expect(edge('new', 'true', 'log')).toBe('cycle')
    expect(edge('log', 'out', 'log')).toBe('cycle')
    expect(edge('start', 'out', 'log')).toBe('twice')
    expect(edge('new', 'maybe', 'say')).toBe('port')
    expect(edge('log', 'out', 'start')).toBe('port')
    expect(edge('log', 'out', 'read')).toBe('frame')
    expect(edge('log', 'out', 'nobody')).toBe('missing')
  })

  it('a node dropped on an edge stands between its ends', () => {
    const graph = insertOnEdge(addNode(sample(), node('mid')), noTypes, 'e1', 'mid')
    expect(graph.edges.find((edge) => edge.id === 'e1')).toMatchObject({ source: 'start', target: 'mid' })
    expect(graph.edges.some((edge) => edge.source === 'mid' && edge.target === 'log')).toBe(true)
  })

  it('ports follow the configuration', () => {
    const cases = node('s', 'switch', {
      config: { cases: [{ id: 'eu' }, { id: 'us' }, { id: 'eu' }] },
      on_error: 'port',
    })
    expect(outPorts(cases, undefined).map((port) => port.name)).toEqual(['eu', 'us', 'default', 'error'])
  })
})

describe('frames', () => {
  it('deleting a frame deletes what is inside', () => {
    const graph = remove(sample(), { nodes: ['each'] })
    expect(graph.nodes.map((each) => each.id)).not.toContain('read')
    expect(graph.edges.map((edge) => edge.id)).toEqual(['e1', 'e2', 'e3'])
  })

  it('reach around their children and take them along', () => {
    expect(nodeRects(sample(), noTypes).get('each')).toEqual({ x: 116, y: 132, width: 460, height: 124 })
    const graph = nudge(sample(), { nodes: ['each'], edges: [], annotations: [] }, 10, 20)
    expect(find(graph, 'read')?.position).toEqual({ x: 142, y: 196 })
  })

  it('a node that leaves its frame loses the edges that would cross', () => {
    const graph = setParent(sample(), ['sum'], null)
    expect(find(graph, 'sum')?.parent).toBeNull()
    expect(graph.edges.map((edge) => edge.id)).not.toContain('e5')
    expect(setParent(graph, ['each'], 'each')).toBe(graph)
    expect(setParent(graph, ['start'], 'each')).toBe(graph)
  })

  it('upstream crosses their borders, and gives them apart', () => {
    const names = upstreamOf(sample(), 'sum').map((each) => each.id)
    expect(names).toEqual(['read', 'new', 'log', 'start'])
    expect(framesOf(sample(), 'sum').map((each) => each.id)).toEqual(['each'])
    expect(upstreamOf(sample(), 'end').map((each) => each.id)).toEqual(['each', 'new', 'log', 'start'])
    expect(wouldCycle(sample(), 'end', 'start')).toBe(true)
  })
})

describe('arranging', () => {
  it('aligns and distributes', () => {
    const graph = align(sample(), noTypes, ['log', 'end'], 'bottom')
    expect(find(graph, 'log')?.position).toEqual({ x: 148, y: 140 })
    const even = distribute(sample(), noTypes, ['start', 'log', 'say'], 'horizontal')
    expect(find(even, 'log')?.position.x).toBe(262)
    expect(align(graph, noTypes, ['log'], 'left')).toBe(graph)
  })

  it('snaps to neighbours before the grid, and says along which line', () => {
    const rect = { x: 103, y: 47, width: 200, height: 64 }
    const snapped = snapTo(
      rect,
      [{ x: 100, y: 200, width: 200, height: 64 }],
      6,
      (value) => Math.round(value / 10) * 10,
    )
    expect(snapped.point).toEqual({ x: 100, y: 50 })
    expect(snapped.guides).toEqual([{ axis: 'vertical', at: 100, from: 50, to: 264 }])
  })

  it('a group holds what lies inside', () => {
    const result = groupAround(sample(), noTypes, ['log', 'new'], 'Look')
    expect(result && insideGroup(result.graph, noTypes, result.id).nodes).toEqual(['log', 'new'])
  })

  it('switching off is undone when all are off', () => {
    const off = toggleDisabled(sample(), ['log', 'say'])
    expect(off.nodes.filter((each) => each.disabled).map((each) => each.id)).toEqual(['log', 'say'])
    expect(toggleDisabled(off, ['log', 'say'])).toEqual(sample())
  })
})

describe('local check', () => {
  it('finds nothing wrong with a good graph', () => {
    expect(checkLocally(sample(), noTypes)).toEqual([])
  })

  it('names what is wrong and where', () => {
    let graph = addNode(
      sample(),
      node('alone', 'answer', { config: { text: '{{ nobody.x }} {{ end.all }}' } }),
    )
    graph = addNode(graph, node('start_2', 'start'))
    graph = {
      ...graph,
      edges: [
        ...graph.edges,
        { id: 'e9', source: 'log', source_port: 'out', target: 'gone', target_port: 'in' },
      ],
    }
    graph = {
      ...graph,
      edges: [
        ...graph.edges,
        { id: 'e10', source: 'log', source_port: 'left', target: 'say', target_port: 'in' },
      ],
    }
    expect(checkLocally(graph, noTypes).map(({ code, node: time, edge }) => [code, time ?? edge])).toEqual([
      ['two_starts', 'start_2'],
      ['unreachable', 'alone'],
      ['dangling_edge', 'e9'],
      ['unknown_port', 'log'],
      ['unknown_reference', 'alone'],
      ['not_upstream', 'alone'],
    ])
  })

  it('an edge with known ends stays connectable', () => {
    expect(
      connect(sample(), noTypes, { source: 'say', source_port: 'out', target: 'end', target_port: 'in' })
        .edges,
    ).toHaveLength(7)
  })
})

describe('replaceNode', () => {
  const placeholder = {
    id: 'find',
    type: 'placeholder',
    v: 1,
    title: 'Find it',
    disabled: true,
    position: { x: 10, y: 20 },
    config: { origin: 'dify', type: 'tool', data: {}, ports: ['out', 'later'] },
  }
  const edges = [
    ['start', 'out', 'find'],
    ['find', 'out', 'a'],
    ['find', 'later', 'a'],
    ['find', 'later', 'b'],
  ].map(([source = '', source_port = '', target = ''], index) => ({
    id: `e${index}`,
    source,
    source_port,
    target,
    target_port: 'in',
  }))
  const other = ['start', 'a', 'b'].map((id) => ({ ...placeholder, id, type: 'answer', config: {} }))
  const graph = { schema: 1 as const, nodes: [...other, placeholder], edges }

  it('keeps id, title, place and edges, and switches it on', () => {
    const template = { type: 'template', title: 'T', base: 't', config: { template: 'x' } }
    const next = replaceNode(graph, new Map(), 'find', template)
    expect(next.nodes.find((node) => node.id === 'find')).toEqual({
      id: 'find',
      type: 'template',
      v: 1,
      title: 'Find it',
      position: { x: 10, y: 20 },
      config: { template: 'x' },
    })
    const ends = next.edges.map((edge) => [edge.source, edge.source_port, edge.target])
    expect(ends).toEqual([
      ['start', 'out', 'find'],
      ['find', 'out', 'a'],
      ['find', 'out', 'b'],
    ])
  })

  it('has the ports that it came with, and loses the edges that its successor cannot have', () => {
    expect(outPorts(placeholder, undefined).map((port) => port.name)).toEqual(['out', 'later'])
    const end = { type: 'end', title: 'End', base: 'end', config: { outputs: {} } }
    expect(replaceNode(graph, new Map(), 'find', end).edges.map((edge) => edge.id)).toEqual(['e0'])
    expect(replaceNode(graph, new Map(), 'gone', end)).toBe(graph)
  })
})
