/** Gives the pages below their runs, keeps the team's lists fresh, and says when the connection is lost. */
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { useWaiting } from '@/api/slow'
import { useT } from '@/i18n'
import { runs, useConnection, useTeamChanges, watchNetwork } from '@/live/page-socket'
import { RunsProvider } from '@/live/run-store'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { Boundary } from '@/ui'

export function LiveUpdates({ team, children }: { team: string; children: ReactNode }) {
  useTeamChanges(team)
  useEffect(watchNetwork, [])
  return <RunsProvider source={runs}>{children}</RunsProvider>
}

const BudgetLine = lazily(() =>
  fetchCode(() => import('./frame/BudgetLine')).then((file) => ({ default: file.BudgetLine })),
)
/** The budget is looked at when the page stands, ms. */
const AFTER_MS = 3000

export function ConnectionLine() {
  const t = useT()
  const [budgetDue, setBudgetDue] = useState(false)
  const offline = useConnection() === 'offline'
  const slowed = useWaiting() > 0
  useEffect(() => {
    const timer = setTimeout(setBudgetDue, AFTER_MS, true)
    return () => clearTimeout(timer)
  }, [])
  if (offline || slowed) {
    return (
      <p className="border-b border-line bg-well px-4 py-1 text-sm text-waiting" role="status">
        {offline ? t('app.offline') : t('app.slowed')}
      </p>
    )
  }
  return (
    <Boundary optional>
      <Suspense fallback={null}>{budgetDue ? <BudgetLine /> : null}</Suspense>
    </Boundary>
  )
}
