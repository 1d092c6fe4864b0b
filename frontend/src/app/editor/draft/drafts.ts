/**
 * Saving a draft: debounced, with its revision, never over somebody else's, never lost.
 *
 * What is not on the server yet is kept in the browser, per workflow and tab, so a refresh or a crash loses nothing.
 * Plain TypeScript; the page gives it the graph store and shows its state.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import { ApiError } from '@/api/client'
import type { DraftSaved } from '@/api/workflows'
import type { GraphStore } from '@/graph/store'
import type { Graph, Problem } from '@/graph/types'

export const SAVE_AFTER_MS = 600
const KEEP_AFTER_MS = 150
/** Seconds between tries while there is no connection: 1, 2, 4, 8, then every 10. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 10_000]

export interface Conflict {
  readonly revision: number
  readonly by: string
  readonly at: string
}

export type SaveState =
  | { readonly kind: 'saved'; readonly at: number | null }
  | { readonly kind: 'unsaved' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'offline' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'conflict'; readonly conflict: Conflict }

export interface DraftState {
  readonly save: SaveState
  readonly revision: number
  /** A newer revision that somebody else saved, while nothing here is unsaved. */
  readonly newer: number | null
}

export interface DraftOptions {
  readonly workflow: string
  readonly revision: number
  readonly savedAt: number | null
  readonly store: GraphStore
  readonly put: (revision: number, graph: Graph) => Promise<DraftSaved>
  readonly onProblems: (problems: readonly Problem[]) => void
  readonly now?: () => number
}

export interface LocalDraft {
  readonly key: string
  readonly revision: number
  readonly at: number
  readonly graph: unknown
}

const PREFIX = 'draft:'

/** This tab's name; it survives a reload. */
export function tabName(): string {
  let name = sessionStorage.getItem('tab')
  if (!name) {
    name = crypto.randomUUID()
    sessionStorage.setItem('tab', name)
  }
  return name
}

export function localDraftKey(workflow: string, tab: string): string {
  return `${PREFIX}${workflow}:${tab}`
}

/** Unsaved work on a workflow that is kept in this browser, this tab's first. */
export function localDrafts(workflow: string, tab: string): LocalDraft[] {
  const matches: LocalDraft[] = []
  for (let index = 0; index < localStorage.length; index += 1) {
    const key = localStorage.key(index)
    if (!key?.startsWith(`${PREFIX}${workflow}:`)) continue
    try {
      const { revision, at, graph } = JSON.parse(localStorage.getItem(key) ?? '') as Omit<LocalDraft, 'key'>
      if (typeof revision === 'number' && graph !== null && typeof graph === 'object')
        matches.push({ key, revision, at, graph })
    } catch {
      localStorage.removeItem(key)
    }
  }
  const own = localDraftKey(workflow, tab)
  return matches.sort(
    (left, right) => Number(right.key === own) - Number(left.key === own) || right.at - left.at,
  )
}

export function forgetLocalDraft(key: string): void {
  localStorage.removeItem(key)
}

function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409 && error.code === 'STALE_DRAFT'
}

function conflictOf(error: ApiError): Conflict {
  const detail = (error.detail ?? {}) as Partial<Conflict>
  return { revision: Number(detail.revision ?? 0), by: String(detail.by ?? ''), at: String(detail.at ?? '') }
}

/** No answer, or one that says to come back later: trying again makes sense. */
function passes(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.code === 'NETWORK' || error.status >= 502 || error.status === 429)
  )
}

export class DraftSaver {
  readonly state: StoreApi<DraftState>
  private readonly key: string
  private readonly now: () => number
  private savedEdits: number
  private running: Promise<void> | null = null
  private saveTimer: ReturnType<typeof setTimeout> | undefined
  private keepTimer: ReturnType<typeof setTimeout> | undefined
  private tries = 0
  private leave: (() => void) | null = null

  constructor(private readonly options: DraftOptions) {
    this.now = options.now ?? Date.now
    this.key = localDraftKey(options.workflow, tabName())
    this.savedEdits = options.store.getState().edits
    this.state = createStore<DraftState>()(() => ({
      save: { kind: 'saved', at: options.savedAt },
      revision: options.revision,
      newer: null,
    }))
  }

