/** All runs of the team or those that one run started, newest first, live; on a phone a list for the thumb. */

import { ChartColumn, ListChecks, Zap } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { useMay } from '@/api/queries'
import type { Run, RunState } from '@/api/run-types'
import { flatten, useRuns } from '@/api/runs'
import { useT } from '@/i18n'
import {
  Button,
  Chip,
  compact,
  cx,
  dateTime,
  duration,
  EmptyState,
  IconButton,
  PageBar,
  Segmented,
  Select,
  StatusWord,
  visible,
} from '@/ui'
import { useNarrow, usePhone } from '@/ui/media'
import { CallerChoice } from './list/CallerChoice'
import { type Choosing, ChoosingBar, mayGo, RunCheck } from './list/DeleteRuns'
import { RunListBody } from './list/RunListBody'
import {
  DurationBar,
  isFilter,
  type StateFilter,
  startedAt,
  startedBy,
  statusOf,
  tokensOf,
  took,
  useStateChoices,
  useTook,
} from './list/run-parts'
import { WorkflowChoice } from './list/WorkflowChoice'
import { RestoredStrip } from './restored/notes'
import { RestoredHost } from './restored/RestoredHost'
import { QueueNote, QueueStrip } from './start/QueueNote'
import './list/list.css'

/** What the address asks for: runs in one state, of one workflow, of one program, below one run. */
function useRunFilters() {
  const search = new URLSearchParams(useSearch())
  const [, navigate] = useLocation()
  const requested = search.get('state')
  const state: StateFilter = isFilter(requested) ? requested : 'all'
  const workflow = search.get('workflow') ?? ''
  const caller = search.get('caller') ?? ''
  const parent = search.get('parent') ?? ''
  const filter = (next: { state?: StateFilter; workflow?: string; caller?: string }) => {
    const params = new URLSearchParams()
    const filters = { state, workflow, caller, ...next }
    if (filters.state !== 'all') params.set('state', filters.state)
    if (filters.workflow) params.set('workflow', filters.workflow)
    if (filters.caller) params.set('caller', filters.caller)
    if (parent) params.set('parent', parent)
    const text = params.toString()
    navigate(text ? `/runs?${text}` : '/runs', { replace: true })
  }
  return { state, workflow, caller, parent, filter }
}

type Filters = ReturnType<typeof useRunFilters>

function RunFilters({ filters }: { readonly filters: Filters }) {
  const t = useT()
  const small = usePhone()
  const { state, workflow, caller, parent, filter } = filters
  const states = useStateChoices(small)
  return (
    <>
      {small ? (
        <Select
          aria-label={t('runs.filter_label')}
          className="min-w-0 flex-1 basis-2/5"
          value={state}
          onChange={(next) => filter({ state: next })}
          options={states}
        />
      ) : (
        <Segmented
          label={t('runs.filter_label')}
          value={state}
          onChange={(next) => filter({ state: next })}
          options={states}
        />
      )}
      <WorkflowChoice value={workflow} onChange={(next) => filter({ workflow: next })} />
      {parent ? null : <CallerChoice value={caller} onChange={(next) => filter({ caller: next })} />}
    </>
  )
}

/** No run is listed: there is none, or none that fits. */
function NoRuns({ filters: { state, workflow, caller, parent } }: { readonly filters: Filters }) {
  const t = useT()
  const [, navigate] = useLocation()
  const all = state === 'all' && !workflow && !caller
  return all && !parent ? (
    <EmptyState
      title={t('runs.empty')}
      text={t('runs.empty_text')}
      actions={
        <Button variant="primary" onClick={() => navigate('/workflows')}>
          {t('runs.open_workflows')}
        </Button>
      }
    />
  ) : (
    <EmptyState title={t(parent && all ? 'runs.below_none' : 'runs.empty_filter')} />
  )
}

/** Which runs are chosen to be deleted; null while nobody chooses. */
function useChosenRuns() {
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  const choosing: Choosing | null = chosen && {
    chosen,
    toggle: (run) => {
      const next = new Set(chosen)
      if (!next.delete(run)) next.add(run)
      setChosen(next)
    },
  }
  return { chosen, setChosen, choosing }
}

