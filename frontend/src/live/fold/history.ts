/** The log of a run with a way to see its state at any event: a checkpoint every thousand events. */

import type { RunEvent } from '@/api/run-types'
import { fold } from './events'
import { emptyFold, type RunFold } from './state'

export class RunHistory {
  readonly events: RunEvent[] = []
  private readonly checkpoints: RunFold[]
  private head: RunFold

  constructor(
    run: string,
    private readonly every = 1000,
  ) {
    this.head = emptyFold(run)
    this.checkpoints = [this.head]
  }

  get state(): RunFold {
    return this.head
  }

  /** Append events that follow without a gap; gives the nodes that changed. Events already held are passed over. */
  append(events: readonly RunEvent[]): ReadonlySet<string> {
    const fresh = events.filter((event) => event.seq > this.head.seq)
    const touched = new Set<string>()
    for (let index = 0; index < fresh.length; ) {
      const room = this.every - (this.events.length % this.every)
      const batch = fresh.slice(index, index + room)
      const folded = fold(this.head, batch)
      this.head = folded.state
      for (const event of batch) this.events.push(event)
      for (const node of folded.touched) touched.add(node)
      if (this.events.length % this.every === 0) this.checkpoints.push(this.head)
      index += batch.length
    }
    return touched
  }

  /** The state after event `seq`. */
  at(seq: number): RunFold {
    if (seq >= this.head.seq) return this.head
    const count = Math.max(0, seq)
    const base = Math.floor(count / this.every)
    const checkpoint = this.checkpoints[base] as RunFold
    return fold(checkpoint, this.events.slice(base * this.every, count)).state
  }
}
