import { describe, expect, it, vi } from 'vitest'
import type { RunEvent } from '@/api/run-types'
import { fc } from '@/testing/properties'
import { emptyFold, fold, RunHistory } from './fold'
import { aRun, logs } from './fold.testing'
import { following, LiveSocket, type Wire } from './socket'

/** A server with a log, and a network that can be cut, can lose frames and can say things twice. */
class Network {
  readonly log: RunEvent[] = []
  readonly sent: Record<string, unknown>[] = []
  readonly timers: { run: () => void; ms: number }[] = []
  readonly waits: number[] = []
  wires: FakeWire[] = []
  up = true
  failingFetches = 0
  /** What happens while it is asked who is signed in; the socket is refused meanwhile. */
  whileAsking: () => void = () => {}

  get wire(): FakeWire | undefined {
    return this.wires.findLast((wire) => wire.alive)
  }

  socket(): LiveSocket {
    return new LiveSocket({
      language: () => 'zh',
      open: () => {
        const wire = new FakeWire(this)
        this.wires.push(wire)
        return wire
      },
      fetchEvents: async (_run, after) => {
        if (this.failingFetches > 0) {
          this.failingFetches--
          throw new Error('network')
        }
        return this.log.filter((event) => event.seq > after).slice(0, 3)
      },
      refused: async () => this.whileAsking(),
      random: () => 1,
      setTimer: (run, ms) => {
        const timer = { run, ms }
        this.timers.push(timer)
        this.waits.push(ms)
        return timer
      },
      clearTimer: (timer) => {
        const index = this.timers.indexOf(timer as { run: () => void; ms: number })
        if (index >= 0) this.timers.splice(index, 1)
      },
    })
  }

  /** Let open wires open and due timers ring until nothing moves. */
  async flush(): Promise<void> {
    for (let round = 0; round < 200; round++) {
      await new Promise((done) => setImmediate(done))
      const opening = this.wires.find((wire) => wire.alive && !wire.opened)
      if (opening) {
        opening.opened = true
        if (this.up) opening.onopen?.()
        else opening.die()
        continue
      }
      if (!this.up && this.timers.every((timer) => timer.ms !== 1000)) return
      const timer = this.timers.shift()
      if (!timer) return
      timer.run()
    }
    throw new Error('the network never comes to rest')
  }

  tell(events: readonly RunEvent[], topic = 'run:r'): void {
    this.wire?.onmessage?.({ data: JSON.stringify({ topic, events }) })
  }

  cut(): void {
    this.wire?.die()
  }
}

