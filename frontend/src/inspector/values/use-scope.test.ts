import { expect, it } from 'vitest'
import { sample } from '@/graph/graph.testing'
import { onlyMoved } from './use-scope'

it('a scope is made again for everything but places', () => {
  const graph = sample()
  const [first, ...rest] = graph.nodes
  if (!first) throw new Error('The sample has no node')
  const moved = { ...graph, nodes: [{ ...first, position: { x: 1, y: 2 } }, ...rest] }
  expect(onlyMoved(graph, moved)).toBe(true)
  expect(onlyMoved(graph, { ...graph, annotations: [] })).toBe(true)
  expect(onlyMoved(graph, { ...graph, nodes: [{ ...first, title: 'Other' }, ...rest] })).toBe(false)
  expect(onlyMoved(graph, { ...graph, nodes: rest })).toBe(false)
  expect(onlyMoved(graph, { ...graph, edges: [] })).toBe(false)
  expect(onlyMoved(graph, { ...graph, env: { KEY: 'x' } })).toBe(false)
})
