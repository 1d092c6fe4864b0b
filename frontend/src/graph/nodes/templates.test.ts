import { describe, expect, it } from 'vitest'
import { node, noTypes, sample } from '@/graph/graph.testing'
import { cardSize, nodeRects, overlap } from '@/graph/layout/geometry'
import { readGraph } from '@/graph/read'
import type { NodeType } from '@/graph/types'
import { subtitleOf, titleOf, toolServers } from './describe'
import {
  dropPlace,
  insertAfter,
  insertAt,
  insertDropped,
  nodeFrom,
  toolTemplate,
  typeTemplate,
} from './templates'

describe('inserting', () => {
  it('a tool becomes a configured node', () => {
    const { graph, id } = insertAt(sample(), noTypes, toolTemplate('git', 'git_log'), { x: 0, y: 600 })
    expect(graph.nodes.find((each) => each.id === id)).toMatchObject({
      id: 'git_log',
      type: 'tool',
      v: 1,
      config: { server: 'git', tool: 'git_log', arguments: {} },
    })
  })

  it('a tool dropped on an agent is given to it, anything else becomes a node', () => {
    const agent = {
      type: 'agent',
      ports: { in: ['in'], out: ['out'] },
      config_schema: { properties: { tools: { 'x-widget': 'tools' } } },
    } as unknown as NodeType
    const types = new Map([['agent', agent]])
    const inserted = insertAt(sample(), types, typeTemplate('agent', 'Agent'), { x: 0, y: 900 })
    const place = { x: 20, y: 910 }
    const added = insertDropped(inserted.graph, types, toolTemplate('git', 'git_log'), place)
    expect(added.id).toBe(inserted.id)
    expect(added.graph.nodes).toHaveLength(inserted.graph.nodes.length)
    expect(added.graph.nodes.find((each) => each.id === inserted.id)?.config.tools).toEqual({
      servers: [{ server: 'git', include: ['git_log'] }],
    })
    const other = insertDropped(inserted.graph, types, typeTemplate('answer', 'Answer'), place)
    expect(other.graph.nodes).toHaveLength(inserted.graph.nodes.length + 1)
  })

  it('dropped on an edge it stands between, dropped into a frame it belongs to it', () => {
    const onEdge = insertAt(sample(), noTypes, typeTemplate('template', 'Template'), { x: 250, y: 0 })
    expect(
      onEdge.graph.edges.filter((edge) => edge.source === onEdge.id || edge.target === onEdge.id),
    ).toHaveLength(2)
    const inFrame = insertAt(sample(), noTypes, typeTemplate('template', 'Template'), { x: 140, y: 170 })
    expect(inFrame.graph.nodes.find((each) => each.id === inFrame.id)?.parent).toBe('each')
  })

  it('after a node it is connected and covers nothing', () => {
    const { graph, id } = insertAfter(sample(), noTypes, typeTemplate('template', 'Template'), {
      node: 'new',
    })
    expect(graph.edges.at(-1)).toMatchObject({ source: 'new', source_port: 'true', target: id })
    const rects = nodeRects(graph, noTypes)
    const mine = rects.get(id)
    for (const [other, rect] of rects)
      if (other !== id && mine) expect(overlap(mine, rect), other).toBe(false)
  })

  it('the first free port is taken', () => {
    const open = { ...sample(), edges: sample().edges.filter((edge) => edge.id !== 'e4') }
    const { graph } = insertAfter(open, noTypes, typeTemplate('template', 'Template'), { node: 'new' })
    expect(graph.edges.at(-1)?.source_port).toBe('false')
  })

  it('a drop onto a card goes below it', () => {
    const place = dropPlace(sample(), noTypes, typeTemplate('template', 'Template'), { x: 620, y: 10 })
    expect(place.y).toBeGreaterThan(64)
    expect(dropPlace(sample(), noTypes, typeTemplate('template', 'Template'), { x: 0, y: 900 })).toEqual({
      x: 0,
      y: 900,
    })
  })

  it('the first drop is behind the start, wherever it falls', () => {
    const alone = { ...sample(), nodes: sample().nodes.slice(0, 1), edges: [] }
    const template = typeTemplate('template', 'Template')
    for (const entry of [
      { x: 10, y: 10 },
      { x: -300, y: 200 },
    ]) {
      const { graph, id } = insertDropped(alone, noTypes, template, entry)
      expect(graph.nodes.at(-1)?.position).toEqual({ x: 148, y: -10 })
      expect(graph.edges).toMatchObject([{ source: 'start', target: id }])
    }
    const { graph } = insertDropped(alone, noTypes, template, { x: 400, y: 300 })
    expect(graph.nodes.at(-1)?.position).toEqual({ x: 400, y: 300 })
  })

  it('a drop onto a short edge makes room in its lane', () => {
    const template = typeTemplate('template', 'Template')
    const { graph, id } = insertDropped(sample(), noTypes, template, { x: 262, y: 0 })
    expect(graph.edges.filter((edge) => edge.source === id || edge.target === id)).toHaveLength(2)
    const place = (node: string) => graph.nodes.find((each) => each.id === node)?.position
    expect([place('log'), place(id), place('new'), place('say')]).toEqual([
      { x: 148, y: 0 },
      { x: 376, y: 0 },
      { x: 604, y: 0 },
      { x: 832, y: 0 },
    ])
    expect(place('read')).toEqual({ x: 132, y: 176 })
  })

  it('required keys begin with their defaults', () => {
    const type = {
      type: 'wait',
      v: 3,
      config_schema: {
        properties: { seconds: { default: 5 }, until: { default: 'x' } },
        required: ['seconds'],
      },
      ports: { in: ['in'], out: ['out'] },
    } as unknown as NodeType
    const node = nodeFrom(sample(), new Map([['wait', type]]), typeTemplate('wait', 'Wait'), { x: 0, y: 0 })
    expect(node).toMatchObject({ v: 3, config: { seconds: 5 } })
  })
})