export default function RunsPage() {
  const t = useT()
  const small = usePhone()
  const narrow = useNarrow()
  const filters = useRunFilters()
  const { state, workflow, caller, parent } = filters
  const [, navigate] = useLocation()
  const query = useRuns({
    ...(state === 'all' ? {} : { state: state as RunState }),
    ...(workflow ? { workflow } : {}),
    ...(caller ? { caller } : {}),
    ...(parent ? { parent } : {}),
  })
  const runs = flatten(query.data)
  const longest = Math.max(1, ...runs.map((run) => took(run, Date.now()) ?? 0))
  const mayDelete = useMay('editor') && !parent // they go with the run that started them
  const { chosen, setChosen, choosing } = useChosenRuns()
  return (
    <>
      <PageBar
        title={t(parent ? 'runs.below' : 'runs.title')}
        crumbs={
          parent
            ? [
                { label: t('runs.title'), href: '/runs' },
                { label: t('runs.run_above'), href: `/runs/${parent}` },
              ]
            : []
        }
      >
        {runs.length > 0 && !small ? (
          <span className="text-xs text-muted tabular-nums">
            {t(query.hasNextPage ? 'runs.shown_more' : 'runs.shown', { n: runs.length })}
          </span>
        ) : null}
        {small || parent ? null : <QueueNote />}
        {mayDelete && runs.length > 0 ? (
          <IconButton
            label={t('runs.choose_runs')}
            aria-pressed={chosen !== null}
            onClick={() => setChosen(chosen ? null : new Set())}
          >
            <ListChecks />
          </IconButton>
        ) : null}
        <IconButton label={t('app.triggers')} onClick={() => navigate('/triggers')}>
          <Zap />
        </IconButton>
        <IconButton label={t('usage.title')} onClick={() => navigate('/usage')}>
          <ChartColumn />
        </IconButton>
      </PageBar>
      {parent ? null : (
        <>
          {small ? <QueueStrip /> : null}
          <RestoredStrip />
          <RestoredHost />
        </>
      )}
      <div className="flex min-h-11 flex-none flex-wrap items-center gap-2 border-b border-line bg-surface px-4 phone:min-h-14 phone:py-2">
        {chosen ? (
          <ChoosingBar
            runs={runs.filter(mayGo).map((run) => run.id)}
            chosen={chosen}
            onChoose={setChosen}
            onDone={() => setChosen(null)}
          />
        ) : (
          <RunFilters filters={filters} />
        )}
      </div>
      <RunListBody
        query={query}
        skeleton={{ rows: 10, row: narrow ? 64 : 36 }}
        empty={<NoRuns filters={filters} />}
        className="bg-surface"
      >
        {(runs) =>
          narrow ? (
            <>
              {small ? null : <RunHeads choosing={choosing} />}
              {runs.map((run) => (
                <RunItem key={run.id} run={run} longest={longest} choosing={choosing} />
              ))}
            </>
          ) : (
            <RunTable runs={runs} longest={longest} choosing={choosing} />
          )
        }
      </RunListBody>
    </>
  )
}

interface Shown {
  readonly longest: number
  readonly choosing: Choosing | null
}

/** What the parts of a row are, where there is no room for a table and enough for its titles. */
function RunHeads({ choosing }: { readonly choosing: Choosing | null }) {
  const t = useT()
  return (
    <div className={cx('run-item run-heads', choosing && 'run-item-choosing')}>
      <span className="run-state">{t('runs.col_state')}</span>
      <span className="run-name">{t('runs.col_workflow')}</span>
      <span className="run-when">{t('runs.col_start')}</span>
      <span className="run-took">{t('runs.col_duration')}</span>
    </div>
  )
}

function RunTable({ runs, longest, choosing }: Shown & { runs: readonly Run[] }) {
  const t = useT()
  return (
    <table className="table">
      <thead>
        <tr>
          {choosing ? <th className="w-10" aria-label={t('runs.choose_runs')} /> : null}
          <th className="w-36 wall:w-[10%]">{t('runs.col_state')}</th>
          <th>{t('runs.col_workflow')}</th>
          <th className="w-60 wall:w-[24%]">{t('runs.col_by')}</th>
          <th className="w-24 !text-right">{t('runs.col_tokens_title')}</th>
          <th className="w-20 !text-right">{t('runs.col_events')}</th>
          <th className="w-48 wall:w-[14%] wall:pl-12!">{t('runs.col_duration')}</th>
          <th className="w-36 !text-right">{t('runs.col_start')}</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <RunRow key={run.id} run={run} longest={longest} choosing={choosing} />
        ))}
      </tbody>
    </table>
  )
}

