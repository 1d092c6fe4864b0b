import { describe, expect, it } from 'vitest'
import { patchNode, remove } from '@/graph/edit/edits'
import { anyEdit, node, noTypes, sample } from '@/graph/graph.testing'
import { nodeRects, overlap } from '@/graph/layout/geometry'
import { createGraphStore } from '@/graph/store'
import type { Graph } from '@/graph/types'
import { fc } from '@/testing/properties'
import { bothGraphs, outlinesOf } from './both'
import { compareGraphs, countOf, sameValue } from './compare'
import { restoreGraph, takeNode } from './restore'

const names = (items: readonly { id: string; kind: string }[]) => items.map(({ id, kind }) => `${kind} ${id}`)

/** The sample with one node more, one fewer, one changed and one elsewhere. */
function edited(): Graph {
  let next = patchNode(sample(), 'log', { title: 'Commits', config: { server: 'git', tool: 'git_show' } })
  next = patchNode(next, 'end', { position: { x: 900, y: 400 } })
  next = remove(next, { nodes: ['say'] })
  return {
    ...next,
    variables: { spoken: { type: 'string' } },
    nodes: [...next.nodes, node('tell', 'answer', { position: { x: 604, y: 20 }, config: { text: 'x' } })],
    edges: [
      ...next.edges,
      { id: 'e3', source: 'new', source_port: 'true', target: 'tell', target_port: 'in' },
    ],
  }
}

describe('comparing two documents', () => {
  it('tells added, removed, changed and moved apart, in this order', () => {
    const { nodes, edges, document } = compareGraphs(sample(), edited())
    expect(names(nodes)).toEqual(['added tell', 'removed say', 'changed log', 'moved end'])
    expect(names(edges)).toEqual(['added e3', 'removed removed:e3'])
    expect(document.map(({ path }) => path)).toEqual(['variables'])
  })

  it('names the fields that differ, of a configuration each setting, and what is the same', () => {
    const log = compareGraphs(sample(), edited()).nodes.find(({ id }) => id === 'log')
    expect(log?.fields.map(({ path }) => path).sort()).toEqual(['config.arguments', 'config.tool', 'title'])
    expect(log?.fields.find(({ path }) => path === 'config.tool')).toEqual({
      path: 'config.tool',
      before: 'git_log',
      after: 'git_show',
    })
    expect(log?.same.map(({ path }) => path).sort()).toEqual(['config.server', 'type', 'v'])
    expect(log?.moved).toBe(false)
  })

  it('says of a node that changed and went elsewhere both', () => {
    const after = patchNode(sample(), 'log', { title: 'Commits', position: { x: 0, y: 500 } })
    const [log] = compareGraphs(sample(), after).nodes
    expect([log?.kind, log?.moved, log?.fields.length]).toEqual(['changed', true, 1])
  })

  it('finds nothing in another order of members, a null for what is missing, or another id of an edge', () => {
    const before = sample()
    const after = {
      ...before,
      nodes: before.nodes.map((each) => ({
        notes: null,
        ...Object.fromEntries(Object.entries(each).reverse()),
      })),
      edges: before.edges.map((edge) => ({ ...edge, id: `x${edge.id}` })),
    } as unknown as Graph
    expect(countOf(compareGraphs(before, after))).toBe(0)
  })

  it('tells notes apart as it does nodes', () => {
    const before = sample()
    const [note] = before.annotations ?? []
    if (!note) throw new Error('the sample has a note')
    const notes = [
      { ...note, text: 'Because' },
      { ...note, id: 'note2' },
    ]
    expect(names(compareGraphs(before, { ...before, annotations: notes }).notes)).toEqual([
      'added note2',
      'changed note1',
    ])
  })
})

