/**
 * The rounds of an iteration or loop, by the page, and what happened in the one that is chosen: only that round's events
 * are read for it, however many rounds there are.
 */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asApiError } from '@/api/client'
import { loadNextPage } from '@/api/next-page'
import type { RunEvent } from '@/api/run-types'
import { useT } from '@/i18n'
import { RunHistory, type Step } from '@/live/fold'
import { statusOfStep } from '@/live/run-status'
import { useNodeTitles } from '@/runs/hooks'
import { StepDetail } from '@/runs/step/StepDetail'
import { Section } from '@/runs/step/step-parts'
import { duration, ErrorBox, More, number, Segmented, Skeleton, StatusIcon } from '@/ui'

const STATUS = { RUNNING: 'running', SUCCESS: 'succeeded', ERROR: 'failed', CANCELLED: 'cancelled' } as const
const SHOWN = ['all', 'ERROR', 'RUNNING'] as const
type Shown = (typeof SHOWN)[number]

const placeOf = (path: Step['path']): string => path.map((frame) => `${frame.node}:${frame.index}`).join(',')

function useRounds(run: string, step: Step, shown: Shown) {
  const path = placeOf(step.path)
  return useInfiniteQuery({
    queryKey: ['rounds', run, step.id, shown, step.endedAt],
    refetchInterval: step.endedAt === null ? 5000 : false,
    initialPageParam: -1,
    queryFn: ({ pageParam }) =>
      api.get('/api/runs/{key}/rounds', {
        params: {
          path: { key: run },
          query: { node: step.node, path, after: pageParam, ...(shown !== 'all' && { state: shown }) },
        },
      }),
    getNextPageParam: (page) => page.next ?? undefined,
  })
}

export function Rounds({ run, step }: { readonly run: string; readonly step: Step }) {
  const t = useT()
  const [shown, setShown] = useState<Shown>('all')
  const [open, setOpen] = useState<number | null>(null)
  const query = useRounds(run, step, shown)
  const first = query.data?.pages[0]
  const rounds = query.data?.pages.flatMap((page) => page.results) ?? []
  const count = (which: Shown) => (which === 'all' ? first?.total : first?.states[which]) ?? 0
  return (
    <Section
      title={t('runs.rounds')}
      aside={
        <Segmented
          small
          label={t('runs.rounds_shown')}
          value={shown}
          onChange={setShown}
          options={SHOWN.map((value) => ({
            value,
            label: `${t(value === 'all' ? 'runs.rounds_all' : value === 'ERROR' ? 'runs.rounds_failed' : 'runs.rounds_going')} ${number(count(value))}`,
          }))}
        />
      }
    >
      {query.error ? <ErrorBox error={asApiError(query.error)} title={t('common.not_loaded')} /> : null}
      {query.isPending ? <Skeleton rows={3} row={28} /> : null}
      <ul className="max-h-60 overflow-auto rounded-md border border-line empty:hidden">
        {rounds.map((round) => {
          const ms = round.ended_at ? Date.parse(round.ended_at) - Date.parse(round.started_at) : null
          return (
            <li key={round.index}>
              <button
                type="button"
                className="flex w-full items-center gap-2 px-2 py-1 text-sm"
                aria-expanded={open === round.index}
                onClick={() => setOpen(open === round.index ? null : round.index)}
              >
                <StatusIcon status={STATUS[round.state]} size={14} />
                <span className="flex-1 text-left">{t('runs.row_round', { n: round.index + 1 })}</span>
                <span className="text-xs text-muted tabular-nums">{ms === null ? '' : duration(ms)}</span>
              </button>
            </li>
          )
        })}
        {query.hasNextPage ? (
          <li>
            <More
              busy={query.isFetchingNextPage}
              failed={query.isFetchNextPageError}
              load={() => void loadNextPage(query)}
            />
          </li>
        ) : null}
      </ul>
      {open === null ? null : (
        <OneRound
          key={open}
          run={run}
          place={[placeOf(step.path), `${step.node}:${open}`].filter(Boolean).join(',')}
        />
      )}
    </Section>
  )
}

/** All events of one round, page after page. */
async function eventsOf(run: string, round: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  for (let after: number | null = 0; after !== null; ) {
    const page: { results: unknown[]; next: number | null } = await api.get('/api/runs/{key}/events', {
      params: { path: { key: run }, query: { round, after } },
    })
    events.push(...(page.results as RunEvent[]))
    after = page.next
  }
  return events
}

function OneRound({ run, place }: { readonly run: string; readonly place: string }) {
  const t = useT()
  const titleOf = useNodeTitles()
  const [chosen, setChosen] = useState<string | null>(null)
  const query = useQuery({ queryKey: ['round', run, place], queryFn: () => eventsOf(run, place) })
  if (query.error) return <ErrorBox error={asApiError(query.error)} title={t('common.not_loaded')} />
  if (!query.data) return <Skeleton rows={2} row={28} />
  const history = new RunHistory(run)
  history.append(query.data)
  const fold = history.state
  const depth = place.split(',').length
  const steps = [...fold.steps.values()].filter((step) => step.path.length === depth && step.parent === null)
  const step = chosen === null ? undefined : fold.steps.get(chosen)
  return (
    <div className="grid gap-2">
      <ul aria-label={t('runs.rounds_steps')}>
        {steps.map((step) => (
          <li key={step.id}>
            <button
              type="button"
              className="flex w-full items-center gap-2 px-2 py-1 text-sm"
              aria-pressed={step.id === chosen}
              onClick={() => setChosen(step.id === chosen ? null : step.id)}
            >
              <StatusIcon status={statusOfStep(step, fold)} size={14} />
              <span className="flex-1 truncate text-left">{titleOf(step.node)}</span>
              <span className="text-xs text-muted tabular-nums">
                {step.endedAt === null ? '' : duration(step.endedAt - step.startedAt)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {step ? (
        <StepDetail
          step={step}
          fold={fold}
          title={titleOf(step.node)}
          still
          onClose={() => setChosen(null)}
        />
      ) : null}
    </div>
  )
}
