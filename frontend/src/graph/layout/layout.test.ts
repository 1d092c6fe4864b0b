import { describe, expect, it } from 'vitest'
import { node, noTypes, sample } from '@/graph/graph.testing'
import type { Graph } from '@/graph/types'
import { GAP, LANE_GAP, nodeRects, overlap } from './geometry'
import { layout } from './layout'
import { findLanes, roundedPath, routePoints } from './routes'
import { applyPlaces, layoutRequest } from './tidy'

function chain(length: number): Graph {
  const nodes = Array.from({ length }, (_, index) => node(`n${index}`))
  const edges = nodes.slice(1).map((each, index) => ({
    id: `e${index}`,
    source: `n${index}`,
    source_port: 'out',
    target: each.id,
    target_port: 'in',
  }))
  return { schema: 1, nodes, edges, annotations: [] }
}

describe('layout', () => {
  it('wraps a chain into lanes of four, left to right', () => {
    const places = layout(layoutRequest(chain(9), noTypes))
    const rows = Array.from({ length: 9 }, (_, index) => places[`n${index}`])
    expect(rows.map((row) => row?.x)).toEqual([0, 228, 456, 684, 0, 228, 456, 684, 0])
    expect(rows[4]?.y).toBe(64 + LANE_GAP)
    expect(rows[8]?.y).toBe(2 * (64 + LANE_GAP))
  })

  it('lays frames out inside first, and nothing overlaps', () => {
    const graph = applyPlaces(sample(), layout(layoutRequest(sample(), noTypes)))
    const rects = nodeRects(graph, noTypes)
    const inside = new Set(['read', 'sum'])
    const outer = [...rects].filter(([id]) => !inside.has(id))
    for (const [id, rect] of outer)
      for (const [other, more] of outer)
        if (id < other) expect(overlap(rect, more), `${id} over ${other}`).toBe(false)
    const read = rects.get('read')
    const sum = rects.get('sum')
    expect(sum && read && sum.x - (read.x + read.width)).toBe(GAP)
  })

  it('a selection is tidied where it stands', () => {
    const places = layout(layoutRequest(sample(), noTypes, ['log', 'new']))
    expect(Object.keys(places).sort()).toEqual(['log', 'new'])
    expect(places.log).toEqual({ x: 148, y: 0 })
  })

  it('a row of two thousand cards is laid out as well', () => {
    expect(Object.keys(layout(layoutRequest(chain(2000), noTypes)))).toHaveLength(2000)
  })
})

describe('tidy', () => {
  const link = (source: string, source_port: string, target: string) => ({
    id: `${source}.${source_port}.${target}`,
    source,
    source_port,
    target,
    target_port: 'in',
  })
  const above = (graph: Graph, ...ids: string[]) => {
    const places = layout(layoutRequest(graph, noTypes))
    const heights = ids.map((id) => places[id]?.y ?? Number.NaN)
    expect(heights).toEqual([...heights].sort((height, other) => height - other))
    expect(new Set(heights).size).toBe(heights.length)
  }

  it('keeps the order of ports, whatever was made first', () => {
    const nodes = ['start', 'ask', 'no', 'yes', 'after_no', 'after_yes'].map((id) =>
      node(id, id === 'ask' ? 'if' : 'tool'),
    )
    const edges = [
      link('start', 'out', 'ask'),
      link('ask', 'false', 'no'),
      link('ask', 'true', 'yes'),
      link('no', 'out', 'after_no'),
      link('yes', 'out', 'after_yes'),
    ]
    const graph: Graph = { schema: 1, nodes, edges, annotations: [] }
    above(graph, 'yes', 'no')
    above(graph, 'after_yes', 'after_no')
  })

  it('keeps the order of many cases, and of the error port below them', () => {
    const cases = ['c', 'a', 'b'].map((id) => ({ id }))
    const choose = node('choose', 'switch', { config: { cases }, on_error: 'port' })
    const ports = ['error', 'a', 'default', 'b', 'c']
    const nodes = [choose, ...ports.map((id) => node(`to_${id}`))]
    const graph: Graph = {
      schema: 1,
      nodes,
      edges: ports.map((id) => link('choose', id, `to_${id}`)),
      annotations: [],
    }
    above(graph, 'to_c', 'to_a', 'to_b', 'to_default', 'to_error')
  })

  it('loses nothing where two nodes want the opposite order', () => {
    const nodes = [node('one', 'if'), node('two', 'if'), node('left'), node('right')]
    const edges = [
      link('one', 'true', 'left'),
      link('one', 'false', 'right'),
      link('two', 'true', 'right'),
      link('two', 'false', 'left'),
    ]
    const places = layout(layoutRequest({ schema: 1, nodes, edges, annotations: [] }, noTypes))
    expect(Object.keys(places).sort()).toEqual(['left', 'one', 'right', 'two'])
    expect(places.left?.y).not.toBe(places.right?.y)
  })

  it('uses the width there is', () => {
    const xs = (width: number) =>
      Object.values(layout(layoutRequest(chain(9), noTypes, [], width))).map((point) => point.x)
    expect(Math.max(...xs(2100))).toBe(8 * 228)
    expect(Math.max(...xs(500))).toBe(228)
    expect(Math.max(...xs(120))).toBe(0)
  })
})

describe('edge routes', () => {
  const lanes = findLanes([
    { x: 0, y: 0, width: 200, height: 64 },
    { x: 684, y: 0, width: 200, height: 64 },
    { x: 0, y: 120, width: 200, height: 64 },
  ])

  it('are straight, bend before the target, or run back between the lanes', () => {
    expect(routePoints({ x: 200, y: 32 }, { x: 684, y: 32 }, lanes)).toHaveLength(2)
    expect(routePoints({ x: 200, y: 20 }, { x: 684, y: 32 }, lanes).map((point) => point.x)).toEqual([
      200, 670, 670, 684,
    ])
    const back = routePoints({ x: 884, y: 32 }, { x: 0, y: 152 }, lanes)
    expect(back.map((point) => point.x)).toEqual([884, 898, 898, -16, -16, 0])
    const band = back[2]?.y ?? 0
    expect(band).toBeGreaterThan(64)
    expect(band).toBeLessThan(120)
  })

  it('between two cards one below the other they run through the gap', () => {
    const stacked = findLanes([
      { x: 0, y: 0, width: 120, height: 44 },
      { x: 0, y: 72, width: 200, height: 64 },
    ])
    const points = routePoints({ x: 120, y: 22 }, { x: 0, y: 104 }, stacked)
    expect(points.map((point) => point.y)).toEqual([22, 22, 63, 63, 104, 104])
  })

  it('have round corners that never overshoot', () => {
    expect(
      roundedPath([
        { x: 0, y: 0 },
        { x: 10, y: 0 },
        { x: 10, y: 4 },
        { x: 30, y: 4 },
      ]),
    ).toBe('M0 0L8 0Q10 0 10 2L10 2Q10 4 12 4L30 4')
  })
})