  get dirty(): boolean {
    return this.options.store.getState().edits !== this.savedEdits
  }

  /** Watch the store until the returned function is called. */
  start(): () => void {
    this.leave = this.options.store.subscribe((state, before) => {
      if (state.edits !== before.edits) this.edited()
    })
    if (this.dirty) this.edited()
    return () => {
      this.leave?.()
      this.leave = null
      clearTimeout(this.saveTimer)
      clearTimeout(this.keepTimer)
      if (this.dirty) {
        this.keep()
        if (this.state.getState().save.kind !== 'conflict') void this.save()
      }
    }
  }

  private edited(): void {
    clearTimeout(this.keepTimer)
    this.keepTimer = setTimeout(() => this.keep(), KEEP_AFTER_MS)
    const { kind } = this.state.getState().save
    if (kind === 'conflict' || kind === 'offline') return
    if (kind !== 'saving') this.set({ kind: 'unsaved' })
    this.saveSoon(SAVE_AFTER_MS)
  }

  private saveSoon(after: number): void {
    clearTimeout(this.saveTimer)
    this.saveTimer = setTimeout(() => void this.save(), after)
  }

  private set(save: SaveState): void {
    this.state.setState({ save })
  }

  /** Write what is unsaved into the browser; at once, since the page may be going. */
  keep(): void {
    if (!this.dirty) return
    const kept = {
      revision: this.state.getState().revision,
      at: this.now(),
      graph: this.options.store.getState().graph,
    }
    try {
      localStorage.setItem(this.key, JSON.stringify(kept))
    } catch {
      localStorage.removeItem(this.key) // the browser's space is used up: half a copy is worse than none
    }
  }

  /** Whether leaving now would lose something that the browser does not keep. */
  get unsafe(): boolean {
    if (!this.dirty) return false
    this.keep()
    return localStorage.getItem(this.key) === null || this.state.getState().save.kind === 'conflict'
  }

  /** Save now; resolves when the server has everything that was there at the call, or cannot take it. */
  async save(): Promise<void> {
    clearTimeout(this.saveTimer)
    if (this.running) await this.running
    if (!this.dirty || this.state.getState().save.kind === 'conflict') return
    this.running = this.put().finally(() => {
      this.running = null
    })
    await this.running
  }

  private async put(): Promise<void> {
    const { graph, edits } = this.options.store.getState()
    const { revision } = this.state.getState()
    if (this.state.getState().save.kind !== 'offline') this.set({ kind: 'saving' })
    try {
      const saved = await this.options.put(revision, graph)
      this.tries = 0
      this.savedEdits = edits
      this.state.setState({ revision: saved.revision, newer: null })
      if (this.dirty) {
        this.set({ kind: 'unsaved' })
        this.saveSoon(SAVE_AFTER_MS)
        return
      }
      clearTimeout(this.keepTimer)
      localStorage.removeItem(this.key)
      this.set({ kind: 'saved', at: this.now() })
      this.options.onProblems(saved.problems)
    } catch (error) {
      this.failed(error)
    }
  }

  private failed(error: unknown): void {
    this.keep()
    if (isConflict(error)) {
      this.set({ kind: 'conflict', conflict: conflictOf(error) })
      return
    }
    if (passes(error)) {
      this.set({ kind: 'offline' })
      this.saveSoon(RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)] ?? 10_000)
      this.tries += 1
      return
    }
    this.set({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }

  /** The network is back: do not wait for the next try. */
  retry(): void {
    if (this.dirty && this.state.getState().save.kind === 'offline') void this.save()
  }

  /** Somebody saved a revision, perhaps this page. */
  noteRevision(revision: number): void {
    if (this.running || this.dirty || revision <= this.state.getState().revision) return
    this.state.setState({ newer: revision })
  }

  /** The page shows this revision now: the other's was loaded, or a copy was made elsewhere. */
  loaded(revision: number, index: number | null): void {
    this.savedEdits = this.options.store.getState().edits
    localStorage.removeItem(this.key)
    this.state.setState({ revision, newer: null, save: { kind: 'saved', at: index } })
  }
}
