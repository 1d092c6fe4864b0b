/** Go through the moments of a run: by time, with long waits shortened and their true length written on them, or by event. */

import { Pause, Play, SkipBack, SkipForward } from 'lucide-react'
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { RunEvent } from '@/api/run-types'
import { useT } from '@/i18n'
import { useRunInfo, useRunView } from '@/live/run-store'
import { useNodeTitles, useSlowFold } from '@/runs/hooks'
import { toneOfEvent } from '@/runs/log/event-text'
import { clock, duration, IconButton, number, Segmented, useActions } from '@/ui'
import { useMedia, usePhone } from '@/ui/media'
import { marksOf, placeOf, type Spread, seqAt } from './scrub'
import { type TimeScale, ticks, timeScale } from './time-scale'
import './timeline.css'

const PLAY_MS = 12_000

interface PlayingOptions {
  readonly view: ReturnType<typeof useRunView>
  readonly seq: number
  readonly count: number
  readonly events: readonly RunEvent[]
  readonly scale: TimeScale
  readonly spread: Spread
}

/** Goes through the moments by itself, from where the hand is, or from the beginning when it is at the end. */
function usePlaying(
  playing: boolean,
  setPlaying: (playing: boolean) => void,
  { view, seq, count, events, scale, spread }: PlayingOptions,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: playing runs on its own clock until it is stopped or ends
  useEffect(() => {
    if (!playing || !view) return
    const begun = performance.now()
    const from = seq >= count ? 0 : placeOf(seq, events, scale, spread)
    let frame = requestAnimationFrame(function next(now) {
      const place = from + (now - begun) / PLAY_MS
      view.scrubTo(seqAt(Math.min(1, place), events, scale, spread))
      if (place >= 1) setPlaying(false)
      else frame = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(frame)
  }, [playing, view, spread])
}

/** The event that is looked at, where and when it was. */
function EventNote({ event, begun }: { event: RunEvent | undefined; begun: number }) {
  const titleOf = useNodeTitles()
  if (!event) return <span className="flex-1" />
  return (
    <>
      <span className="font-mono text-sm phone:hidden" data-tone={toneOfEvent(event.type)}>
        {event.type}
      </span>
      <span className="text-sm text-muted truncate">{event.node ? titleOf(event.node) : ''}</span>
      <span className="flex-1" />
      <span className="text-xs text-muted tabular-nums phone:hidden">
        {clock(event.ts, true)} · +{duration(Math.max(0, Date.parse(event.ts) - begun))}
      </span>
    </>
  )
}

/** The axis below the line: times, or the numbers of events. */
function Times({ spread, scale, count }: { spread: Spread; scale: TimeScale; count: number }) {
  const small = usePhone()
  return (
    <div className="scrub-times" aria-hidden>
      {spread === 'time' ? (
        <>
          <span style={{ left: 0 }}>{clock(new Date(scale.from).toISOString())}</span>
          {ticks(scale, small ? 3 : 5)
            .filter((tick) => tick.place > 0.1 && tick.place < (small ? 0.65 : 0.88))
            .map((tick) => (
              <span key={tick.elapsed} style={{ left: `${tick.place * 100}%` }}>
                +{duration(tick.elapsed)}
              </span>
            ))}
          <span style={{ left: '100%' }}>{clock(new Date(scale.to).toISOString())}</span>
        </>
      ) : (
        <>
          <span style={{ left: 0 }}>1</span>
          <span style={{ left: '100%' }}>{count}</span>
        </>
      )}
    </div>
  )
}

interface ScrubLineProps {
  readonly seq: number
  readonly count: number
  readonly event: RunEvent | undefined
  /** Where the hand stands, 0 to 1. */
  readonly hand: number
  readonly marks: ReturnType<typeof marksOf>
  /** Waits that are drawn shorter than they were. */
  readonly waits: TimeScale['stretches']
  readonly onPlace: (place: number) => void
  readonly onSeq: (seq: number) => void
}

/** The line: marks of events, shortened waits, the hand, and the range that the keyboard moves. */
function ScrubLine({ seq, count, event, hand, marks, waits, onPlace, onSeq }: ScrubLineProps) {
  const t = useT()
  const titleOf = useNodeTitles()
  const area = useRef<HTMLDivElement>(null)
  const pointed = (moved: PointerEvent<HTMLDivElement>) => {
    const box = area.current?.getBoundingClientRect()
    if (box) onPlace(Math.min(1, Math.max(0, (moved.clientX - box.left) / Math.max(1, box.width))))
  }
  return (
    <div
      className="scrub-line"
      onPointerDown={(down) => {
        down.currentTarget.setPointerCapture(down.pointerId)
        down.currentTarget.querySelector('input')?.focus({ preventScroll: true })
        down.preventDefault()
        pointed(down)
      }}
      onPointerMove={(moved) => {
        if (moved.buttons === 1 && moved.currentTarget.hasPointerCapture(moved.pointerId)) pointed(moved)
      }}
    >
      <input
        type="range"
        min={1}
        max={count}
        value={seq}
        aria-label={t('runs.scrub')}
        aria-valuetext={`${t('runs.event_of_all', { seq, all: count })} ${event?.type ?? ''} ${event?.node ? titleOf(event.node) : ''}`}
        onChange={(changed) => onSeq(Number(changed.target.value))}
      />
      <div ref={area} className="scrub-area">
        {waits.map((wait) => (
          <span
            key={wait.from}
            className="scrub-wait"
            data-tone={wait.waiting === 'person' ? 'person' : 'waiting'}
            style={{ left: `${wait.left * 100}%`, width: `${(wait.right - wait.left) * 100}%` }}
          >
            {t(WAITED[wait.waiting ?? 'person'] ?? 'runs.waited_person', {
              time: duration(wait.to - wait.from),
            })}
          </span>
        ))}
        {marks.map((mark) => (
          <i key={mark.place} data-tone={mark.tone} style={{ left: `${mark.place * 100}%` }} />
        ))}
        <span className="scrub-hand" style={{ left: `${hand * 100}%` }} />
      </div>
    </div>
  )
}

export function Scrubber() {
  const t = useT()
  const view = useRunView()
  const info = useRunInfo()
  const live = useSlowFold()
  const [spread, setSpread] = useState<Spread>('time')
  const [playing, setPlaying] = useState(false)
  const count = info?.lastSeq ?? 0
  const whole = view?.feed.history.state
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log grows in place, its length tells that it did
  const { events, scale, marks } = useMemo(() => {
    const all = view?.events ?? []
    const result = timeScale(
      whole ?? { queuedAt: null, startedAt: null, endedAt: null, lastAt: null, waits: [] },
      whole?.lastAt ?? 0,
    )
    return { events: all, scale: result, marks: marksOf(all, result, spread) }
  }, [view, count, spread, live?.run])
  const seq = info?.scrub ?? count
  const to = (position: number) =>
    view?.scrubTo(position >= count && whole?.endedAt == null ? null : position)
  const stopAt = (position: number) => {
    setPlaying(false)
    to(position)
  }
  const step = (by: number) => stopAt(Math.min(Math.max(seq + by, 1), count))
  useActions([
    {
      id: 'runs.previous-event',
      title: t('runs.scrub_previous'),
      group: t('runs.title'),
      keys: ',',
      run: () => step(-1),
    },
    {
      id: 'runs.next-event',
      title: t('runs.scrub_next'),
      group: t('runs.title'),
      keys: ';',
      run: () => step(1),
    },
  ])
  usePlaying(playing, setPlaying, { view, seq, count, events, scale, spread })
  const tiny = useMedia('(max-width: 360px)')
  if (!view || !info || count === 0) return null
  const event = events[Math.min(seq, events.length) - 1]
  return (
    <section className="scrubber" aria-label={t('runs.scrub')}>
      <div className="flex items-center gap-2 h-8 whitespace-nowrap min-w-0 phone:h-auto phone:flex-wrap phone:gap-1">
        <IconButton label={t('runs.scrub_first')} size="small" onClick={() => to(1)}>
          <SkipBack />
        </IconButton>
        <IconButton
          label={t(playing ? 'runs.scrub_stop' : 'runs.scrub_play')}
          size="small"
          onClick={() => setPlaying(!playing)}
        >
          {playing ? <Pause /> : <Play />}
        </IconButton>
        <IconButton label={t('runs.scrub_last')} size="small" onClick={() => view.scrubTo(null)}>
          <SkipForward />
        </IconButton>
        <span className="text-sm tabular-nums font-medium">
          {tiny ? `${number(seq)} / ${number(count)}` : t('runs.event_of_all', { seq, all: count })}
        </span>
        <EventNote event={event} begun={scale.from} />
        <Segmented
          label={t('runs.scrub_mode')}
          small
          value={spread}
          onChange={setSpread}
          options={[
            { value: 'time', label: t('runs.scrub_time') },
            { value: 'events', label: t('runs.scrub_events') },
          ]}
        />
      </div>
      <ScrubLine
        seq={seq}
        count={count}
        event={event}
        hand={placeOf(seq, events, scale, spread)}
        marks={marks}
        waits={spread === 'time' ? scale.stretches.filter((stretch) => stretch.short) : []}
        onPlace={(place) => stopAt(seqAt(place, events, scale, spread))}
        onSeq={stopAt}
      />
      <Times spread={spread} scale={scale} count={count} />
    </section>
  )
}

const WAITED: Readonly<
  Record<
    string,
    | 'runs.waited_person'
    | 'runs.waited_client'
    | 'runs.waited_timer'
    | 'runs.waited_child'
    | 'runs.waited_pause'
  >
> = {
  person: 'runs.waited_person',
  client: 'runs.waited_client',
  timer: 'runs.waited_timer',
  child: 'runs.waited_child',
  pause: 'runs.waited_pause',
}
