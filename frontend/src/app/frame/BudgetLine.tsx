/** A line on top of every page when most or all of the team's budget of today is used. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { spendingQuery } from '@/api/spending'
import { loadRest, sentenceGap, useT } from '@/i18n'
import { cx, percent, relativeTime } from '@/ui'

/** The sentences are not among those of the first page. */
const wordsQuery = { queryKey: ['words'], queryFn: () => loadRest().then(() => true), staleTime: Infinity }

export function BudgetLine() {
  const t = useT()
  const { data: spending } = useQuery(spendingQuery)
  const near = spending !== undefined && spending.state !== 'ok'
  const { data: words } = useQuery({ ...wordsQuery, enabled: near })
  if (!near || !words) return null
  const most = Math.max(...spending.budgets.map((use) => use.share ?? 0))
  const when = relativeTime(spending.until)
  const reached = spending.state === 'reached'
  return (
    <p
      className={cx(
        'border-b border-line bg-well px-4 py-1 text-sm',
        reached ? 'text-failed' : 'text-waiting',
      )}
      role="status"
    >
      {reached
        ? t('settings.line_reached', { when })
        : t('settings.line_near', { share: percent(Math.floor(most * 100) / 100), when })}
      {sentenceGap()}
      <Link className="link" href="/settings/team">
        {t('settings.line_open')}
      </Link>
    </p>
  )
}
