/**
 * The page's one websocket: topics, reconnecting, and a promise about order.
 *
 * A subscriber of a topic with sequence numbers (`run:<id>`) gets every event once and in order, from the place it
 * names, through lost connections, doubled frames and gaps: what is older than the last event is dropped, what does not
 * follow on it is held back until the missing part is fetched over HTTP. Topics without numbers (`team:<id>`,
 * `workflow:<id>`) carry hints; after a reconnect their subscribers get one hint `{kind: "reconnected"}`, because
 * anything may have changed meanwhile, and after the first connection `{kind: "connected"}`, because what the page read
 * at its start may be older than that. Text previews are passed on as they come and may be lost.
 *
 * Held by socket.test.ts: drops, doublings and reconnects at random end in the same state as the straight log.
 */

import type { RunEvent, TextPreview } from '@/api/run-types'
import type { components } from '@/api/schema'

type Schemas = components['schemas']

/** What the server sends: a topic, and one of the others. */
type Frame = Partial<
  Schemas['EventsFrame'] & Schemas['TextFrame'] & Schemas['HintFrame'] & Schemas['RefusalFrame']
>

/** What the socket needs of a browser's WebSocket. */
export interface Wire {
  send(text: string): void
  close(): void
  onopen: (() => void) | null
  onmessage: ((message: { data: unknown }) => void) | null
  onclose: ((event: { code: number }) => void) | null
}

export interface SocketOptions {
  open: () => Wire
  /** In which the server says what people read. */
  language: () => 'en' | 'zh'
  /** Events of a run after `after`, in order, at most a page; empty when there are none. */
  fetchEvents: (run: string, after: number) => Promise<readonly RunEvent[]>
  /**
   * The server closed the connection because its person may not have it any more: signed out, or in no team. Tried again
   * once this is through, if anybody still wants it.
   */
  refused?: () => Promise<unknown>
  random?: () => number
  setTimer?: (run: () => void, ms: number) => unknown
  clearTimer?: (timer: unknown) => void
}

export interface Subscriber {
  /** In order, each once. Only for topics with numbers. */
  events?: (events: readonly RunEvent[]) => void
  text?: (previews: readonly TextPreview[]) => void
  hint?: (hint: Readonly<Record<string, unknown>>) => void
  error?: (error: { code: string; message: string }) => void
}

/** `connecting` before the first contact, `offline` after a lost one. */
export type Connection = 'idle' | 'connecting' | 'online' | 'offline'

/** Signed out, no longer a member. */
const REFUSALS = [4401, 4403]
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000
const ACK_EVERY_MS = 1000

class Topic {
  readonly subscribers = new Set<Subscriber>()
  /** The last event given out. */
  seq: number
  /** Events that came ahead of a gap. */
  held: RunEvent[] = []
  fetching = false
  failures = 0
  acked: number
  ackTimer: unknown = null
  retryTimer: unknown = null

  constructor(
    readonly name: string,
    after: number,
  ) {
    this.seq = after
    this.acked = after
  }

  get run(): string | null {
    return this.name.startsWith('run:') ? this.name.slice(4) : null
  }
}

export class LiveSocket {
  private readonly topics = new Map<string, Topic>()
  private readonly watchers = new Set<() => void>()
  private readonly random: () => number
  private readonly setTimer: (run: () => void, ms: number) => unknown
  private readonly clearTimer: (timer: unknown) => void
  private wire: Wire | null = null
  private isOpen = false
  private failures = 0
  private retryTimer: unknown = null
  private current: Connection = 'idle'
  private wasOnline = false

  constructor(private readonly options: SocketOptions) {
    this.random = options.random ?? Math.random
    this.setTimer = options.setTimer ?? ((run, ms) => setTimeout(run, ms))
    this.clearTimer = options.clearTimer ?? ((timer) => clearTimeout(timer as number))
  }

  get connection(): Connection {
    return this.current
  }

  /** Be told when `connection` changes; gives the way to stop. */
  watch(watcher: () => void): () => void {
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }

  /**
   * Follow a topic; gives the way to stop. `after` counts for the first subscriber of a topic only: one who joins a
   * topic that is followed already gets what comes from then on (the run store keeps the history for all).
   */
  subscribe(name: string, subscriber: Subscriber, after = 0): () => void {
    let topic = this.topics.get(name)
    if (!topic) {
      topic = new Topic(name, after)
      this.topics.set(name, topic)
      if (this.isOpen) this.sendSubscribe(topic)
      else this.connect()
    }
    topic.subscribers.add(subscriber)
    return () => this.unsubscribe(topic, subscriber)
  }

  /** Drop the connection and open a new one at once: the network came back, or the page woke up. */
  reconnect(): void {
    if (this.topics.size === 0) return
    this.dropWire()
    this.failures = 0
    this.cancelRetry()
    this.connect()
  }

  /** The browser says that there is no network. */
  lost(): void {
    if (!this.wire && this.retryTimer === null) return
    this.dropWire()
    this.retryLater()
  }

  private unsubscribe(topic: Topic, subscriber: Subscriber): void {
    topic.subscribers.delete(subscriber)
    if (topic.subscribers.size > 0 || this.topics.get(topic.name) !== topic) return
    this.topics.delete(topic.name)
    this.clearTimer(topic.ackTimer)
    this.clearTimer(topic.retryTimer)
    if (this.isOpen) this.send({ action: 'unsubscribe', topic: topic.name })
  }

