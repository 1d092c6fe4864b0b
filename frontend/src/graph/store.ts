/**
 * The graph store: the open document, its selection and its history.
 *
 * Every edit goes through `commit(label, change)`. Selection, problems and the viewport are not part of the history.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import { apply, type Changeset, diff, invert, touched } from './edit/changes'
import {
  type EditLabel,
  emptyGraph,
  type Graph,
  NOTHING,
  type NodeTypes,
  type Problem,
  type Selection,
} from './types'

export const HISTORY_LIMIT = 200
/** Edits with the same merge key that follow each other within this time are one undo step. */
export const MERGE_MS = 600

export interface CommitOptions {
  /** Edits with the same key within 600 ms become one undo step, for example `research:config.query`. */
  merge?: string
  /** The selection after the edit; default: the old one without what is gone. */
  select?: Partial<Selection>
}

export interface HistoryEntry {
  change: Changeset
  selectionBefore: Selection
  selectionAfter: Selection
}

export interface GraphState {
  /** The document; never changed in place. */
  graph: Graph
  selection: Selection
  /** Node types by name, empty until they are loaded. */
  types: NodeTypes
  /** What the server (and the cheap local check) found. */
  problems: readonly Problem[]
  /**
   * Nodes just added or pasted, which nobody has left yet: what they lack is not told in red. `""` stands for the
   * document, as long as it holds nothing else. Not part of the history.
   */
  fresh: ReadonlySet<string>
  /** A viewer's or a past version's graph: nothing can be edited. */
  readOnly: boolean
  past: readonly HistoryEntry[]
  future: readonly HistoryEntry[]
  /** Grows with every change of the document; autosave watches it. */
  edits: number

  /** Replace the document (opened, reloaded): the history is empty afterwards. */
  load(graph: Graph): void
  /** Make an edit. Returns false when nothing changed or the graph is read-only. */
  commit(label: EditLabel, change: (graph: Graph) => Graph, options?: CommitOptions): boolean
  undo(): void
  redo(): void
  /** Replace the selection; lists that are left out are empty. */
  select(selection: Partial<Selection>): void
  setTypes(types: NodeTypes): void
  setProblems(problems: readonly Problem[]): void
  /** Say of all new nodes what they lack: someone wants to run, to publish, or to see the problems. */
  forgetFresh(): void
  setReadOnly(readOnly: boolean): void
}

const NONE: ReadonlySet<string> = new Set()
/** The document among what is fresh: problems that no node has are of it. */
const DOCUMENT = ''
/** The edits whose new nodes a person has not had the chance to fill in. */
const NEW: ReadonlySet<EditLabel> = new Set(['add', 'duplicate', 'paste'])

/** The new nodes after an edit: those it added, and of those before the ones that are still selected. */
function freshAfter(
  before: GraphState,
  label: EditLabel,
  next: Graph,
  selection: Selection,
): ReadonlySet<string> {
  const known = new Set((NEW.has(label) ? before.graph : next).nodes.map((node) => node.id))
  const added = next.nodes.filter((node) => !known.has(node.id)).map((node) => node.id)
  return stillFresh(before.fresh, next, selection, added)
}

/** A node that is no longer selected was left; a document of which something was left is no new one. */
function stillFresh(
  fresh: ReadonlySet<string>,
  graph: Graph,
  selection: Selection,
  added: readonly string[] = [],
): ReadonlySet<string> {
  if (fresh.size + added.length === 0) return fresh
  const kept = new Set([...fresh].filter((id) => selection.nodes.includes(id)).concat(added))
  if (fresh.has(DOCUMENT) && graph.nodes.every((node) => kept.has(node.id))) kept.add(DOCUMENT)
  return kept.size === fresh.size && added.length === 0 ? fresh : kept
}

/** An empty document lacks something before anybody had the chance to put it in. */
const freshAtFirst = (graph: Graph): ReadonlySet<string> =>
  graph.nodes.length === 0 ? new Set([DOCUMENT]) : NONE

export type GraphStore = StoreApi<GraphState>

function sameIds(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((id, index) => id === right[index])
}

function sameSelection(left: Selection, right: Selection): boolean {
  return (
    sameIds(left.nodes, right.nodes) &&
    sameIds(left.edges, right.edges) &&
    sameIds(left.annotations, right.annotations)
  )
}

