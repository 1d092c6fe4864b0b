/** What every list of runs is put together from: its states to choose, when and how long a run ran. */
import type { Run } from '@/api/run-types'
import { TERMINAL } from '@/api/run-types'
import { useT } from '@/i18n'
import { callerName } from '@/live/caller'
import { statusOfRun } from '@/live/run-status'
import { useNow } from '@/live/run-store'
import { clock, isoDate, toneOf } from '@/ui'
import './list.css'

const STATES = ['all', 'RUNNING', 'WAITING', 'ERROR', 'SUCCESS'] as const
export type StateFilter = (typeof STATES)[number]

export function isFilter(value: string | null): value is StateFilter {
  return (STATES as readonly (string | null)[]).includes(value)
}

/** The states by which runs are chosen, in the words of the lists; `closed` = the list shows only what is chosen. */
export function useStateChoices(closed: boolean) {
  const t = useT()
  return [
    { value: 'all', label: t(closed ? 'runs.filter_all_states' : 'runs.filter_all') },
    { value: 'RUNNING', label: t('runs.filter_active') },
    { value: 'WAITING', label: t('runs.filter_person') },
    { value: 'ERROR', label: t('runs.filter_failed') },
    { value: 'SUCCESS', label: t('runs.filter_done') },
  ] as const
}

/** How long a run took or has taken, ms; null before it began. */
export function took(run: Run, now: number): number | null {
  if (!run.started_at) return null
  const end = run.finished_at ? Date.parse(run.finished_at) : now
  return Math.max(0, end - Date.parse(run.started_at))
}

export function statusOf(run: Run) {
  const waitsFor = (kind: string) => run.waiting.some((wait) => wait.kind === kind)
  return statusOfRun(run.state, waitsFor('person'), waitsFor('client'))
}

/** The clock for today, else the day too. */
export function startedAt(run: Run): string {
  const time = run.started_at ?? run.queued_at
  if (!time) return ''
  return isoDate(time) === isoDate(new Date().toISOString())
    ? clock(time)
    : `${isoDate(time)} ${clock(time).slice(0, 5)}`
}

export function useTook(run: Run): number | null {
  const now = useNow(!TERMINAL.has(run.state))
  return took(run, Math.max(now, Date.now()))
}

export function DurationBar({ run, longest, ms }: { run: Run; longest: number; ms: number }) {
  return (
    <span className="run-bar" data-tone={toneOf[statusOf(run)]} aria-hidden>
      <i style={{ width: `${Math.min(100, (ms / longest) * 100)}%` }} />
    </span>
  )
}

export const tokensOf = (run: Run): number => run.usage.input_tokens + run.usage.output_tokens

export function startedBy(run: Run): string {
  return [run.started_by ?? run.trigger, callerName(run.caller)].filter(Boolean).join(' · ')
}
