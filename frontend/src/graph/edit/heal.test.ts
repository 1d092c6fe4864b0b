import { describe, expect, it } from 'vitest'
import { node, noTypes } from '@/graph/graph.testing'
import type { Graph } from '@/graph/types'
import { addNode, connect } from './edits'
import { canRehang, rehang } from './heal'

/** A graph by its edges: `a:port -> b`. */
function drawn(ids: readonly string[], ...edges: readonly string[]): Graph {
  let graph: Graph = { schema: 1, nodes: [], edges: [], annotations: [] }
  for (const id of ids) graph = addNode(graph, node(id, id === 'fork' ? 'if' : 'tool', { on_error: 'port' }))
  for (const edge of edges) {
    const [from = '', target = ''] = edge.split(' -> ')
    const [source = '', source_port = 'out'] = from.split(':')
    graph = connect(graph, noTypes, { source, source_port, target, target_port: 'in' })
  }
  return graph
}

const edgesOf = (graph: Graph) =>
  graph.edges
    .map(({ source, source_port, target }) =>
      source_port === 'out' ? `${source} -> ${target}` : `${source}:${source_port} -> ${target}`,
    )
    .sort()

const edgeOf = (graph: Graph, source: string, target: string) =>
  graph.edges.find((edge) => edge.source === source && edge.target === target)?.id ?? ''

describe('a connected node put into another edge', () => {
  it('leaves its neighbours joined, and stands between its new ones', () => {
    const graph = drawn(['a', 'b', 'c', 'd'], 'a -> b', 'b -> c', 'c -> d')
    expect(edgesOf(rehang(graph, noTypes, edgeOf(graph, 'c', 'd'), 'b'))).toEqual([
      'a -> c',
      'b -> d',
      'c -> b',
    ])
  })

  it('joins all that led to it, and takes its way for errors along', () => {
    const graph = drawn(
      ['a', 'b', 'n', 'c', 'd', 'e'],
      'a -> n',
      'b -> n',
      'n -> c',
      'c -> d',
      'n:error -> e',
    )
    expect(edgesOf(rehang(graph, noTypes, edgeOf(graph, 'c', 'd'), 'n'))).toEqual([
      'a -> c',
      'b -> c',
      'c -> n',
      'n -> d',
      'n:error -> e',
    ])
  })

  it('a fork stays where it is, and so does what would make a circle', () => {
    const fork = drawn(
      ['a', 'fork', 'b', 'c', 'd'],
      'a -> fork',
      'fork:true -> b',
      'fork:false -> c',
      'b -> d',
    )
    expect(canRehang(fork, noTypes, 'fork')).toBe(false)
    expect(rehang(fork, noTypes, edgeOf(fork, 'b', 'd'), 'fork')).toBe(fork)
    const handled = drawn(['a', 'n', 'b', 'e', 'f'], 'a -> n', 'n -> b', 'n:error -> e', 'e -> f')
    expect(rehang(handled, noTypes, edgeOf(handled, 'e', 'f'), 'n')).toBe(handled)
  })

  it('nothing changes on its own edges', () => {
    const graph = drawn(['a', 'b', 'c'], 'a -> b', 'b -> c')
    expect(rehang(graph, noTypes, edgeOf(graph, 'a', 'b'), 'b')).toBe(graph)
  })
})
