/**
 * The runs that a page follows, outside of React. Fetched when there is a run to show.
 *
 * A `RunFeed` holds the log of one run and is shared by everyone who shows that run; a `RunView` is one look at it: live,
 * or scrubbed back to an event. What comes in is folded once per animation frame, and only who listens to a node that
 * changed is told.
 */

import type { Progress, Question, RunFold, Step } from './fold'
import { overlay, RunHistory } from './fold'
import { type RunStatus, statusOfRun, statusOfStep } from './run-status'
import type { RunError, RunEvent, RunState, StepState, TextPreview, Usage, Waiting } from './run-types'
import { TERMINAL } from './run-types'
import type { LiveSocket } from './socket'

/** What a card shows of a node; several steps (rounds of an iteration) are summed up. Times are epoch ms. */
export interface NodeRun {
  readonly status: RunStatus
  readonly state: StepState
  readonly attempt: number
  readonly startedAt: number
  readonly endedAt: number | null
  /** From its first start to its last end; null while it goes on. */
  readonly ms: number | null
  /** When what it does now began: the open wait, else the start. */
  readonly since: number
  /** The moment that is shown, where it is not now: what goes on then does not tick. */
  readonly still: number | null
  readonly tokens: number | null
  readonly progress: Progress | null
  /** The question that is open. */
  readonly interaction: string | null
  /** Streamed text so far. */
  readonly text: string | null
  readonly code: string | null
  /** Steps that ended, of those that began. */
  readonly done: number
  readonly total: number
  /** Steps that ended with an error. */
  readonly failed: number
  /** The newest step. */
  readonly step: string
}

export interface StepValues {
  readonly input: unknown
  readonly output: unknown
  readonly error: RunError | null
}

export interface RunInfo {
  readonly run: string
  readonly state: RunState
  readonly status: RunStatus
  /** At the moment that is shown. */
  readonly ended: boolean
  /** Whether the run goes on now, whatever moment is shown; and whether it is paused. */
  readonly going: boolean
  readonly paused: boolean
  readonly version: number | null
  readonly inputs: unknown
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
  readonly failure: { readonly code: string; readonly message: string } | null
}

type FeedListener = (touched: ReadonlySet<string>) => void

/** Runs `flush` with the next picture; in a hidden tab there is none, so a timer does. */
export type Schedule = (flush: () => void) => void

const nextFrame: Schedule = (flush) => {
  if (typeof document !== 'undefined' && document.hidden) setTimeout(flush, 100)
  else requestAnimationFrame(flush)
}

const NOBODY: ReadonlySet<string> = new Set()

/** The log of one run, growing. It listens to the socket while somebody holds it, and a moment longer. */
export class RunFeed {
  readonly history: RunHistory
  failure: RunInfo['failure'] = null
  private readonly listeners = new Set<FeedListener>()
  /** Streamed text by step, and there by call, attempt and channel. */
  private readonly previews = new Map<string, Map<string, string>>()
  private arrived: RunEvent[] = []
  private previewed = new Set<string>()
  private scheduled = false
  private users = 0
  private stop: (() => void) | null = null

  constructor(
    readonly run: string,
    private readonly socket: LiveSocket | null = null,
    private readonly schedule: Schedule = nextFrame,
    private readonly lingerMs = 5000,
  ) {
    this.history = new RunHistory(run)
  }

  /** Nobody holds it: it has stopped listening. */
  get resting(): boolean {
    return this.stop === null && this.users === 0
  }

  /** Keep the feed listening; gives the way to let go. */
  hold(): () => void {
    this.users++
    this.stop ??= this.follow()
    let released = false
    return () => {
      if (released) return
      released = true
      this.users--
      setTimeout(() => this.restIfUnused(), this.lingerMs)
    }
  }

  private follow(): (() => void) | null {
    if (!this.socket) return null
    const subscriber = {
      events: (events: readonly RunEvent[]) => this.take(events),
      text: (previews: readonly TextPreview[]) => this.preview(previews),
      error: (error: { code: string; message: string }) => {
        this.failure = error
        this.flushSoon()
      },
    }
    return this.socket.subscribe(`run:${this.run}`, subscriber, this.history.state.seq + this.arrived.length)
  }

  private restIfUnused(): void {
    if (this.users > 0) return
    this.stop?.()
    this.stop = null
  }

  /** Events in order, without gaps; shown with the next frame. */
  take(events: readonly RunEvent[]): void {
    for (const event of events) this.arrived.push(event)
    this.flushSoon()
  }

