/**
 * The log of a run: every event in order, as many as there are, with 48 rows in the page. It follows its end while it
 * is scrolled there. A click leads to the step; the moment of an event can be looked at where the caller scrubs.
 */

import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDownToLine, Check, Copy, Crosshair, Search } from 'lucide-react'
import { memo, useDeferredValue, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { RunEvent } from '@/api/run-types'
import { useT } from '@/i18n'
import { type RunView, useRunView } from '@/live/run-store'
import { clock, cx, IconButton, Segmented, TextField, toast } from '@/ui'
import { type EventGroup, eventText, groupOf, toneOfEvent } from './event-text'
import './log.css'

export interface RunLogProps {
  readonly titleOf: (node: string) => string
  readonly selectedStep: string | null
  readonly onSelect: (event: RunEvent) => void
  /** The event the run is shown at. */
  readonly atSeq?: number | null
  /** Only the rows, without the bar of filters. */
  readonly bare?: boolean
}

type Filter = 'all' | EventGroup

const MOST_COPIED = 5000
const PAUSE_MS = 150
const texts = new WeakMap<RunEvent, string>()

/** What the search looks through, made once per event. */
function searched(event: RunEvent, title: string): string {
  const known = texts.get(event)
  if (known !== undefined) return known
  const text =
    `${event.seq} ${event.type} ${event.node ?? ''} ${title} ${JSON.stringify(event.data)}`.toLowerCase()
  texts.set(event, text)
  return text
}

/** The events that are looked for: of some kind, with some text, of the selected step. */
function useFilteredLog(
  view: RunView | null,
  selectedStep: string | null,
  titleOf: (node: string) => string,
) {
  const count = useEventCount(view)
  const [filter, setFilter] = useState<Filter>('all')
  const [typed, setTyped] = useState('')
  const [onlyStep, setOnlyStep] = useState(false)
  const query = useDeferredValue(typed.trim().toLowerCase())
  const step = onlyStep ? selectedStep : null
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list grows in place, its length tells that it did
  const shown = useMemo(() => {
    const all = view?.events ?? []
    if (filter === 'all' && query === '' && step === null) return all.slice()
    return all.filter(
      (event) =>
        (filter === 'all' || groupOf(event) === filter) &&
        (step === null || event.step === step) &&
        (query === '' || searched(event, event.node ? titleOf(event.node) : '').includes(query)),
    )
  }, [view, count, filter, query, step])
  return { shown, count, filter, setFilter, typed, setTyped, onlyStep, setOnlyStep }
}

interface LogBarProps {
  readonly log: ReturnType<typeof useFilteredLog>
  readonly selectedStep: string | null
  readonly titleOf: (node: string) => string
  readonly onEnd: () => void
}

function LogBar({ log, selectedStep, titleOf, onEnd }: LogBarProps) {
  const t = useT()
  const { shown, count, filter, setFilter, typed, setTyped, onlyStep, setOnlyStep } = log
  return (
    <div className="log-bar">
      <Segmented
        label={t('common.filter')}
        small
        value={filter}
        onChange={setFilter}
        options={[
          { value: 'all', label: t('runs.log_all') },
          { value: 'steps', label: t('runs.log_steps') },
          { value: 'tools', label: t('runs.log_tools') },
          { value: 'models', label: t('runs.log_models') },
          { value: 'run', label: t('runs.log_run') },
        ]}
      />
      <TextField
        className="log-search"
        aria-label={t('runs.log_search')}
        placeholder={t('runs.log_search')}
        inputType="search"
        value={typed}
        onChange={setTyped}
        before={<Search aria-hidden />}
      />
      <IconButton
        label={t('runs.log_selected')}
        size="small"
        aria-pressed={onlyStep}
        blocked={selectedStep === null && !onlyStep ? t('runs.step_none') : undefined}
        onClick={() => setOnlyStep(!onlyStep)}
      >
        <Crosshair />
      </IconButton>
      <span className="flex-1" />
      <span className="text-xs text-muted tabular-nums">
        {shown.length === count ? '' : t('runs.log_shown', { n: shown.length, all: count })}
      </span>
      <IconButton label={t('runs.log_end')} size="small" onClick={onEnd}>
        <ArrowDownToLine />
      </IconButton>
      <CopyLog shown={shown} titleOf={titleOf} />
    </div>
  )
}

export function RunLog({ titleOf, selectedStep, onSelect, atSeq = null, bare = false }: RunLogProps) {
  const t = useT()
  const view = useRunView()
  const log = useFilteredLog(view, selectedStep, titleOf)
  const { shown, count } = log
  const list = useRef<HTMLDivElement>(null)
  const follow = useRef(true)
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => list.current,
    estimateSize: () => 20,
    overscan: 20,
    initialRect: { width: 600, height: 300 },
  })
  const last = shown.length - 1
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows the newest row, whatever else changed
  useEffect(() => {
    const element = list.current
    // The virtualizer's own way looks at the layout again in every frame until it is content.
    if (element && follow.current && atSeq === null) element.scrollTop = element.scrollHeight
  }, [last, atSeq])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new moment scrolls
  useEffect(() => {
    if (atSeq === null) return
    const row = shown.findLastIndex((event) => event.seq <= atSeq)
    if (row >= 0) virtual.scrollToIndex(row, { align: 'auto' })
  }, [atSeq])
  const scrolled = () => {
    const element = list.current
    if (element) follow.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 24
  }
  const toEnd = () => {
    follow.current = true
    if (last >= 0) virtual.scrollToIndex(last, { align: 'end' })
  }
  return (
    <div className="log">
      {bare ? null : <LogBar log={log} selectedStep={selectedStep} titleOf={titleOf} onEnd={toEnd} />}
      <div
        ref={list}
        className="log-rows"
        role="log"
        aria-live="off"
        aria-label={t('runs.log_label')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={scrolled}
      >
        {shown.length === 0 ? (
          <p className="p-3 text-muted">{count === 0 ? '' : t('runs.log_empty')}</p>
        ) : null}
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const event = shown[item.index]
            if (!event) return null
            return (
              <LogRow
                key={event.seq}
                event={event}
                title={event.node ? titleOf(event.node) : ''}
                top={item.start}
                selected={
                  atSeq === null ? event.step !== null && event.step === selectedStep : event.seq === atSeq
                }
                later={atSeq !== null && event.seq > atSeq}
                onSelect={onSelect}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

function CopyLog({ shown, titleOf }: { shown: readonly RunEvent[]; titleOf: (node: string) => string }) {
  const t = useT()
  const [done, setDone] = useState(false)
  const copy = async () => {
    const lines = shown.slice(-MOST_COPIED).map((event) => line(event, event.node ? titleOf(event.node) : ''))
    try {
      await navigator.clipboard.writeText(lines.join('\n'))
    } catch {
      toast.error(t('common.copy_failed'))
      return
    }
    setDone(true)
    setTimeout(() => setDone(false), 1500)
  }
  return (
    <IconButton
      label={done ? t('common.copied') : t('runs.log_copy')}
      size="small"
      onClick={() => void copy()}
    >
      {done ? <Check /> : <Copy />}
    </IconButton>
  )
}

function line(event: RunEvent, title: string): string {
  return [event.seq, event.ts, event.type, title, eventText(event)].filter((part) => part !== '').join('  ')
}

interface LogRowProps {
  readonly event: RunEvent
  readonly title: string
  readonly top: number
  readonly selected: boolean
  readonly later: boolean
  readonly onSelect: (event: RunEvent) => void
}

const COLOURED = new Set(['failed', 'person', 'waiting'])

const LogRow = memo(function LogRow({ event, title, top, selected, later, onSelect }: LogRowProps) {
  const tone = toneOfEvent(event.type)
  const round = event.path.map((frame) => `[${frame.index + 1}]`).join('')
  return (
    <button
      type="button"
      tabIndex={-1}
      className={cx('log-row', selected && 'log-selected', later && 'log-later')}
      style={{ top }}
      onClick={() => onSelect(event)}
    >
      <span>{event.seq}</span>
      <span>{clock(event.ts, true)}</span>
      <span data-tone={COLOURED.has(tone) ? tone : undefined}>{event.type}</span>
      <span>
        {title ? (
          <span className="text-muted">
            {title}
            {round}{' '}
          </span>
        ) : null}
        {eventText(event)}
      </span>
    </button>
  )
})

/** How many events there are, at most about seven times a second. */
export function useEventCount(view: RunView | null): number {
  const subscribe = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | null = null
    return (listener: () => void) => {
      const leave = view?.subscribe(() => {
        timer ??= setTimeout(() => {
          timer = null
          listener()
        }, PAUSE_MS)
      })
      return () => {
        leave?.()
        if (timer !== null) clearTimeout(timer)
        timer = null
      }
    }
  }, [view])
  return useSyncExternalStore(subscribe, () => view?.events.length ?? 0)
}