describe('describing', () => {
  it('titles and second lines', () => {
    const tool = node('a', 'tool', { config: { server: 'git', tool: 'git_log' } })
    expect(titleOf(tool, noTypes)).toBe('git_log')
    expect(titleOf({ ...tool, title: 'Recent' }, noTypes)).toBe('Recent')
    expect(subtitleOf(tool)).toEqual({ lead: 'git', tail: 'git_log' })
    expect(subtitleOf(node('b', 'llm', { config: { model: 'qwen3-32b' } })).tail).toBe('qwen3-32b')
    expect(subtitleOf(node('c', 'tool', { config: { server: { command: 'python' }, tool: 'x' } })).lead).toBe(
      'python',
    )
    const agent = node('d', 'agent', {
      config: { tools: { servers: [{ server: 'git', include: ['a', 'b'] }, { server: 'fs' }] } },
    })
    expect(toolServers(agent)).toEqual([
      { server: 'git', count: 2 },
      { server: 'fs', count: null },
    ])
  })

  it('many ports make a card taller', () => {
    const cases = node('s', 'switch', { config: { cases: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] } })
    expect(cardSize(cases, noTypes)).toEqual({ width: 200, height: 112 })
    expect(cardSize(node('e', 'end'), noTypes)).toEqual({ width: 120, height: 44 })
  })
})

describe('reading a document', () => {
  it('gives back a good one as it is', () => {
    const document = sample()
    const read = readGraph(document)
    expect(read).toEqual(document)
    expect(read.nodes).toBe(document.nodes)
  })

  it('makes anything safe to draw', () => {
    const read = readGraph({
      schema: 1,
      extra: { kept: true },
      nodes: [
        null,
        'x',
        { id: 'a' },
        { id: 'a', type: 'tool', config: 5, odd: 1 },
        { type: 'end', position: { x: 'far' } },
      ],
      edges: [{ id: 'e1', source: 'a' }, 7],
      annotations: [{ kind: 'odd', position: null }],
    })
    expect(read.nodes.map((each) => each.id)).toEqual(['a', 'a_2', 'node_3'])
    expect(read.nodes[1]).toMatchObject({ odd: 1, config: {} })
    expect(read.extra).toEqual({ kept: true })
    expect(read.edges).toEqual([{ id: 'e1', source: 'a', source_port: 'out', target: '', target_port: 'in' }])
    for (const value of [null, 5, 'x', [], { nodes: {} }]) expect(readGraph(value).nodes).toEqual([])
    expect(nodeRects(read, noTypes).size).toBe(3)
  })
})
