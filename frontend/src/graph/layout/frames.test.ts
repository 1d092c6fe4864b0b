import { describe, expect, it } from 'vitest'
import { leaveFrame, moveInto } from '@/graph/edit/moving'
import { node, noTypes, sample } from '@/graph/graph.testing'
import { insertDropped, insertInside, typeTemplate } from '@/graph/nodes/templates'
import type { Graph } from '@/graph/types'
import { frameAt, framesFor, makeRoom, setParent } from './frames'
import { nodeRects } from './geometry'

const template = typeTemplate('template', 'Template')
const find = (graph: Graph, id: string) => graph.nodes.find((each) => each.id === id)

/** start → each (empty) → end, with a note of its own lane below. */
function withEmptyFrame(): Graph {
  return {
    schema: 1,
    nodes: [
      node('start', 'start'),
      node('each', 'iteration', { position: { x: 148, y: -40 } }),
      node('end', 'end', { position: { x: 408, y: 0 } }),
      node('below', 'template', { position: { x: 148, y: 120 } }),
    ],
    edges: [
      { id: 'e1', source: 'start', source_port: 'out', target: 'each', target_port: 'in' },
      { id: 'e2', source: 'each', source_port: 'out', target: 'end', target_port: 'in' },
    ],
  }
}

describe('frames', () => {
  it('the first card leaves an empty frame as it was drawn', () => {
    const graph = withEmptyFrame()
    const before = nodeRects(graph, noTypes).get('each')
    const inserted = insertDropped(graph, noTypes, template, { x: 170, y: -20 })
    expect(find(inserted.graph, inserted.id)?.parent).toBe('each')
    expect(nodeRects(inserted.graph, noTypes).get('each')).toEqual(before)
    expect(inserted.graph.edges).toEqual(graph.edges)
  })

  it('what stood beside a frame makes room as it grows, what is below only when it is reached', () => {
    const inserted = insertInside(withEmptyFrame(), noTypes, template, 'each')
    const two = insertInside(inserted.graph, noTypes, template, 'each')
    expect(two.graph.edges.at(-1)).toMatchObject({ source: inserted.id, target: two.id })
    const rects = nodeRects(two.graph, noTypes)
    const frame = rects.get('each')
    expect(frame).toMatchObject({ x: 148, width: 460 })
    expect(rects.get('end')?.x).toBe(148 + 460 + 28)
    expect(find(two.graph, 'below')?.position).toEqual({ x: 148, y: 120 })
    const lower = insertInside(two.graph, noTypes, template, 'each', { x: 164, y: 4 })
    expect(find(lower.graph, 'below')?.position.y).toBeGreaterThan(120)
    expect(makeRoom(two.graph, two.graph, noTypes, 'each')).toBe(two.graph)
  })

  it('a card dropped on a card of the frame goes below it and stays in the frame', () => {
    const inserted = insertInside(withEmptyFrame(), noTypes, template, 'each')
    const two = insertDropped(inserted.graph, noTypes, template, { x: 170, y: 10 })
    expect(find(two.graph, two.id)?.parent).toBe('each')
    expect(find(two.graph, two.id)?.position.y).toBe(4 + 64 + 28)
  })

  it('moving in goes beside what is there, moving out below the frame', () => {
    const graph = moveInto(sample(), noTypes, ['say'], 'each')
    expect(find(graph, 'say')).toMatchObject({ parent: 'each', position: { x: 588, y: 176 } })
    expect(graph.edges.map((edge) => edge.id)).not.toContain('e3')
    const out = leaveFrame(graph, noTypes, ['say'])
    expect(find(out, 'say')).toMatchObject({ parent: null, position: { x: 588, y: 284 } })
    const middle = leaveFrame(sample(), noTypes, ['read', 'sum'])
    expect(find(middle, 'sum')?.position.y).toBeGreaterThan(260)
  })

  it('out of an inner frame is into the outer one', () => {
    const nested = moveInto(
      { ...sample(), nodes: [...sample().nodes, node('inner', 'loop')] },
      noTypes,
      ['inner'],
      'each',
    )
    const deep = moveInto(nested, noTypes, ['sum'], 'inner')
    expect(find(deep, 'sum')?.parent).toBe('inner')
    expect(find(leaveFrame(deep, noTypes, ['sum']), 'sum')?.parent).toBe('each')
    expect(framesFor(deep, ['inner']).map((frame) => frame.id)).toEqual([])
    expect(framesFor(deep, ['sum']).map((frame) => frame.id)).toEqual(['each'])
    expect(framesFor(deep, ['start'])).toEqual([])
  })

  it('a frame that is left empty stays where it was drawn', () => {
    const rect = nodeRects(sample(), noTypes).get('each')
    const moved = {
      ...sample(),
      nodes: sample().nodes.map((node) =>
        node.id === 'each' ? { ...node, position: { x: 900, y: 900 } } : node,
      ),
    }
    const graph = setParent(moved, ['read', 'sum'], null)
    expect(find(graph, 'each')?.position).toEqual({ x: rect?.x, y: rect?.y })
    expect(frameAt(graph, noTypes, { x: 120, y: 140 })).toBe('each')
  })
})
