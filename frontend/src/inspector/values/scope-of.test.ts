import { describe, expect, it } from 'vitest'
import { find, pathText, standing } from '@/forms'
import { node, noTypes, sample } from '@/graph/graph.testing'
import type { Graph } from '@/graph/types'
import { type NodeValues, type ScopeSources, scopeNodes, scopeOf, scopeTools } from './scope-of'

const words = {
  variables: 'Variables',
  env: 'Environment',
  system: 'sys',
  thisFrame: 'this frame',
  pinned: 'pinned',
  inside: 'inside',
}

function scope(id: string, graph: Graph = sample(), more: Partial<ScopeSources> = {}) {
  return scopeOf(id, {
    graph,
    types: noTypes,
    values: new Map(),
    toolOutput: () => undefined,
    words,
    ...more,
  })
}
const names = (id: string, graph?: Graph) =>
  scope(id, graph).groups.flatMap((group) => group.names.map((name) => pathText(name.path)))

describe('the scope of a node', () => {
  it('is what lies upstream, the frame first', () => {
    expect(names('sum').slice(0, 3)).toEqual(['item', 'index', 'read'])
    expect(scope('sum').groups.map((group) => group.key)).toEqual([
      'frame:each',
      'read',
      'new',
      'log',
      'start',
      'sys',
    ])
    expect(scope('start').groups.map((group) => group.key)).toEqual(['sys'])
  })
  it("lets a frame's own fields speak of its children", () => {
    expect(scope('each').groups.map((group) => [group.key, group.note])).toContainEqual(['sum', 'inside'])
  })
  it('knows inputs, variables and the environment by their schemas, and no secret', () => {
    const graph: Graph = {
      ...sample(),
      variables: { total: { schema: { type: 'number' }, default: 3 } },
      env: { REGION: 'eu', TOKEN: ['$', '{secret:token}'].join('') },
      nodes: [
        node('start', 'start', {
          config: {
            inputs: {
              type: 'object',
              properties: { q: { $ref: '#/$defs/q' } },
              $defs: { q: { type: 'integer' } },
            },
          },
        }),
        node('set', 'set_variable', { config: { values: { seen: 1 } } }),
        node('end', 'end'),
      ],
      edges: [
        { id: 'e1', source: 'start', source_port: 'out', target: 'set', target_port: 'in' },
        { id: 'e2', source: 'set', source_port: 'out', target: 'end', target_port: 'in' },
      ],
    }
    const match = scope('end', graph)
    expect(
      match.groups.flatMap((group) => group.names.map((name) => [pathText(name.path), name.value])),
    ).toEqual(
      expect.arrayContaining([
        ['start.q', undefined],
        ['set.seen', undefined],
        ['vars.total', 3],
        ['vars.seen', undefined],
        ['env.REGION', 'eu'],
        ['env.TOKEN', undefined],
      ]),
    )
    expect(standing(match, ['start', 'q', 'x'])).toBe('unknown')
    expect(standing(match, ['start', 'nope'])).toBe('unknown')
  })
  it('shows the last values, a pinned output before them, and what a tool declares', () => {
    const values = new Map<string, NodeValues>([['log', { input: {}, output: { result: 'abc', extra: 1 } }]])
    const seen = scope('new', sample(), { values, note: 'v7 run' })
    expect(find(seen, ['log', 'result'])?.value).toBe('abc')
    expect(seen.groups[0]?.note).toBe('v7 run')
    const graph = sample()
    const pinned = {
      ...graph,
      nodes: graph.nodes.map((node) => (node.id === 'log' ? { ...node, pinned: { result: 'pin' } } : node)),
    }
    expect(find(scope('new', pinned, { values }), ['log', 'result'])?.value).toBe('pin')
    const types = new Map([
      [
        'tool',
        {
          type: 'tool',
          v: 1,
          group: 'mcp',
          title: 'Tool',
          description: '',
          config_schema: {},
          output_schema: { type: 'object', properties: { result: { type: 'string' }, structured: {} } },
          ports: { in: ['in'], out: ['out'] },
        },
      ],
    ])
    const declared = { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false }
    const typed = scope('new', graph, {
      types,
      toolOutput: (server, tool) => (server === 'git' && tool === 'git_log' ? declared : undefined),
    })
    expect(standing(typed, ['log', 'structured', 'n'])).toBe('known')
    expect(standing(typed, ['log', 'structured', 'm'])).toBe('unknown')
  })
  it('asks for the values and tools of these nodes only', () => {
    expect(scopeNodes(sample(), 'new')).toEqual(['log', 'start'])
    expect([...scopeTools(sample(), 'new')]).toEqual([['git', ['git_log']]])
    expect(scopeTools({ ...sample(), mcp_servers: { git: {} } }, 'new').size).toBe(0)
  })
})