describe('both documents on one canvas', () => {
  it('keeps what is gone where it stood, unless something stands there now', () => {
    const [before, after] = [sample(), edited()]
    const comparison = compareGraphs(before, after)
    const both = bothGraphs(before, after, comparison, noTypes)
    expect(both.nodes.map(({ id }) => id)).toEqual([...after.nodes.map(({ id }) => id), 'say'])
    const rects = nodeRects(both, noTypes)
    const [say, tell] = [rects.get('say'), rects.get('tell')]
    expect(say && tell && overlap(say, tell)).toBe(false)
    expect(say?.x).toBe(604)
    expect(both.edges.map(({ id }) => id)).toContain('removed:e3')
  })

  it('keeps a frame that is gone together with what was in it', () => {
    const before = sample()
    const after = remove(before, { nodes: ['each'] })
    const both = bothGraphs(before, after, compareGraphs(before, after), noTypes)
    const place = (graph: Graph, id: string) => graph.nodes.find((each) => each.id === id)
    expect(place(both, 'read')?.parent).toBe('each')
    expect(place(both, 'read')?.position).toEqual(place(before, 'read')?.position)
  })

  it('draws the old outline of what moved', () => {
    const [before, after] = [sample(), edited()]
    const comparison = compareGraphs(before, after)
    const outlines = outlinesOf(before, bothGraphs(before, after, comparison, noTypes), comparison, noTypes)
    expect(outlines.map(({ id, from, to }) => [id, from.x, to.x])).toEqual([['end', 684, 900]])
  })
})

describe('going back', () => {
  it('puts another document in place of the draft in one undo step', () => {
    const store = createGraphStore(edited())
    const target = sample()
    store.getState().commit('restore', (graph) => restoreGraph(graph, target))
    expect(store.getState().graph).toEqual(target)
    expect(store.getState().past).toHaveLength(1)
    expect(Object.keys(store.getState().past[0]?.change.lists.nodes?.items ?? {}).sort()).toEqual([
      'end',
      'log',
      'say',
      'tell',
    ])
    store.getState().undo()
    expect(store.getState().graph).toEqual(edited())
  })

  it('restores whatever was done since, and takes that back whole', () => {
    fc.assert(
      fc.property(fc.array(anyEdit, { maxLength: 8 }), (edits) => {
        const before = sample()
        const now = edits.reduce((graph, edit) => edit(graph), before)
        const store = createGraphStore(now)
        const changes = store.getState().commit('restore', (graph) => restoreGraph(graph, before))
        expect(countOf(compareGraphs(store.getState().graph, before))).toBe(0)
        if (!changes) return
        expect(store.getState().past).toHaveLength(1)
        store.getState().undo()
        expect(sameValue(store.getState().graph, now)).toBe(true)
      }),
    )
  })

  it('takes one node back as it was and leaves the others', () => {
    const next = takeNode(edited(), sample(), 'log')
    expect(names(compareGraphs(sample(), next).nodes)).toEqual(['added tell', 'removed say', 'moved end'])
  })

  it('puts a node back with the edges whose other ends are there', () => {
    const next = takeNode(edited(), sample(), 'say')
    const into = next.edges.filter(({ target }) => target === 'say')
    expect(into).toHaveLength(1)
    expect(new Set(next.edges.map(({ id }) => id)).size).toBe(next.edges.length)
  })

  it('takes a node out that was put between two others, and joins these as they were', () => {
    const before = sample()
    const between = {
      ...before,
      nodes: [...before.nodes, node('more', 'template')],
      edges: [
        ...before.edges.filter(({ id }) => id !== 'e1'),
        { id: 'e7', source: 'start', source_port: 'out', target: 'more', target_port: 'in' },
        { id: 'e8', source: 'more', source_port: 'out', target: 'log', target_port: 'in' },
      ],
    }
    expect(countOf(compareGraphs(before, takeNode(between, before, 'more')))).toBe(0)
  })

  it('takes a new frame out and leaves what was there before in its place', () => {
    const before = { ...sample(), nodes: sample().nodes.filter(({ id }) => id !== 'each') }
    before.nodes = before.nodes.map(({ parent, ...rest }) => rest as (typeof before.nodes)[number])
    const next = takeNode(sample(), before, 'each')
    expect(next.nodes.find(({ id }) => id === 'read')?.parent ?? null).toBeNull()
  })
})
