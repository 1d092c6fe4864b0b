import { describe, expect, it } from 'vitest'
import { fc } from '@/testing/properties'
import { apply, diff, invert } from './edit/changes'
import { addNode, patchNode, remove } from './edit/edits'
import { anyEdit, node, sample } from './graph.testing'
import { createGraphStore, HISTORY_LIMIT, MERGE_MS } from './store'

const clone = <T>(value: T): T => structuredClone(value)

describe('history', () => {
  it('undo and redo give back exactly the graphs between, for any edits', () => {
    fc.assert(
      fc.property(fc.array(anyEdit, { maxLength: 30 }), (edits) => {
        const store = createGraphStore(sample())
        const seen = [clone(store.getState().graph)]
        for (const edit of edits) {
          if (store.getState().commit('config', edit)) seen.push(clone(store.getState().graph))
        }
        for (let index = seen.length - 2; index >= 0; index -= 1) {
          store.getState().undo()
          expect(store.getState().graph).toEqual(seen[index])
          expect(JSON.stringify(store.getState().graph.nodes)).toBe(JSON.stringify(seen[index]?.nodes))
        }
        for (let index = 1; index < seen.length; index += 1) {
          store.getState().redo()
          expect(store.getState().graph).toEqual(seen[index])
        }
      }),
      { numRuns: 150 },
    )
  })

  it('a changeset and its inverse cancel each other', () => {
    fc.assert(
      fc.property(anyEdit, anyEdit, (first, second) => {
        const before = sample()
        const after = second(first(before))
        const change = diff('config', before, after)
        if (!change) return
        expect(apply(before, change)).toEqual(after)
        expect(apply(after, invert(change))).toEqual(before)
        expect(invert(invert(change))).toEqual(change)
      }),
      { numRuns: 200 },
    )
  })

  it('merges typing in one field within 600 ms into one step', () => {
    let time = 0
    const store = createGraphStore(sample(), () => time)
    const type = (text: string): boolean =>
      store
        .getState()
        .commit('config', (graph) => patchNode(graph, 'say', { config: { text } }), { merge: 'say:text' })
    type('a')
    time += MERGE_MS
    type('ab')
    expect(store.getState().past).toHaveLength(1)
    time += MERGE_MS + 1
    type('abc')
    expect(store.getState().past).toHaveLength(2)
    store.getState().undo()
    store.getState().undo()
    expect(store.getState().graph).toEqual(sample())
  })

  it('an undo between two edits ends the merging', () => {
    const store = createGraphStore(sample(), () => 0)
    const type = (text: string): boolean =>
      store
        .getState()
        .commit('config', (graph) => patchNode(graph, 'say', { config: { text } }), { merge: 'say:text' })
    type('a')
    store.getState().undo()
    type('b')
    expect(store.getState().past).toHaveLength(1)
    expect(store.getState().future).toHaveLength(0)
  })

  it('keeps 200 steps', () => {
    const store = createGraphStore(sample())
    for (let step = 0; step < HISTORY_LIMIT + 20; step += 1) {
      store.getState().commit('retitle', (graph) => patchNode(graph, 'say', { title: `${step}` }))
    }
    expect(store.getState().past).toHaveLength(HISTORY_LIMIT)
  })

  it('an edit that changes nothing is no step', () => {
    const store = createGraphStore(sample())
    expect(store.getState().commit('delete', (graph) => remove(graph, {}))).toBe(false)
    expect(store.getState().edits).toBe(0)
  })

  it('a read-only graph stays as it is', () => {
    const store = createGraphStore(sample())
    store.getState().setReadOnly(true)
    expect(store.getState().commit('add', (graph) => addNode(graph, node('more')))).toBe(false)
    expect(store.getState().graph).toEqual(sample())
  })
})

describe('selection', () => {
  it('forgets what is gone, and comes back with an undo', () => {
    const store = createGraphStore(sample())
    store.getState().select({ nodes: ['log', 'say', 'nobody'] })
    expect(store.getState().selection.nodes).toEqual(['log', 'say'])
    store.getState().commit('delete', (graph) => remove(graph, { nodes: ['say'] }))
    expect(store.getState().selection.nodes).toEqual(['log'])
    store.getState().undo()
    expect(store.getState().selection.nodes).toEqual(['log', 'say'])
  })
})

describe('new nodes', () => {
  const labels = ['add', 'paste', 'duplicate'] as const

  it.each(labels)('after %s nothing is told of them until they are left', (label) => {
    const store = createGraphStore(sample())
    store
      .getState()
      .commit(label, (graph) => addNode(graph, node('late', 'template')), { select: { nodes: ['late'] } })
    expect([...store.getState().fresh]).toEqual(['late'])
    store.getState().select({ nodes: ['start'] })
    expect(store.getState().fresh.size).toBe(0)
  })

  it('an empty document is new itself, until something of it is left or someone wants to run it', () => {
    const store = createGraphStore({ ...sample(), nodes: [], edges: [] })
    const add = (id: string) =>
      store
        .getState()
        .commit('add', (graph) => addNode(graph, node(id, 'template')), { select: { nodes: [id] } })
    expect([...store.getState().fresh]).toEqual([''])
    add('first')
    expect(store.getState().fresh.has('')).toBe(true)
    add('second')
    expect([...store.getState().fresh]).toEqual(['second'])
    store.getState().load({ ...sample(), nodes: [], edges: [] })
    expect(store.getState().fresh.has('')).toBe(true)
    store.getState().forgetFresh()
    expect(store.getState().fresh.size).toBe(0)
    store.getState().load(sample())
    expect(store.getState().fresh.size).toBe(0)
  })

  it('what other edits bring is known already', () => {
    const store = createGraphStore(sample())
    store
      .getState()
      .commit('replace', (graph) => addNode(graph, node('late', 'template')), { select: { nodes: ['late'] } })
    expect(store.getState().fresh.size).toBe(0)
  })
})
