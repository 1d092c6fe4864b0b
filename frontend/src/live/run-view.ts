/**
 * The runs that a page follows, outside of React. Fetched when there is a run to show.
 *
 * A `RunFeed` (run-feed.ts) holds the log of one run and is shared by everyone who shows that run; a `RunView` is one look
 * at it: live, or scrubbed back to an event. What comes in is folded once per animation frame, and only who listens to a
 * node that changed is told.
 */

import type { RunError, RunEvent, RunState, Usage, Waiting } from '@/api/run-types'
import { TERMINAL } from '@/api/run-types'
import { emptyFold, type LlmCall, type Origin, type Question, type RunFold, type Step } from './fold'
import { type NodeRun, sameRun, sumUp } from './node-run'
import { type FeedFailure, RunFeed } from './run-feed'
import { type RunStatus, statusOfRun } from './run-status'
import type { LiveSocket } from './socket'

export type { NodeRun, PlanLine } from './node-run'
export { RunFeed } from './run-feed'

export interface StepValues {
  readonly input: unknown
  readonly output: unknown
  readonly error: RunError | null
}

export interface RunInfo {
  readonly run: string
  /** What it is a retry or fork of. */
  readonly origin: Origin | null
  readonly state: RunState
  readonly status: RunStatus
  /** At the moment that is shown. */
  readonly ended: boolean
  /** Whether the run goes on now, whatever moment is shown; and whether it is paused. */
  readonly going: boolean
  readonly paused: boolean
  readonly version: number | null
  readonly inputs: unknown
  /** Servers that no model of this run is offered, as its starter had set it when it began. */
  readonly serversOff: readonly string[]
  readonly outputs: unknown
  readonly error: RunError | null
  readonly waiting: readonly Waiting[]
  readonly queuedAt: number | null
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly lastAt: number | null
  readonly usage: Usage
  /** The event that is shown, and the newest one. */
  readonly seq: number
  readonly lastSeq: number
  /** The event scrubbed to; null = live. */
  readonly scrub: number | null
  readonly openQuestions: number
  /** The topic was refused (deleted, not ours). */
  readonly failure: FeedFailure | null
}

const NOBODY: ReadonlySet<string> = new Set()

/** One look at a run. */
export class RunView {
  private shown: RunFold
  private scrubbed: number | null = null
  private readonly nodeListeners = new Map<string, Set<() => void>>()
  private readonly listeners = new Set<() => void>()
  private readonly nodeRuns = new Map<string, NodeRun | null>()
  private readonly values = new Map<string, StepValues>()
  private currentInfo: RunInfo | null = null
  private open: readonly Question[] | null = null

  constructor(readonly feed: RunFeed) {
    this.shown = feed.ready ? feed.history.state : emptyFold(feed.run)
  }

  /** Begin to follow the feed; gives the way to stop. */
  attach(): () => void {
    const leave = this.feed.listen((touched) => this.moved(touched))
    const letGo = this.feed.hold()
    if (this.ready && this.scrubbed === null && this.shown !== this.feed.history.state) this.scrubTo(null)
    return () => {
      leave()
      letGo()
    }
  }

  get state(): RunFold {
    return this.shown
  }

  /** Whether there is something to show: before, all of the screen waits alike. */
  get ready(): boolean {
    return this.feed.ready
  }

  get events(): readonly RunEvent[] {
    return this.ready ? this.feed.history.events : NO_EVENTS
  }

