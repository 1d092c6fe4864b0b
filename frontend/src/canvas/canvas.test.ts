import { describe, expect, it } from 'vitest'
import { place } from '@/graph/edit/edits'
import { noTypes, sample } from '@/graph/graph.testing'
import { NOTHING } from '@/graph/types'
import type { NodeRun } from '@/live/run-store'
import { flowOf, summary } from './cards/FlowEdge'
import { selectionWith } from './input/useSelectionHandlers'
import { mapView } from './overview/MiniMap'
import { noteFlowId, noteIdOf, Projection } from './project'
import { lodAt } from './state'

const run = (status: NodeRun['status'], more: Partial<NodeRun> = {}): NodeRun => ({
  status,
  state: 'SUCCESS',
  attempt: 1,
  startedAt: 0,
  endedAt: 1,
  still: null,
  ms: 1,
  since: 0,
  tokens: null,
  cost: null,
  progress: null,
  interaction: null,
  talks: false,
  text: null,
  thinking: null,
  calling: null,
  calls: 0,
  plan: null,
  planName: null,
  planRisk: null,
  code: null,
  done: 1,
  total: 1,
  failed: 0,
  step: 's',
  ...more,
})
const still = { places: new Map(), sizes: new Map(), dropParents: new Map() }

describe('projection', () => {
  it('keeps the identity of everything that did not change', () => {
    const projection = new Projection()
    const graph = sample()
    const first = projection.projectNodes(graph, noTypes, NOTHING, still, false)
    const moved = place(graph, new Map([['say', { x: 1, y: 2 }]]))
    const second = projection.projectNodes(moved, noTypes, NOTHING, still, false)
    const changed = second.filter((node, index) => node !== first[index]).map((node) => node.id)
    expect(changed).toEqual(['say'])
    expect(projection.projectEdges(graph, NOTHING)[0]).toBe(projection.projectEdges(moved, NOTHING)[0])
  })

  it('a drag moves its cards only, and the frame around them follows', () => {
    const projection = new Projection()
    const graph = sample()
    const place = (id: string, x: number, y: number) => ({
      ...still,
      places: new Map([[id, { x, y }]]),
    })
    projection.projectNodes(graph, noTypes, NOTHING, still, false)
    const first = projection.projectNodes(graph, noTypes, NOTHING, place('log', 10, 20), false)
    const second = projection.projectNodes(graph, noTypes, NOTHING, place('log', 30, 40), false)
    expect(second.find((node) => node.id === 'log')?.position).toEqual({ x: 30, y: 40 })
    expect(second.filter((node, index) => node !== first[index])).toHaveLength(1)
    const stretched = projection.projectNodes(graph, noTypes, NOTHING, place('sum', 700, 176), false)
    expect(stretched.find((node) => node.id === 'each')?.width).toBe(800)
    const back = projection.projectNodes(graph, noTypes, NOTHING, still, false)
    expect(back.find((node) => node.id === 'log')?.position).toEqual({ x: 148, y: 0 })
  })

  it('gives every card its size and the places of its ports, so that nothing is measured', () => {
    const [card] = new Projection()
      .projectNodes(sample(), noTypes, NOTHING, still, false)
      .filter((node) => node.id === 'new')
    expect(card).toMatchObject({ width: 200, height: 64, measured: { width: 200, height: 64 } })
    expect(card?.handles?.map((handle) => [handle.id, handle.y])).toEqual([
      ['in', 27.5],
      ['true', 15.5],
      ['false', 39.5],
    ])
  })

  it('leaves out edges whose ends are not there', () => {
    const graph = sample()
    const broken = { ...graph, nodes: graph.nodes.filter((node) => node.id !== 'log') }
    expect(new Projection().projectEdges(broken, NOTHING).map((edge) => edge.id)).toEqual([
      'e3',
      'e4',
      'e5',
      'e6',
    ])
  })
})

describe('selection', () => {
  it('takes over what React Flow says, notes apart from nodes', () => {
    const changes = [
      { id: 'log', selected: true },
      { id: noteFlowId('note1'), selected: true },
      { id: 'say', selected: false },
    ]
    expect(selectionWith({ ...NOTHING, nodes: ['say'] }, changes, 'node')).toEqual({
      nodes: ['log'],
      edges: [],
      annotations: ['note1'],
    })
    expect(noteIdOf('log')).toBeNull()
  })
})

describe('levels of detail', () => {
  it('do not flicker between far and near', () => {
    expect(lodAt(0.39, 'simple')).toBe('far')
    expect(lodAt(0.42, 'far')).toBe('far')
    expect(lodAt(0.42, 'simple')).toBe('simple')
    expect(lodAt(0.46, 'far')).toBe('simple')
    expect(lodAt(0.6, 'simple')).toBe('full')
  })

  it('the map shows everything inside its box', () => {
    const all = { x: -100, y: 50, width: 4000, height: 300 }
    const { x, y, zoom } = mapView(all, 156, 100)
    expect(all.x * zoom + x).toBeGreaterThanOrEqual(8)
    expect((all.x + all.width) * zoom + x).toBeLessThanOrEqual(148)
    expect((all.y + all.height / 2) * zoom + y).toBeCloseTo(50)
  })
})

describe('edges in a run', () => {
  it('tell where the run went', () => {
    expect(flowOf(null, null, false)).toBe('idle')
    expect(flowOf(run('succeeded'), null, false)).toBe('done')
    expect(flowOf(run('succeeded'), null, true)).toBe('idle')
    expect(flowOf(run('succeeded'), run('running', { ms: null }), true)).toBe('done')
    expect(flowOf(run('succeeded'), run('skipped'), true)).toBe('dead')
    expect(flowOf(run('skipped'), run('skipped'), false)).toBe('dead')
    expect(flowOf(run('running', { ms: null }), null, false)).toBe('idle')
    expect(flowOf(run('failed'), null, false)).toBe('idle')
    expect(flowOf(run('failed'), run('succeeded'), true)).toBe('done')
  })

  it('say in a few words what flowed', () => {
    const t = ((key: string, params?: { n?: number }) => `${key} ${params?.n}`) as never
    expect(summary({ items: [1, 2] }, t)).toBe('canvas.items 2')
    expect(summary({ result: 'short' }, t)).toBe('“short”')
    expect(summary({ result: 'x'.repeat(3000) }, t)).toMatch(/KB/)
    expect(summary({ structured: { a: 1, b: 2 }, result: '{}' }, t)).toBe('canvas.fields 2')
    expect(summary({ picture: { $file: 'file_1', name: 'a.png', size: 2048 } }, t)).toBe('2 KB')
    expect(summary({ flag: false }, t)).toBe('false')
    expect(summary({}, t)).toBeNull()
    expect(summary(null, t)).toBeNull()
  })
})
