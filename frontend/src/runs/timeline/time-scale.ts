/**
 * From the time of a run to a place on the screen.
 *
 * A run may work for two seconds and wait two days for a person. Long waits of the whole run are drawn short, so that
 * the work stays readable; everything else keeps its proportion. Whoever draws writes the true length on a short wait.
 */

import type { RunFold } from '@/live/fold'

export interface Stretch {
  readonly from: number
  readonly to: number
  /** Drawn shorter than it is. */
  readonly short: boolean
  /** Where it lies, 0 to 1. */
  readonly left: number
  readonly right: number
  /** What was waited for, on a short stretch. */
  readonly waiting: string | null
}

export interface TimeScale {
  readonly from: number
  readonly to: number
  readonly stretches: readonly Stretch[]
  /** Where a time lies, 0 to 1. */
  at(time: number): number
  /** The time at a place. */
  time(place: number): number
}

const LEAST_MS = 50
const WAIT_SHARE = 0.35

/** The scale of a run from its start to its end, or to `now` while it goes on. */
export function timeScale(
  run: Pick<RunFold, 'queuedAt' | 'startedAt' | 'endedAt' | 'lastAt' | 'waits'>,
  now: number,
): TimeScale {
  const from = run.startedAt ?? run.queuedAt ?? now
  const to = Math.max(run.endedAt ?? Math.max(now, run.lastAt ?? now), from + 1)
  const waits = run.waits
    .map((wait) => ({ from: wait.from, to: wait.to ?? to, kind: wait.waiting[0]?.kind ?? 'person' }))
    .filter((wait) => wait.to > wait.from)
  const waited = waits.reduce((sum, wait) => sum + wait.to - wait.from, 0)
  const worked = Math.max(to - from - waited, LEAST_MS)
  const most = (worked * WAIT_SHARE) / Math.sqrt(Math.max(1, waits.length))
  const pieces: { from: number; to: number; drawn: number; waiting: string | null }[] = []
  let last = from
  for (const wait of waits) {
    if (wait.to - wait.from <= 2 * most || wait.from < last) continue
    if (wait.from > last) pieces.push({ from: last, to: wait.from, drawn: wait.from - last, waiting: null })
    pieces.push({ from: wait.from, to: wait.to, drawn: most, waiting: wait.kind })
    last = wait.to
  }
  if (to > last) pieces.push({ from: last, to, drawn: to - last, waiting: null })
  const whole = pieces.reduce((sum, piece) => sum + piece.drawn, 0) || 1
  let left = 0
  const stretches = pieces.map((piece): Stretch => {
    const right = Math.min(1, left + piece.drawn / whole)
    const stretch = { ...piece, left, right, short: piece.waiting !== null }
    left = right
    return stretch
  })
  return {
    from,
    to,
    stretches,
    at: (time) => placeOf(stretches, time),
    time: (place) => timeAt(stretches, place),
  }
}

function placeOf(stretches: readonly Stretch[], time: number): number {
  for (const stretch of stretches) {
    if (time > stretch.to) continue
    const share = Math.max(0, time - stretch.from) / (stretch.to - stretch.from)
    return stretch.left + share * (stretch.right - stretch.left)
  }
  return 1
}

function timeAt(stretches: readonly Stretch[], place: number): number {
  for (const stretch of stretches) {
    if (place > stretch.right) continue
    const share = Math.max(0, place - stretch.left) / (stretch.right - stretch.left)
    return stretch.from + share * (stretch.to - stretch.from)
  }
  return stretches.at(-1)?.to ?? 0
}

const NICE = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400, 604_800].map(
    (s) => s * 1000,
  ),
)

export interface Tick {
  readonly place: number
  /** Since the start, ms. */
  readonly elapsed: number
}

/** About `count` round times since the start, none inside a short stretch. */
export function ticks(scale: TimeScale, count: number): Tick[] {
  const drawn = scale.stretches.reduce(
    (sum, stretch) => sum + (stretch.short ? 0 : stretch.to - stretch.from),
    0,
  )
  const step = NICE.find((nice) => drawn / nice <= count) ?? (NICE.at(-1) as number)
  const matches: Tick[] = []
  for (const stretch of scale.stretches) {
    if (stretch.short) continue
    const first = Math.ceil((stretch.from - scale.from) / step) * step
    for (let elapsed = first; scale.from + elapsed <= stretch.to; elapsed += step) {
      const place = scale.at(scale.from + elapsed)
      if (matches.length === 0 || place - (matches.at(-1)?.place ?? 0) > 0.5 / count)
        matches.push({ place, elapsed })
    }
  }
  return matches
}

/** At most the width of a character of the axis, px. */
const DIGIT = 7

/** Between two labels, px. */
const GAP = 6

/** The marks whose labels, which begin at their places, end before `end`, px, and do not lie on the one before them. */
export function legible<Mark extends { readonly place: number; readonly label: string }>(
  end: number,
  marks: readonly Mark[],
): Mark[] {
  let free = 0
  return marks.filter((mark) => {
    const from = mark.place * end
    const to = from + mark.label.length * DIGIT
    if (from < free || to > end) return false
    free = to + GAP
    return true
  })
}
