/** What is used of the team's budget today, and which models a cost budget cannot see. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { asApiError } from '@/api/client'
import { type Spending, spendingQuery } from '@/api/spending'
import { useT } from '@/i18n'
import { Callout, cost, cx, LoadFailed, number, percent, relativeTime, Skeleton } from '@/ui'

type Use = Spending['budgets'][number]

const COLOURS = { ok: 'bg-accent', near: 'bg-waiting', reached: 'bg-failed' } as const
const MOST_NAMED = 6

const amount = (use: Use, value: number): string => (use.name === 'cost' ? cost(value) : number(value))

function Bar({ use }: { use: Use }) {
  const t = useT()
  const name = t(use.name === 'tokens' ? 'settings.today_tokens' : 'settings.today_cost')
  const { share } = use
  return (
    <div className="grid gap-1">
      <p className="flex items-baseline gap-2 text-sm">
        <span className="text-muted">{name}</span>
        <span className="tabular-nums">
          {use.limit === null
            ? amount(use, use.used)
            : t('settings.today_of', { used: amount(use, use.used), limit: amount(use, use.limit) })}
        </span>
        {share === null ? null : <span className="ml-auto text-muted tabular-nums">{percent(share)}</span>}
      </p>
      {share === null ? null : (
        <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-press">
          <div
            className={cx('h-full rounded-full', COLOURS[use.state])}
            style={{ width: `${Math.min(share, 1) * 100}%` }}
          />
        </div>
      )}
    </div>
  )
}

export function BudgetToday() {
  const t = useT()
  const { data, error, refetch } = useQuery(spendingQuery)
  if (error) return <LoadFailed error={asApiError(error)} onRetry={refetch} />
  if (!data) return <Skeleton rows={1} row={40} />
  const limited = data.budgets.some((use) => use.name === 'cost' && use.limit !== null)
  const named = data.unpriced.slice(0, MOST_NAMED)
  const more = data.unpriced.length - named.length
  return (
    <div className="grid max-w-120 gap-3 pt-1" aria-live="polite">
      {data.budgets.map((use) => (
        <Bar key={use.name} use={use} />
      ))}
      {data.state === 'ok' ? null : (
        <Callout tone={data.state === 'reached' ? 'failed' : 'waiting'}>
          <p className="text-sm">
            {t(data.state === 'reached' ? 'settings.budget_reached' : 'settings.budget_near', {
              when: relativeTime(data.until),
            })}
          </p>
        </Callout>
      )}
      {limited && named.length > 0 ? (
        <Callout tone="waiting">
          <div className="grid gap-1">
            <p className="font-semibold">{t('settings.unpriced')}</p>
            <p className="text-sm text-muted">{t('settings.unpriced_text')}</p>
            <ul className="grid gap-0.5 text-sm">
              {named.map((entry) => (
                <li key={`${entry.provider}/${entry.model}`} className="flex flex-wrap gap-x-2">
                  <Link className="link font-mono text-xs" href={`/settings/providers/${entry.provider}`}>
                    {entry.provider}/{entry.model}
                  </Link>
                  {entry.tokens > 0 ? (
                    <span className="text-xs text-muted">
                      {t('settings.unpriced_used', { n: entry.tokens })}
                    </span>
                  ) : null}
                </li>
              ))}
            </ul>
            {more > 0 ? (
              <p className="text-xs text-muted">{t('settings.unpriced_more', { n: more })}</p>
            ) : null}
          </div>
        </Callout>
      ) : null}
    </div>
  )
}