  /** Show the run as it was after event `seq`; null goes back to live. */
  scrubTo(seq: number | null): void {
    const last = this.feed.history.state.seq
    const wasLive = this.scrubbed === null
    this.scrubbed = seq === null ? null : Math.min(Math.max(seq, 0), last)
    const before = this.shown
    this.shown = this.scrubbed === null ? this.feed.history.state : this.feed.history.at(this.scrubbed)
    // Between live and an earlier moment every card changes: what goes on ticks in one and stands still in the other.
    const turned = wasLive !== (this.scrubbed === null)
    this.tell(
      turned
        ? new Set([...before.byNode.keys(), ...this.shown.byNode.keys()])
        : changedNodes(before, this.shown),
    )
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  subscribeNode(node: string, listener: () => void): () => void {
    const set = this.nodeListeners.get(node) ?? new Set()
    this.nodeListeners.set(node, set.add(listener))
    return () => {
      set.delete(listener)
      if (set.size === 0) this.nodeListeners.delete(node)
    }
  }

  steps(node: string): readonly Step[] {
    const ids = this.shown.byNode.get(node) ?? []
    return ids.map((id) => this.shown.steps.get(id)).filter((step) => step !== undefined)
  }

  nodeRun(node: string): NodeRun | null {
    const known = this.nodeRuns.get(node)
    if (known !== undefined) return known
    const still = this.scrubbed === null ? null : this.shown.lastAt
    const run = sumUp(this.steps(node), this.shown, still, this.textOf)
    this.nodeRuns.set(node, run)
    return run
  }

  stepValues(node: string): StepValues | null {
    const known = this.values.get(node)
    const step = this.steps(node).findLast((step) => step.parent === null)
    if (!step) return null
    if (known && known.input === step.input && known.output === step.output && known.error === step.error)
      return known
    const values = { input: step.input, output: step.output, error: step.error }
    this.values.set(node, values)
    return values
  }

  /** The text of a round, or of a step outside of its rounds: while live with what runs ahead of the log. */
  textOf = (step: Step, call: LlmCall | null, channel: 'text' | 'reasoning' = 'text'): string => {
    if (this.scrubbed === null) return this.feed.textOf(step, call, channel)
    return call ? call[channel] : step[channel]
  }

  info(): RunInfo {
    this.currentInfo ??= infoOf(this.shown, this.feed, this.scrubbed, openIn(this.shown))
    return this.currentInfo
  }

  /** What can be answered now: an earlier moment has questions, but answering them is over. */
  openQuestions(): readonly Question[] {
    this.open ??= this.scrubbed === null ? openIn(this.shown) : NO_QUESTIONS
    return this.open
  }

  private moved(touched: ReadonlySet<string>): void {
    if (this.scrubbed !== null) {
      this.tell(NOBODY)
      return
    }
    const before = this.shown
    this.shown = this.feed.history.state
    // A stop parks every step that works, an end closes all: then every card may look different.
    this.tell(
      before.state === this.shown.state ? touched : new Set([...touched, ...this.shown.byNode.keys()]),
    )
  }

  private tell(touched: ReadonlySet<string>): void {
    this.currentInfo = null
    this.open = null
    for (const node of touched) {
      const before = this.nodeRuns.get(node)
      this.nodeRuns.delete(node)
      const listeners = this.nodeListeners.get(node)
      if (!listeners) continue
      const after = this.nodeRun(node)
      if (before && after && sameRun(before, after)) this.nodeRuns.set(node, before)
      for (const listener of listeners) listener()
    }
    for (const listener of this.listeners) listener()
  }
}

const NO_QUESTIONS: readonly Question[] = []
const NO_EVENTS: readonly RunEvent[] = []

function openIn(fold: RunFold): readonly Question[] {
  return [...fold.questions.values()].filter((question) => question.state === 'open')
}

function changedNodes(before: RunFold, after: RunFold): ReadonlySet<string> {
  const nodes = new Set<string>()
  for (const [id, step] of before.steps) if (after.steps.get(id) !== step) nodes.add(step.node)
  for (const [id, step] of after.steps) if (before.steps.get(id) !== step) nodes.add(step.node)
  if (before.state !== after.state) for (const node of after.byNode.keys()) nodes.add(node)
  return nodes
}

function infoOf(shown: RunFold, feed: RunFeed, scrub: number | null, open: readonly Question[]): RunInfo {
  const openQuestions = open.filter((question) => question.kind !== 'client').length
  return {
    run: shown.run,
    origin: feed.history.state.origin,
    state: shown.state,
    status: statusOfRun(shown.state, openQuestions > 0, open.length > 0),
    ended: TERMINAL.has(shown.state),
    going: !TERMINAL.has(feed.history.state.state),
    paused: feed.history.state.state === 'PAUSED',
    version: shown.version,
    inputs: shown.inputs,
    serversOff: shown.serversOff,
    outputs: shown.outputs,
    error: shown.error,
    waiting: shown.waiting,
    queuedAt: shown.queuedAt,
    startedAt: shown.startedAt,
    endedAt: shown.endedAt,
    lastAt: shown.lastAt,
    usage: shown.usage,
    seq: shown.seq,
    lastSeq: feed.history.state.seq,
    scrub,
    openQuestions,
    failure: feed.failure,
  }
}

/** The feeds of a page: one per run, shared by all who show it, forgotten when it rests and its place is needed. */
export class RunFeeds {
  private readonly feeds = new Map<string, RunFeed>()

  constructor(
    private readonly socket: LiveSocket,
    private readonly most = 8,
  ) {}

  feed(run: string): RunFeed {
    const known = this.feeds.get(run)
    if (known) return known
    for (const [id, feed] of this.feeds) {
      if (this.feeds.size < this.most) break
      if (feed.resting) this.feeds.delete(id)
    }
    const feed = new RunFeed(run, this.socket)
    this.feeds.set(run, feed)
    return feed
  }
}
