/** Today in five figures. Days are those of the usage page: UTC. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useOpenQuestions } from '@/api/queries'
import { spendingQuery } from '@/api/spending'
import { queueQuery, usageQuery } from '@/api/usage'
import { useT } from '@/i18n'
import { cost, number, percent } from '@/ui'

const DAY_MS = 86_400_000
const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

interface FigureProps {
  readonly href: string
  readonly label: string
  readonly value: string | undefined
  readonly note?: ReactNode
}

function Figure({ href, label, value, note }: FigureProps) {
  return (
    <Link href={href} className="busy-figure">
      <span className="text-xs text-muted">{label}</span>
      <span className="flex min-w-0 items-baseline gap-2">
        <strong className="tabular-nums">{value ?? '–'}</strong>
        <span className="truncate text-xs text-muted tabular-nums">{note}</span>
      </span>
    </Link>
  )
}

export function Figures() {
  const t = useT()
  const queue = useQuery(queueQuery).data
  const now = Date.now()
  const [yesterday, today] = [utcDay(now - DAY_MS), utcDay(now)]
  const usage = useQuery(usageQuery(yesterday, today, 'day')).data
  const of = (day: string) => usage?.results.find((row) => row.key === day)
  const { runs = 0, failed = 0, cost: spent = 0 } = of(today) ?? {}
  const budget = useQuery(spendingQuery).data?.budgets.find(({ name }) => name === 'cost')?.limit
  const waiting = useOpenQuestions()
  const known = (value: string) => (usage ? value : undefined)
  return (
    <div className="busy-figures">
      <Figure
        href="/runs?state=RUNNING"
        label={t('workflows.busy_running')}
        value={queue && number(queue.running)}
        note={queue ? t('workflows.busy_of_n', { n: queue.limit }) : null}
      />
      <Figure
        href="/usage?days=7"
        label={t('workflows.busy_runs')}
        value={known(number(runs))}
        note={usage ? t('workflows.busy_yesterday', { n: of(yesterday)?.runs ?? 0 }) : null}
      />
      <Figure
        href="/runs?state=ERROR"
        label={t('workflows.busy_failed')}
        value={known(number(failed))}
        note={runs > 0 ? percent(failed / runs) : null}
      />
      <Figure href="/inbox" label={t('workflows.busy_waiting')} value={number(waiting)} />
      <Figure
        href="/usage?days=7"
        label={t('workflows.busy_spent')}
        value={known(cost(spent))}
        note={budget ? t('workflows.busy_of', { most: cost(budget) }) : null}
      />
    </div>
  )
}