class FakeWire implements Wire {
  onopen: (() => void) | null = null
  onmessage: ((message: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null
  alive = true
  opened = false
  constructor(private readonly network: Network) {}

  send(text: string): void {
    const message = JSON.parse(text) as { action: string; topic: string; after?: number }
    this.network.sent.push(message)
    if (message.action !== 'subscribe' || message.after === undefined) return
    const missed = this.network.log.filter((event) => event.seq > (message.after ?? 0))
    queueMicrotask(
      () =>
        this.alive && this.onmessage?.({ data: JSON.stringify({ topic: message.topic, events: missed }) }),
    )
  }

  close(): void {
    this.alive = false
  }

  die(code = 1006): void {
    this.alive = false
    this.onclose?.({ code })
  }
}

describe('the websocket', () => {
  it('ends in the state of the straight log, whatever the network does', async () => {
    const mishap = fc.constantFrom(
      'sent',
      'sent',
      'sent',
      'lost',
      'doubled',
      'late',
      'cut',
      'old again',
      'fetch fails',
    )
    await fc.assert(
      fc.asyncProperty(logs(), fc.array(mishap, { minLength: 1, maxLength: 40 }), async (log, mishaps) => {
        const network = new Network()
        const socket = network.socket()
        const history = new RunHistory('r', 7)
        const seen: number[] = []
        socket.subscribe('run:r', {
          events: (events) => {
            for (const event of events) seen.push(event.seq)
            history.append(events)
          },
        })
        await network.flush()
        let late: RunEvent[] = []
        for (const [index, event] of log.entries()) {
          network.log.push(event)
          const what = mishaps[index % mishaps.length]
          if (what === 'fetch fails') network.failingFetches++
          if (what === 'cut') network.cut()
          else if (what === 'late') late.push(event)
          else if (what !== 'lost') {
            network.tell([event])
            if (what === 'doubled') network.tell([event])
            if (what === 'old again') network.tell(log.slice(0, index))
            if (late.length > 0) network.tell(late)
            late = []
          }
          if (index % 5 === 0) await network.flush()
        }
        network.cut()
        await network.flush()
        expect(seen).toEqual(log.map((event) => event.seq))
        expect(history.state).toEqual(fold(emptyFold('r'), log).state)
      }),
      { numRuns: 120 },
    )
  })

  it('asks after a cut for what follows on the last event it has', async () => {
    const network = new Network()
    const log = aRun()
    network.log.push(...log.slice(0, 4))
    const socket = network.socket()
    socket.subscribe('run:r', {})
    await network.flush()
    network.cut()
    await network.flush()
    const sent = network.sent
      .filter((message) => message.action === 'subscribe')
      .map((message) => message.after)
    expect(sent).toEqual([0, 4])
  })

  it('closes a gap without a new connection, also when the first try to fetch fails', async () => {
    const network = new Network()
    const log = aRun()
    const seen: number[] = []
    network
      .socket()
      .subscribe('run:r', { events: (events) => seen.push(...events.map((event) => event.seq)) })
    await network.flush()
    network.log.push(...log.slice(0, 12))
    network.failingFetches = 2
    network.tell(log.slice(0, 2))
    network.tell(log.slice(9, 12))
    expect(seen).toEqual([1, 2])
    await network.flush()
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(network.wires.length).toBe(1)
  })

  it('tells how far it is', async () => {
    const network = new Network()
    network.log.push(...aRun().slice(0, 3))
    network.socket().subscribe('run:r', {})
    await network.flush()
    expect(network.sent.at(-1)).toEqual({ action: 'ack', topic: 'run:r', seq: 3 })
  })

  it('waits longer each time, ten seconds at most, and says that it is offline', async () => {
    const network = new Network()
    const socket = network.socket()
    const states: string[] = []
    socket.watch(() => states.push(socket.connection))
    socket.subscribe('team:t', {})
    await network.flush()
    network.up = false
    network.cut()
    for (let attempt = 0; attempt < 7; attempt++) {
      network.timers.shift()?.run()
      await network.flush()
    }
    expect(network.waits.slice(0, 7)).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000])
    network.up = true
    await network.flush()
    expect(states).toEqual(['connecting', 'online', 'offline', 'online'])
  })

  it('follows a topic once for many, and leaves it with the last', async () => {
    const network = new Network()
    const socket = network.socket()
    const messages: string[] = []
    const leaveOne = socket.subscribe('team:t', { hint: () => messages.push('one') })
    const leaveOther = socket.subscribe('team:t', { hint: () => messages.push('other') })
    await network.flush()
    messages.length = 0
    network.wire?.onmessage?.({ data: JSON.stringify({ topic: 'team:t', hint: { kind: 'run' } }) })
    leaveOne()
    network.wire?.onmessage?.({ data: JSON.stringify({ topic: 'team:t', hint: { kind: 'run' } }) })
    leaveOther()
    expect(messages).toEqual(['one', 'other', 'other'])
    expect(network.sent).toEqual([
      { action: 'subscribe', topic: 'team:t', language: 'zh' },
      { action: 'unsubscribe', topic: 'team:t' },
    ])
  })

  it('tells those who follow hints that they may have missed some', async () => {
    const network = new Network()
    const hints: unknown[] = []
    network.socket().subscribe('team:t', { hint: (hint) => hints.push(hint) })
    await network.flush()
    network.cut()
    await network.flush()
    expect(hints).toEqual([{ kind: 'connected' }, { kind: 'reconnected' }])
  })

  it('passes on that a topic is not there', async () => {
    const network = new Network()
    const errors: string[] = []
    network.socket().subscribe('run:r', { error: (error) => errors.push(error.code) })
    await network.flush()
    network.wire?.onmessage?.({
      data: JSON.stringify({ topic: 'run:r', error: { code: 'NOT_FOUND', message: '' } }),
    })
    expect(errors).toEqual(['NOT_FOUND'])
  })
})

describe('following', () => {
  it.each([4401, 4403])(
    'asks who is signed in when it is closed with %i, before it tries again',
    async (code) => {
      const network = new Network()
      const socket = network.socket()
      const requested = vi.fn()
      network.whileAsking = requested
      socket.subscribe('team:t', {})
      await network.flush()
      network.wire?.die(code)
      expect(network.wires).toHaveLength(1)
      await network.flush()
      expect(requested).toHaveBeenCalledOnce()
      expect(network.wires).toHaveLength(2)
    },
  )

  it('stays closed when nobody wants it any more after it was refused', async () => {
    const network = new Network()
    const socket = network.socket()
    const stop = socket.subscribe('team:t', {})
    await network.flush()
    network.whileAsking = stop
    network.wire?.die(4401)
    await network.flush()
    expect([network.wires.length, socket.connection]).toEqual([1, 'idle'])
  })

  it('parts what is ready from what waits for a gap to close', () => {
    const log = aRun()
    const place = (...seqs: number[]) => seqs.map((seq) => log[seq - 1] as RunEvent)
    const next = following(1, place(6, 2, 1, 3, 3, 5, 5))
    expect(next.ready.map((event) => event.seq)).toEqual([2, 3])
    expect(next.held.map((event) => event.seq)).toEqual([5, 6])
  })
})
