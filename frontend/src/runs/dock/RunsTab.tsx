/** The runs of the workflow that is open, newest first and live: choosing one shows it on the canvas. */
import { ArrowUpRight } from 'lucide-react'
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import type { Run } from '@/api/run-types'
import { flatten, useRuns } from '@/api/runs'
import { useT } from '@/i18n'
import { useRunInfo } from '@/live/run-store'
import { RunListBody } from '@/runs/list/RunListBody'
import {
  DurationBar,
  type StateFilter,
  startedAt,
  startedBy,
  statusOf,
  took,
  useStateChoices,
  useTook,
} from '@/runs/list/run-parts'
import { Chip, duration, Segmented, Select, StatusWord } from '@/ui'
import { usePhone } from '@/ui/media'

export interface RunsTabProps {
  readonly workflow: string
  readonly onOpen: (run: Run) => void
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Arrow keys go from one row to the next, Home and End to the first and the last. */
function moveFocus(list: HTMLElement, key: string): boolean {
  const rows = [...list.querySelectorAll<HTMLElement>('.past-run')]
  const current = rows.indexOf(document.activeElement as HTMLElement)
  const next = key === 'Home' ? 0 : key === 'End' ? rows.length - 1 : current + (STEPS[key] ?? 0)
  if (current < 0 || next === current) return false
  rows[Math.max(0, Math.min(rows.length - 1, next))]?.focus()
  return true
}

export function RunsTab({ workflow, onOpen }: RunsTabProps) {
  const t = useT()
  const phone = usePhone()
  const shown = useRunInfo()?.run
  const states = useStateChoices(phone)
  const [state, setState] = useState<StateFilter>('all')
  const list = useRef<HTMLUListElement>(null)
  const query = useRuns({ workflow, ...(state === 'all' ? {} : { state }) })
  const runs = flatten(query.data)
  const longest = Math.max(1, ...runs.map((run) => took(run, Date.now()) ?? 0))
  const choice = { value: state, onChange: setState, options: states }
  return (
    <div className="past-runs">
      <div className="dock-head">
        {phone ? (
          <Select aria-label={t('runs.filter_label')} className="min-w-0 flex-1" {...choice} />
        ) : (
          <Segmented label={t('runs.filter_label')} {...choice} />
        )}
        <span className="flex-1 phone:hidden" />
        {runs.length > 0 ? (
          <span className="text-xs text-muted tabular-nums" role="status">
            {t(query.hasNextPage ? 'runs.shown_more' : 'runs.shown', { n: runs.length })}
          </span>
        ) : null}
      </div>
      <RunListBody
        query={query}
        skeleton={{ rows: 6, row: 36 }}
        empty={
          <div className="grid gap-1 p-4">
            <p className="font-medium">{t(state === 'all' ? 'runs.no_run' : 'runs.empty_filter')}</p>
            {state === 'all' ? <p className="text-muted">{t('runs.no_run_hint')}</p> : null}
          </div>
        }
      >
        {(runs) => (
          <ul
            ref={list}
            aria-label={t('runs.of_workflow')}
            onKeyDown={(event) => {
              if (list.current && moveFocus(list.current, event.key)) event.preventDefault()
            }}
          >
            {runs.map((run) => (
              <PastRun
                key={run.id}
                run={run}
                longest={longest}
                shown={run.id === shown}
                onOpen={() => onOpen(run)}
              />
            ))}
          </ul>
        )}
      </RunListBody>
    </div>
  )
}

interface PastRunProps {
  readonly run: Run
  readonly longest: number
  readonly shown: boolean
  readonly onOpen: () => void
}

function PastRun({ run, longest, shown, onOpen }: PastRunProps) {
  const t = useT()
  const ms = useTook(run)
  return (
    <li className="past-run-row" data-shown={shown}>
      <button type="button" className="past-run" aria-current={shown} onClick={onOpen}>
        <span className="past-run-state">
          <StatusWord status={statusOf(run)} />
        </span>
        <span className="past-run-when tabular-nums">{startedAt(run)}</span>
        <span className="past-run-about">
          <Chip>{run.version === null ? t('runs.draft') : t('runs.version', { n: run.version })}</Chip>
          <span className="truncate text-muted">{startedBy(run)}</span>
          {run.error ? <span className="truncate font-mono text-xs text-muted">{run.error.code}</span> : null}
        </span>
        <span className="past-run-took">
          {ms === null ? null : (
            <>
              <DurationBar run={run} longest={longest} ms={ms} />
              <span className="w-16 flex-none text-right text-xs text-muted tabular-nums">
                {duration(ms)}
              </span>
            </>
          )}
        </span>
      </button>
      <Link
        href={`/runs/${run.id}`}
        className="btn btn-quiet btn-icon btn-small"
        aria-label={t('runs.open_page')}
        data-tip={t('runs.open_page')}
      >
        <ArrowUpRight aria-hidden />
      </Link>
    </li>
  )
}
