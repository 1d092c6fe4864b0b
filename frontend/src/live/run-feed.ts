/** The log of a run as it grows, shared by everyone on the page who shows that run. */

import type { RunEvent, TextPreview } from '@/api/run-types'
import { type LlmCall, RunHistory, type Step } from './fold'
import { Previews } from './previews'
import type { LiveSocket } from './socket'

/** Why a topic was refused (deleted, not ours). */
export interface FeedFailure {
  readonly code: string
  readonly message: string
}

type FeedListener = (touched: ReadonlySet<string>) => void

/** Runs `flush` with the next picture; in a hidden tab there is none, so a timer does. */
export type Schedule = (flush: () => void) => void

const nextFrame: Schedule = (flush) => {
  if (typeof document !== 'undefined' && document.hidden) setTimeout(flush, 100)
  else requestAnimationFrame(flush)
}

/** How long a log may take to come before a run is shown as far as it is known, ms; and how often, while none of it is. */
const PATIENCE_MS = 1500
const TIMES = 4

/** It listens to the socket while somebody holds it, and a moment longer. */
export class RunFeed {
  readonly history: RunHistory
  failure: FeedFailure | null = null
  /** Whether the log has come as far as the run had when it was opened: before, it tells of a moment long gone. */
  ready = true
  private goal = 0
  private readonly listeners = new Set<FeedListener>()
  private readonly previews = new Previews()
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

  /** The run had come to event `seq` when it was opened: nobody who follows it is told of anything before. */
  expect(seq: number): void {
    if (this.listeners.size > 0 || seq <= this.history.state.seq) return
    this.goal = seq
    this.ready = false
    setTimeout(() => this.giveUp(TIMES), PATIENCE_MS)
  }

  /** The log takes long: what is there of it is shown; for the first of it one waits longer. */
  private giveUp(times: number): void {
    if (this.ready) return
    if (this.history.state.seq > 0 || this.listeners.size === 0 || times === 1) this.show()
    else setTimeout(() => this.giveUp(times - 1), PATIENCE_MS)
  }

  private show(): void {
    this.ready = true
    const all = new Set(this.history.state.byNode.keys())
    for (const listener of this.listeners) listener(all)
  }

  private follow(): (() => void) | null {
    if (!this.socket) return null
    const subscriber = {
      events: (events: readonly RunEvent[]) => this.take(events),
      text: (previews: readonly TextPreview[]) => this.preview(previews),
      error: (error: FeedFailure) => {
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

  /** Text that streams ahead of what is stored; it may come before the event of its round. */
  preview(previews: readonly TextPreview[]): void {
    for (const preview of previews) {
      this.previews.take(preview)
      this.previewed.add(preview.step)
    }
    this.flushSoon()
  }

  /** The text of a round, or of a step outside of its rounds, as far as it is known now. */
  textOf(step: Step, call: LlmCall | null, channel: 'text' | 'reasoning'): string {
    const stored = call ? call[channel] : step[channel]
    if (step.endedAt !== null || (call !== null && call.to !== null)) return stored
    const text = { step: step.id, call: call?.call ?? '', attempt: call?.attempt ?? step.attempt, channel }
    return this.previews.after(text, stored)
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
    const { steps } = this.history.state
    for (const id of this.previewed) {
      const step = steps.get(id)
      if (step) touched.add(step.node)
    }
    this.previewed = new Set()
    for (const id of this.previews.held()) if (steps.get(id)?.endedAt) this.previews.forget(id)
    if (this.ready) for (const listener of this.listeners) listener(touched)
    else if (this.failure || this.history.state.seq >= this.goal) this.show()
  }
}