  listen(listener: FeedListener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Text that streams ahead of what is stored; laid over it by offset, dropped where something in between is missing. */
  preview(previews: readonly TextPreview[]): void {
    for (const { step: id, call, attempt, channel = 'text', offset, delta } of previews) {
      const step = this.history.state.steps.get(id)
      const stored = step ? storedText(step, channel) : ''
      const texts = this.previews.get(id) ?? new Map<string, string>()
      const key = previewKey(call, attempt ?? step?.attempt ?? 1, channel)
      const known = texts.get(key) ?? ''
      const next = overlay(known.startsWith(stored) ? known : stored, offset, delta)
      if (next === null) continue
      this.previews.set(id, texts.set(key, next))
      this.previewed.add(id)
    }
    this.flushSoon()
  }

  /** The text of a step as far as it is known now. */
  textOf(step: Step, channel: 'text' | 'reasoning' = 'text'): string {
    const stored = storedText(step, channel)
    if (step.endedAt !== null) return stored
    const texts = this.previews.get(step.id)
    const call = step.llmCalls.at(-1)?.call
    const ahead = texts?.get(previewKey(call, step.attempt, channel)) ?? ''
    return ahead.length > stored.length && ahead.startsWith(stored) ? ahead : stored
  }

  private flushSoon(): void {
    if (this.scheduled) return
    this.scheduled = true
    this.schedule(() => this.flush())
  }

  private flush(): void {
    this.scheduled = false
    const events = this.arrived
    this.arrived = []
    const touched = new Set(this.history.append(events))
    for (const id of this.previewed) {
      const step = this.history.state.steps.get(id)
      if (step) touched.add(step.node)
    }
    this.previewed = new Set()
    for (const id of this.previews.keys()) {
      if (this.history.state.steps.get(id)?.endedAt) this.previews.delete(id)
    }
    for (const listener of this.listeners) listener(touched)
  }
}

function previewKey(call: string | undefined, attempt: number, channel: string): string {
  return `${call ?? ''} ${attempt} ${channel}`
}

/** The text of a step that is in the log: its newest LLM call's, else its own. */
function storedText(step: Step, channel: string): string {
  const name = channel === 'reasoning' ? 'reasoning' : 'text'
  const last = step.llmCalls.at(-1)
  return last ? last[name] : step[name]
}

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
    this.shown = feed.history.state
  }

  /** Begin to follow the feed; gives the way to stop. */
  attach(): () => void {
    const leave = this.feed.listen((touched) => this.moved(touched))
    const letGo = this.feed.hold()
    if (this.scrubbed === null && this.shown !== this.feed.history.state) this.scrubTo(null)
    return () => {
      leave()
      letGo()
    }
  }

  get state(): RunFold {
    return this.shown
  }

  get events(): readonly RunEvent[] {
    return this.feed.history.events
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
    const run = sumUp(this.steps(node), this.shown, still, (step) => this.text(step))
    this.nodeRuns.set(node, run)
    return run
  }

  stepValues(node: string): StepValues | null {
    const known = this.values.get(node)
    const step = this.steps(node).at(-1)
    if (!step) return null
    if (known && known.input === step.input && known.output === step.output && known.error === step.error)
      return known
    const values = { input: step.input, output: step.output, error: step.error }
    this.values.set(node, values)
    return values
  }

  /** The streamed text of a step: the stored one while scrubbing, with what runs ahead of it while live. */
  text(step: Step): string {
    return this.scrubbed === null ? this.feed.textOf(step) : storedText(step, 'text')
  }

  info(): RunInfo {
    this.currentInfo ??= infoOf(this.shown, this.feed, this.scrubbed, openIn(this.shown).length)
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
      if (before && after && same(before, after)) this.nodeRuns.set(node, before)
      for (const listener of listeners) listener()
    }
    for (const listener of this.listeners) listener()
  }
}

const NO_QUESTIONS: readonly Question[] = []

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

function same(one: NodeRun, other: NodeRun): boolean {
  return (Object.keys(one) as (keyof NodeRun)[]).every((key) => Object.is(one[key], other[key]))
}

/** What counts most of several steps: a person's turn first, then what goes on, then what failed. */
const WEIGHT: readonly RunStatus[] = [
  'person',
  'running',
  'retrying',
  'waiting',
  'paused',
  'queued',
  'failed',
  'cancelled',
  'succeeded',
  'skipped',
]

function sumUp(
  steps: readonly Step[],
  run: RunFold,
  still: number | null,
  textOf: (step: Step) => string,
): NodeRun | null {
  const last = steps.at(-1)
  if (!last) return null
  let lead = last
  let status = statusOfStep(last, run)
  for (const step of steps) {
    const other = statusOfStep(step, run)
    if (WEIGHT.indexOf(other) >= WEIGHT.indexOf(status)) continue
    lead = step
    status = other
  }
  const going = steps.some((step) => step.endedAt === null)
  const startedAt = Math.min(...steps.map((step) => step.startedAt))
  const endedAt = going ? run.endedAt : Math.max(...steps.map((step) => step.endedAt ?? 0))
  const tokens = steps.reduce((sum, step) => sum + step.usage.input_tokens + step.usage.output_tokens, 0)
  const open = lead.waits.findLast((wait) => wait.to === null)
  return {
    status,
    state: lead.state,
    attempt: lead.attempt,
    startedAt,
    endedAt,
    ms: endedAt === null ? null : endedAt - startedAt,
    since: open?.from ?? startedAt,
    still,
    tokens: tokens > 0 ? tokens : null,
    progress: lead.endedAt === null ? lead.progress : null,
    interaction: lead.interaction,
    text: textOf(lead) || null,
    code: lead.error?.code ?? null,
    done: steps.filter((step) => step.endedAt !== null).length,
    total: steps.length,
    failed: steps.filter((step) => step.state === 'ERROR').length,
    step: lead.id,
  }
}

function infoOf(shown: RunFold, feed: RunFeed, scrub: number | null, openQuestions: number): RunInfo {
  return {
    run: shown.run,
    state: shown.state,
    status: statusOfRun(shown.state, openQuestions > 0),
    ended: TERMINAL.has(shown.state),
    going: !TERMINAL.has(feed.history.state.state),
    paused: feed.history.state.state === 'PAUSED',
    version: shown.version,
    inputs: shown.inputs,
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
