/**
 * The steps of a run over time. Bars by state, waiting hatched and, where it is long, shortened with its true length
 * written on it; retries and calls below their step. One stop for the Tab key: arrows move, left and right fold.
 */

import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react'
import { TERMINAL } from '@/api/run-types'
import { type Translate, useT } from '@/i18n'
import type { RunFold } from '@/live/fold'
import type { RunStatus } from '@/live/run-status'
import { useNow } from '@/live/run-store'
import { roundName } from '@/runs/conversation/round-name'
import { useWidth } from '@/runs/hooks'
import { compact, cost, cx, duration, inSeconds, number, StatusIcon, toneOf, useStatusWord } from '@/ui'
import { usePhone } from '@/ui/media'
import { legible, type TimeScale, ticks, timeScale } from './time-scale'
import { type Bar, type Row, rowsOf, spans, timeOf } from './waterfall'
import './timeline.css'

export interface WaterfallProps {
  readonly fold: RunFold
  /** The newest state, where an earlier moment is shown: the axis stays that of the whole run. */
  readonly whole?: RunFold | null
  readonly titleOf: (node: string) => string
  /** The selected step or row. */
  readonly selected: string | null
  readonly onSelect: (row: Row) => void
}

/** Widths, px: from which on prices have a column; the columns beside the track; what a mark needs. */
const PRICED = 440
const NAMES = 176
const NUMBERS = 116
const PRICES = 56
const ROOM_FOR_MARK = 48
/** Columns on a phone: the name and the time. */
const SMALL_COLUMNS = 168 + 60
/** What the axis leaves free at its end. */
const AXIS_END = 8

