import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '@/api/client'
import type { DraftSaved } from '@/api/workflows'
import { patchNode } from '@/graph/edit/edits'
import { sample } from '@/graph/graph.testing'
import type { GraphStore } from '@/graph/store'
import type { Graph } from '@/graph/types'
import { localDrafts, SAVE_AFTER_MS, tabName } from './drafts'
import { aSaver } from './drafts.testing'

/** A server that keeps one draft, as the API does; `answer` may refuse. */
class Server {
  revision = 1
  graph: Graph = sample()
  refuse: (() => unknown) | null = null
  puts = 0
  async put(revision: number, graph: Graph): Promise<DraftSaved> {
    this.puts += 1
    const refusal = this.refuse?.()
    if (refusal) throw refusal
    if (revision !== this.revision) {
      const detail = { revision: this.revision, by: 'Bob', at: '2026-11-21T22:00:00Z' }
      throw new ApiError(409, 'STALE_DRAFT', 'stale', '', {}, detail)
    }
    this.revision += 1
    this.graph = graph
    return { revision: this.revision, problems: [] }
  }
}

function open(server: Server) {
  const { saver, store } = aSaver({
    revision: server.revision,
    put: (revision, graph) => server.put(revision, graph),
  })
  const stop = saver.start()
  return { saver, store, stop, kind: () => saver.state.getState().save.kind }
}

const retitle = (store: GraphStore, title: string) =>
  store.getState().commit('retitle', (graph) => patchNode(graph, 'say', { title }))
const later = () => vi.advanceTimersByTimeAsync(SAVE_AFTER_MS + 10)

beforeEach(() => {
  vi.useFakeTimers()
  localStorage.clear()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('saving drafts', () => {
  it('saves what was edited once typing rests, and says so truthfully', async () => {
    const server = new Server()
    const { store, kind } = open(server)
    expect(kind()).toBe('saved')
    retitle(store, 'a')
    retitle(store, 'ab')
    expect(kind()).toBe('unsaved')
    await later()
    expect(kind()).toBe('saved')
    expect(server.puts).toBe(1)
    expect(server.graph).toEqual(store.getState().graph)
    expect(localDrafts('wf_1', tabName())).toEqual([])
  })

  it('edits made while a save is on its way are saved by the next one', async () => {
    const server = new Server()
    const { saver, store, kind } = open(server)
    retitle(store, 'first')
    const saving = saver.save()
    retitle(store, 'second')
    await saving
    expect(kind()).toBe('unsaved')
    await later()
    expect(kind()).toBe('saved')
    expect(server.graph).toEqual(store.getState().graph)
  })

  it('without a connection it keeps the work in the browser and tries again', async () => {
    const server = new Server()
    const { store, kind } = open(server)
    server.refuse = () => new ApiError(0, 'NETWORK', 'no answer')
    retitle(store, 'kept')
    await later()
    expect(kind()).toBe('offline')
    const [kept] = localDrafts('wf_1', tabName())
    expect(kept?.revision).toBe(1)
    expect(kept?.graph).toEqual(store.getState().graph)
    server.refuse = null
    await vi.advanceTimersByTimeAsync(1_100)
    expect(kind()).toBe('saved')
    expect(localDrafts('wf_1', tabName())).toEqual([])
  })

  it('does not wait for the next try when the network is back', async () => {
    const server = new Server()
    const { saver, store, kind } = open(server)
    server.refuse = () => new ApiError(0, 'NETWORK', 'no answer')
    retitle(store, 'a')
    await later()
    expect(kind()).toBe('offline')
    server.refuse = null
    const before = server.puts
    saver.retry()
    await vi.advanceTimersByTimeAsync(0)
    expect(server.puts).toBe(before + 1)
    expect(kind()).toBe('saved')
  })

  it('never saves over somebody else', async () => {
    const server = new Server()
    const { saver, store, kind } = open(server)
    await server.put(1, patchNode(sample(), 'say', { title: 'theirs' }))
    retitle(store, 'mine')
    await later()
    expect(kind()).toBe('conflict')
    expect(saver.state.getState().save).toMatchObject({ conflict: { revision: 2, by: 'Bob' } })
    retitle(store, 'mine again')
    await later()
    expect(server.puts).toBe(2)
    expect(server.graph.nodes.find((node) => node.id === 'say')?.title).toBe('theirs')
    expect(saver.unsafe).toBe(true)
    saver.loaded(2, null)
    expect(kind()).toBe('saved')
  })

  it('a refusal that will not pass stays visible until the next edit', async () => {
    const server = new Server()
    const { store, kind } = open(server)
    server.refuse = () => new ApiError(413, 'TOO_LARGE', 'too large')
    retitle(store, 'a')
    await later()
    expect(kind()).toBe('failed')
    server.refuse = null
    retitle(store, 'b')
    await later()
    expect(kind()).toBe('saved')
  })

  it('leaving the page saves what is unsaved', async () => {
    const server = new Server()
    const { store, stop } = open(server)
    retitle(store, 'last')
    stop()
    expect(localDrafts('wf_1', tabName())).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(0)
    expect(server.graph).toEqual(store.getState().graph)
    expect(localDrafts('wf_1', tabName())).toEqual([])
  })

  it('hears of a newer revision only when nothing here is unsaved', async () => {
    const server = new Server()
    const { saver, store } = open(server)
    saver.noteRevision(1)
    expect(saver.state.getState().newer).toBeNull()
    retitle(store, 'mine')
    saver.noteRevision(2)
    expect(saver.state.getState().newer).toBeNull()
    await later()
    saver.noteRevision(3)
    expect(saver.state.getState().newer).toBe(3)
  })
})