/** The selection without the ids that the graph no longer has. */
function present(graph: Graph, selection: Selection): Selection {
  const keep = (ids: readonly string[], items: readonly { id: string }[]): readonly string[] => {
    if (ids.length === 0) return ids
    const known = new Set(items.map((item) => item.id))
    const kept = ids.filter((id) => known.has(id))
    return kept.length === ids.length ? ids : kept
  }
  const next: Selection = {
    nodes: keep(selection.nodes, graph.nodes),
    edges: keep(selection.edges, graph.edges),
    annotations: keep(selection.annotations, graph.annotations ?? []),
  }
  return sameSelection(selection, next) ? selection : next
}

/** What to look at after an undo: the items that came back or changed, or the selection of that time. */
function selectionAfter(graph: Graph, change: Changeset, selection: Selection): Selection {
  const kept = present(graph, selection)
  if (kept.nodes.length + kept.edges.length + kept.annotations.length > 0) return kept
  return present(graph, {
    nodes: touched(change, 'nodes'),
    edges: [],
    annotations: touched(change, 'annotations'),
  })
}

/** What changes when the last edit is taken back; undefined where there is none, or nothing may be edited. */
function undone(state: GraphState): Partial<GraphState> | undefined {
  const last = state.past[state.past.length - 1]
  if (!last || state.readOnly) return undefined
  const back = invert(last.change)
  const graph = apply(state.graph, back)
  return {
    graph,
    selection: selectionAfter(graph, back, last.selectionBefore),
    past: state.past.slice(0, -1),
    future: [last, ...state.future],
    edits: state.edits + 1,
  }
}

/** What changes when the edit that was taken back last is made again. */
function redone(state: GraphState): Partial<GraphState> | undefined {
  const first = state.future[0]
  if (!first || state.readOnly) return undefined
  const graph = apply(state.graph, first.change)
  return {
    graph,
    selection: selectionAfter(graph, first.change, first.selectionAfter),
    past: [...state.past, first],
    future: state.future.slice(1),
    edits: state.edits + 1,
  }
}

/** A store for one open document. `now` gives the time in milliseconds (tests pass their own). */
export function createGraphStore(graph: Graph = emptyGraph(), now: () => number = Date.now): GraphStore {
  let mergeKey: string | undefined
  let mergeUntil = 0

  return createStore<GraphState>()((set, get) => ({
    graph,
    selection: NOTHING,
    types: new Map(),
    problems: [],
    fresh: freshAtFirst(graph),
    readOnly: false,
    past: [],
    future: [],
    edits: 0,

    load(next) {
      mergeKey = undefined
      set((state) => ({
        graph: next,
        selection: present(next, state.selection),
        past: [],
        future: [],
        problems: [],
        fresh: freshAtFirst(next),
      }))
    },

    commit(label, change, options = {}) {
      const state = get()
      if (state.readOnly) return false
      const next = change(state.graph)
      let changeset = diff(label, state.graph, next)
      if (!changeset) return false
      const selection = present(next, options.select ? { ...NOTHING, ...options.select } : state.selection)
      const time = now()
      const last = state.past[state.past.length - 1]
      const merges =
        options.merge !== undefined && options.merge === mergeKey && time <= mergeUntil && last !== undefined
      let past = state.past
      let selectionBefore = state.selection
      if (merges) {
        past = past.slice(0, -1)
        selectionBefore = last.selectionBefore
        changeset = diff(label, apply(state.graph, invert(last.change)), next)
      }
      mergeKey = options.merge
      mergeUntil = time + MERGE_MS
      const entry = changeset && { change: changeset, selectionBefore, selectionAfter: selection }
      set({
        graph: next,
        selection,
        fresh: freshAfter(state, label, next, selection),
        past: entry ? [...past, entry].slice(-HISTORY_LIMIT) : past,
        future: [],
        edits: state.edits + 1,
      })
      return true
    },

    undo() {
      const back = undone(get())
      if (!back) return
      mergeKey = undefined
      set(back)
    },

    redo() {
      const forward = redone(get())
      if (!forward) return
      mergeKey = undefined
      set(forward)
    },

    select(selection) {
      const state = get()
      const next = present(state.graph, { ...NOTHING, ...selection })
      if (sameSelection(state.selection, next)) return
      set({ selection: next, fresh: stillFresh(state.fresh, state.graph, next) })
    },

    setTypes: (types) => set({ types }),

    setProblems(problems) {
      set({ problems })
    },

    forgetFresh: () => set({ fresh: NONE }),

    setReadOnly(readOnly) {
      set({ readOnly })
    },
  }))
}
