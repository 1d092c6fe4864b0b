/** A line on top of every page when most or all of the team's budget of today is used. */
import { Link } from 'wouter'
import type { Spending } from '@/api/spending'
import { useT } from '@/i18n'
import { cx, percent, relativeTime } from '@/ui'

export function BudgetLine({ spending }: { spending: Spending }) {
  const t = useT()
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
        : t('settings.line_near', { share: percent(Math.floor(most * 100) / 100), when })}{' '}
      <Link className="link" href="/settings/team">
        {t('settings.line_open')}
      </Link>
    </p>
  )
}