  private connect(): void {
    if (this.wire || this.retryTimer !== null) return
    if (this.current !== 'offline') this.become('connecting')
    const wire = this.options.open()
    this.wire = wire
    wire.onopen = () => this.opened(wire)
    wire.onmessage = (message) => {
      if (this.wire === wire) this.receive(message.data)
    }
    wire.onclose = ({ code }) => {
      if (this.wire !== wire) return
      this.dropWire()
      if (REFUSALS.includes(code)) void this.afterRefusal()
      else this.retryLater()
    }
  }

  private async afterRefusal(): Promise<void> {
    this.become('offline')
    await this.options.refused?.()
    if (!this.wire) this.retryLater()
  }

  private opened(wire: Wire): void {
    if (this.wire !== wire) return
    this.isOpen = true
    this.failures = 0
    const again = this.wasOnline
    this.wasOnline = true
    this.become('online')
    for (const topic of this.topics.values()) {
      this.sendSubscribe(topic)
      if (topic.run === null)
        this.tell(topic, (to) => to.hint?.({ kind: again ? 'reconnected' : 'connected' }))
    }
  }

  private dropWire(): void {
    const wire = this.wire
    this.wire = null
    this.isOpen = false
    if (!wire) return
    wire.onopen = wire.onmessage = wire.onclose = null
    wire.close()
  }

  private retryLater(): void {
    if (this.topics.size === 0) {
      this.become('idle')
      return
    }
    this.become('offline')
    if (this.retryTimer !== null) return
    this.retryTimer = this.setTimer(
      () => {
        this.retryTimer = null
        if (this.topics.size === 0) this.become('idle')
        else this.connect()
      },
      this.backoff(this.failures++),
    )
  }

  /** Half a second, doubling up to ten, of which the half is random. */
  private backoff(failures: number): number {
    const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures)
    return full / 2 + this.random() * (full / 2)
  }

  private cancelRetry(): void {
    if (this.retryTimer === null) return
    this.clearTimer(this.retryTimer)
    this.retryTimer = null
  }

  private become(state: Connection): void {
    if (this.current === state) return
    this.current = state
    for (const watcher of this.watchers) watcher()
  }

  private send(message: Schemas['SocketRequest']): void {
    this.wire?.send(JSON.stringify(message))
  }

  private sendSubscribe(topic: Topic): void {
    if (topic.run === null) {
      this.send({ action: 'subscribe', topic: topic.name, language: this.options.language() })
      return
    }
    topic.held = []
    this.send({
      action: 'subscribe',
      topic: topic.name,
      after: topic.seq,
      language: this.options.language(),
    })
  }

  private receive(data: unknown): void {
    if (typeof data !== 'string') return
    const frame = JSON.parse(data) as Frame
    const topic = frame.topic === undefined ? undefined : this.topics.get(frame.topic)
    if (!topic) return
    const { events, text, hint, error } = frame
    if (events) this.take(topic, events)
    if (text) this.tell(topic, (to) => to.text?.(text))
    if (hint) this.tell(topic, (to) => to.hint?.(hint))
    if (error) this.tell(topic, (to) => to.error?.(error))
  }

  private tell(topic: Topic, say: (subscriber: Subscriber) => void): void {
    for (const subscriber of topic.subscribers) say(subscriber)
  }

  /** Give out what follows on the last event; hold back what does not and fetch what is missing. */
  private take(topic: Topic, events: readonly RunEvent[]): void {
    const next = following(topic.seq, [...topic.held, ...events])
    topic.held = next.held
    if (next.ready.length > 0) {
      topic.seq += next.ready.length
      this.tell(topic, (to) => to.events?.(next.ready))
      this.ackSoon(topic)
    }
    if (topic.held.length > 0) void this.fill(topic)
  }

  private async fill(topic: Topic): Promise<void> {
    if (topic.fetching || topic.run === null) return
    topic.fetching = true
    let missing: readonly RunEvent[] = []
    try {
      missing = await this.options.fetchEvents(topic.run, topic.seq)
      topic.failures = 0
    } catch {
      topic.failures++ // whatever the reason, the way out is the same: ask again, later
    }
    topic.fetching = false
    if (this.topics.get(topic.name) !== topic) return
    if (missing.length > 0) {
      this.take(topic, missing)
      return
    }
    if (topic.held.length === 0) return
    this.clearTimer(topic.retryTimer)
    topic.retryTimer = this.setTimer(() => void this.fill(topic), this.backoff(topic.failures))
  }

  private ackSoon(topic: Topic): void {
    if (topic.ackTimer !== null) return
    topic.ackTimer = this.setTimer(() => {
      topic.ackTimer = null
      if (!this.isOpen || topic.acked === topic.seq) return
      topic.acked = topic.seq
      this.send({ action: 'ack', topic: topic.name, seq: topic.seq })
    }, ACK_EVERY_MS)
  }
}

/** Of events in any order and number: those that follow on `seq` without a gap, and those that come after one. */
export function following(seq: number, events: readonly RunEvent[]): { ready: RunEvent[]; held: RunEvent[] } {
  const ready: RunEvent[] = []
  const held: RunEvent[] = []
  const sorted = isSorted(events) ? events : [...events].sort((runEvent, other) => runEvent.seq - other.seq)
  let last = seq
  for (const event of sorted) {
    if (event.seq <= last) continue
    if (event.seq === last + 1) ready.push(event)
    else if (held.at(-1)?.seq !== event.seq) held.push(event)
    if (held.length === 0) last = event.seq
  }
  return { ready, held }
}

function isSorted(events: readonly RunEvent[]): boolean {
  return events.every((event, index) => index === 0 || (events[index - 1]?.seq ?? 0) <= event.seq)
}