/** Arrows go through the rows, left and right fold and unfold the one at `at`. */
function treeKeys(
  rows: readonly Row[],
  position: number,
  onSelect: (row: Row) => void,
  onFold: (row: Row, close: boolean) => void,
) {
  return (event: KeyboardEvent) => {
    const row = rows[position]
    const to = (index: number) => rows[Math.min(Math.max(index, 0), rows.length - 1)]
    const target =
      event.key === 'ArrowDown'
        ? to(position + 1)
        : event.key === 'ArrowUp'
          ? to(position < 0 ? 0 : position - 1)
          : event.key === 'Home'
            ? to(0)
            : event.key === 'End'
              ? to(rows.length - 1)
              : undefined
    if (target) onSelect(target)
    else if (row && event.key === 'ArrowLeft' && row.children > 0) onFold(row, true)
    else if (row && event.key === 'ArrowRight' && row.children > 0) onFold(row, false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
}

interface AxisProps {
  readonly marks: ReturnType<typeof ticks>
  readonly scale: TimeScale
  /** The width of the bars' column, px. */
  readonly track: number
  readonly priced: boolean
  readonly measured: boolean
}

function Axis({ marks, scale, track, priced, measured }: AxisProps) {
  const t = useT()
  const labelled = marks.map((mark) => ({ ...mark, label: axisLabel(mark.elapsed, scale.to - scale.from) }))
  return (
    <div className="wf-axis" aria-hidden>
      <span className="wf-name">{t('runs.col_step')}</span>
      <div className="wf-track">
        {(measured ? legible(track, labelled) : labelled).map((mark) => (
          <span key={mark.elapsed} style={{ left: `${mark.place * 100}%` }}>
            {mark.label}
          </span>
        ))}
      </div>
      <span className="wf-number">{t('runs.col_time')}</span>
      <span className="wf-number phone:hidden">{t('runs.col_tokens')}</span>
      {priced ? <span className="wf-number">{t('runs.col_cost')}</span> : null}
    </div>
  )
}

export function Waterfall({ fold, whole = null, titleOf, selected, onSelect }: WaterfallProps) {
  const t = useT()
  const small = usePhone()
  const going = whole === null && !TERMINAL.has(fold.state) && fold.startedAt !== null
  const clock = useNow(going)
  const now = whole === null ? Math.max(clock, fold.lastAt ?? 0) : (fold.lastAt ?? 0)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const foldRow = (row: Row, close: boolean) => {
    const next = new Set(folded)
    if (close) next.add(row.id)
    else next.delete(row.id)
    setFolded(next)
  }
  const rows = useMemo(() => rowsOf(fold, folded), [fold, folded])
  const scale = timeScale(whole ?? fold, whole?.lastAt ?? now)
  const [box, width] = useWidth<HTMLDivElement>()
  const priced = width >= PRICED && fold.usage.cost > 0
  const track = Math.max(
    0,
    width - (small ? SMALL_COLUMNS : NAMES + NUMBERS + (priced ? PRICES : 0)) - AXIS_END,
  )
  const marks = ticks(scale, width === 0 ? 4 : Math.min(6, Math.max(2, Math.floor(track / ROOM_FOR_MARK))))
  const list = useRef<HTMLDivElement>(null)
  const height = small ? 32 : 24
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current,
    estimateSize: () => height,
    overscan: 10,
    initialRect: { width: 400, height: 400 },
  })
  const index = rows.findIndex((row) => row.id === selected)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new choice scrolls, not every new row
  useEffect(() => {
    if (index >= 0) virtual.scrollToIndex(index, { align: 'auto' })
  }, [selected])

  return (
    <div ref={box} className="wf" data-priced={priced || undefined}>
      <Axis marks={marks} scale={scale} track={track} priced={priced} measured={width > 0} />
      <div
        ref={list}
        className="wf-rows"
        role="tree"
        aria-label={t('runs.waterfall_label')}
        aria-activedescendant={index >= 0 ? `wf-${selected}` : undefined}
        tabIndex={0}
        onKeyDown={treeKeys(rows, index, onSelect, foldRow)}
      >
        <div className="relative" role="presentation" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index]
            if (!row) return null
            return (
              <OneRow
                key={row.id}
                row={row}
                name={nameOf(row, titleOf, t)}
                priced={priced}
                scale={scale}
                now={row.to === null ? now : (row.to ?? now)}
                marks={marks.map((mark) => mark.place).join()}
                top={item.start}
                height={height}
                selected={row.id === selected}
                folded={folded.has(row.id)}
                onSelect={onSelect}
                onFold={foldRow}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

function nameOf(row: Row, titleOf: (node: string) => string, t: Translate): string {
  const name = row.label ?? titleOf(row.node)
  if (row.kind === 'llm') return roundName(row.call ?? '', t)
  return row.round === null ? name : `${row.round} · ${name}`
}

/** The first mark carries the unit, the others only their number, as long as they have the same. */
function axisLabel(elapsed: number, whole: number): string {
  const wholeSeconds = whole >= 1000
  if (elapsed === 0) return wholeSeconds ? inSeconds(0) : duration(0)
  if (elapsed >= 60_000) return duration(elapsed)
  return wholeSeconds ? `${elapsed / 1000}` : `${elapsed}`
}

/** The share of the track that a written time needs. */
const ROOM_FOR_TIME = 0.32

interface OneRowProps {
  readonly row: Row
  readonly name: string
  readonly priced: boolean
  readonly scale: TimeScale
  readonly now: number
  readonly marks: string
  readonly top: number
  readonly height: number
  readonly selected: boolean
  readonly folded: boolean
  readonly onSelect: (row: Row) => void
  readonly onFold: (row: Row, close: boolean) => void
}

const OneRow = memo(function OneRow({
  row,
  name,
  priced,
  scale,
  now,
  marks,
  top,
  height,
  selected,
  folded,
  onSelect,
  onFold,
}: OneRowProps) {
  const t = useT()
  const word = useStatusWord()
  const { worked, waited } = spans(row, now)
  const time = row.status === 'skipped' ? '' : duration(timeOf(row, now))
  const attempts = row.attempt > 1 && row.kind !== 'llm' ? t('runs.row_attempt', { n: row.attempt }) : ''
  const details = [
    word(row.status),
    row.kind === 'llm' ? row.label : '',
    worked > 0 ? t('runs.row_worked', { time: duration(worked) }) : '',
    waited > 0 ? t('runs.row_waited', { time: duration(waited) }) : '',
    attempts,
    row.tokens === null ? '' : t('runs.tokens', { n: row.tokens }),
    row.cost === null ? '' : cost(row.cost),
  ]
    .filter(Boolean)
    .join(' · ')
  const tip = `${name} · ${details}`
  const Chevron = folded ? ChevronRight : ChevronDown
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names this row as active
    <div
      id={`wf-${row.id}`}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={selected}
      aria-expanded={row.children > 0 ? !folded : undefined}
      data-tip={tip}
      className={cx('wf-row', selected && 'wf-selected')}
      style={{ top, height }}
      onClick={() => onSelect(row)}
    >
      <div className="wf-name" style={{ paddingLeft: 12 + row.depth * 16 }}>
        {row.children > 0 ? (
          <button
            type="button"
            className="wf-fold"
            tabIndex={-1}
            aria-hidden
            onClick={(event) => {
              event.stopPropagation()
              onFold(row, !folded)
            }}
          >
            <Chevron />
          </button>
        ) : null}
        <StatusIcon status={row.status} />
        <span className="truncate">{name}</span>
        <span className="sr-only">{details}</span>
        {row.attempt > 1 && row.kind === 'step' ? (
          <span className="wf-attempt" aria-hidden>
            ×{row.attempt}
          </span>
        ) : null}
      </div>
      <div className="wf-track" aria-hidden>
        {marks.split(',').map((place) => (
          <i key={place} style={{ left: `${Number(place) * 100}%` }} />
        ))}
        {row.copied ? (
          <span className="wf-copied">{t('rerun.taken_over')}</span>
        ) : (
          row.bars.map((bar) => (
            <BarView
              key={`${bar.from}-${bar.waiting}`}
              bar={bar}
              scale={scale}
              now={now}
              status={row.status}
            />
          ))
        )}
      </div>
      <span className="wf-number" aria-hidden data-tone={row.status === 'person' ? 'person' : undefined}>
        {time}
      </span>
      <span
        className="wf-number phone:hidden"
        aria-hidden
        data-tip={row.tokens === null ? undefined : number(row.tokens)}
      >
        {row.tokens === null ? '' : row.tokens > 99_999 ? compact(row.tokens) : number(row.tokens)}
      </span>
      {priced ? (
        <span className="wf-number" aria-hidden>
          {row.cost === null ? '' : cost(row.cost)}
        </span>
      ) : null}
    </div>
  )
})

function BarView({
  bar,
  scale,
  now,
  status,
}: {
  bar: Bar
  scale: TimeScale
  now: number
  status: RunStatus
}) {
  const to = bar.to ?? now
  const left = scale.at(bar.from)
  const right = Math.max(scale.at(to), left)
  const shortened =
    bar.waiting &&
    scale.stretches.some((stretch) => stretch.short && stretch.from < to && stretch.to > bar.from)
  return (
    <b
      className={bar.waiting ? 'wf-waiting' : undefined}
      data-tone={toneOf[bar.waiting && status === 'person' && bar.to === null ? 'person' : bar.status]}
      style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}
    >
      {shortened && right - left > ROOM_FOR_TIME ? <em>{duration(to - bar.from)}</em> : null}
    </b>
  )
}
