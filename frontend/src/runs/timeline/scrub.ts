/** The marks of the scrubber and the way from a place on it to an event. Pure. */

import type { RunEvent } from '@/api/run-types'
import { toneOfEvent } from '@/runs/log/event-text'
import type { TimeScale } from './time-scale'

export type Spread = 'time' | 'events'
export type Tone = ReturnType<typeof toneOfEvent>

export interface Mark {
  readonly place: number
  readonly tone: Tone
}

const BINS = 300
/** Which of two events in one place is drawn. */
const RANK: readonly Tone[] = ['idle', 'running', 'ok', 'waiting', 'person', 'failed']

/** Where event `seq` (from 1) of `events` lies. */
export function placeOf(seq: number, events: readonly RunEvent[], scale: TimeScale, spread: Spread): number {
  if (seq <= 0 || events.length === 0) return 0
  const index = Math.min(seq, events.length) - 1
  if (spread === 'events') return events.length === 1 ? 1 : index / (events.length - 1)
  return scale.at(Date.parse(events[index]?.ts ?? ''))
}

/** The last event at or before a place; at least the first. */
export function seqAt(place: number, events: readonly RunEvent[], scale: TimeScale, spread: Spread): number {
  if (events.length === 0) return 0
  if (spread === 'events') return Math.round(place * (events.length - 1)) + 1
  const time = scale.time(place) + 0.5
  let low = 0
  let high = events.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (Date.parse(events[middle]?.ts ?? '') <= time) low = middle
    else high = middle - 1
  }
  return low + 1
}

/** At most 300 marks, however long the log is; where several fall together the gravest is drawn. */
export function marksOf(events: readonly RunEvent[], scale: TimeScale, spread: Spread): Mark[] {
  const bins = new Map<number, Tone>()
  events.forEach((event, index) => {
    const bin = Math.round(placeOf(index + 1, events, scale, spread) * BINS)
    const tone = toneOfEvent(event.type)
    const there = bins.get(bin)
    if (there === undefined || RANK.indexOf(tone) > RANK.indexOf(there)) bins.set(bin, tone)
  })
  return [...bins].map(([bin, tone]) => ({ place: bin / BINS, tone }))
}