function RunRow({ run, longest, choosing }: Shown & { run: Run }) {
  const ms = useTook(run)
  const tokens = tokensOf(run)
  return (
    <tr className="relative" aria-selected={choosing?.chosen.has(run.id)}>
      {choosing ? (
        <td className="run-check">
          <RunCheck run={run} choosing={choosing} />
        </td>
      ) : null}
      <td>
        <StatusWord status={statusOf(run)} />
      </td>
      <td>
        <span className="flex min-w-0 items-center gap-2">
          <Link href={`/runs/${run.id}`} className="truncate font-medium after:absolute after:inset-0">
            {visible(run.workflow_name ?? run.workflow)}
          </Link>
          <span className="flex-none">
            <VersionChip run={run} />
          </span>
          {run.error ? <span className="font-mono text-xs text-muted">{run.error.code}</span> : null}
        </span>
      </td>
      <td className="text-muted">{startedBy(run)}</td>
      <td className="text-right text-muted tabular-nums">{tokens > 0 ? compact(tokens) : ''}</td>
      <td className="text-right text-muted tabular-nums">{run.last_seq}</td>
      <td className="wall:pl-12!">
        {ms === null ? null : (
          <>
            <DurationBar run={run} longest={longest} ms={ms} />
            <span className="ml-2 text-muted tabular-nums">{duration(ms)}</span>
          </>
        )}
      </td>
      <td className="text-right text-muted tabular-nums">
        <time
          dateTime={run.started_at ?? run.queued_at ?? undefined}
          title={dateTime(run.started_at ?? run.queued_at ?? '')}
        >
          {startedAt(run)}
        </time>
      </td>
    </tr>
  )
}

function VersionChip({ run }: { run: Run }) {
  const t = useT()
  return (
    <>
      <Chip>{run.version === null ? t('runs.draft') : t('runs.version', { n: run.version })}</Chip>
      {run.origin_run ? (
        <>
          {' '}
          <Chip>{t(run.trigger === 'retry' ? 'rerun.chip_retry' : 'rerun.chip_fork')}</Chip>
        </>
      ) : null}
    </>
  )
}

function RunItem({ run, longest, choosing }: Shown & { run: Run }) {
  return choosing ? (
    <div className="run-item run-item-choosing">
      <RunCheck run={run} choosing={choosing} />
      <RunLines run={run} longest={longest} />
    </div>
  ) : (
    <Link href={`/runs/${run.id}`} className="run-item">
      <RunLines run={run} longest={longest} />
    </Link>
  )
}

function RunLines({ run, longest }: { run: Run; longest: number }) {
  const t = useT()
  const ms = useTook(run)
  const tokens = tokensOf(run)
  const lines = [
    run.version === null ? t('runs.draft') : t('runs.version', { n: run.version }),
    ...(run.origin_run ? [t(run.trigger === 'retry' ? 'rerun.chip_retry' : 'rerun.chip_fork')] : []),
    startedBy(run),
  ]
  return (
    <>
      <span className="run-name">
        <span className="block truncate font-medium phone:text-lg">
          {visible(run.workflow_name ?? run.workflow)}
        </span>
        <span className="block truncate text-xs text-muted phone:hidden">
          {lines.join(' · ')}
          {run.error ? <span className="ml-2 font-mono">{run.error.code}</span> : null}
        </span>
      </span>
      <span className="run-when text-xs text-muted tabular-nums" data-alone={tokens === 0 || undefined}>
        {startedAt(run)}
      </span>
      <span className="run-state">
        <StatusWord status={statusOf(run)} />
        <span className="hidden min-w-0 flex-1 truncate text-xs text-muted phone:block">
          {lines.join(' · ')}
        </span>
      </span>
      {tokens > 0 ? (
        <span className="run-size text-xs text-muted tabular-nums phone:hidden">
          {compact(tokens)} {t('runs.col_tokens')}
        </span>
      ) : null}
      <span className="run-took">
        {ms === null ? null : <DurationBar run={run} longest={longest} ms={ms} />}
        <span className="min-w-14 text-right text-xs whitespace-nowrap text-muted tabular-nums">
          {ms === null ? '' : duration(ms)}
        </span>
      </span>
    </>
  )
}
