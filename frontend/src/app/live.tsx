/** Gives the pages below their runs, keeps the team's lists fresh, and says when the connection is lost. */
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { runs, useConnection, useTeamHints, watchNetwork } from '@/api/live'
import { RunsProvider } from '@/api/run-store'
import { useSlowedDown } from '@/api/slow'
import { spendingQuery } from '@/api/spending'
import { loadRest, useT } from '@/i18n'

export function Live({ team, children }: { team: string; children: ReactNode }) {
  useTeamHints(team)
  useEffect(watchNetwork, [])
  return <RunsProvider source={runs}>{children}</RunsProvider>
}

const BudgetLine = lazy(async () => {
  const [file] = await Promise.all([import('./BudgetLine'), loadRest()])
  return { default: file.BudgetLine }
})

function Budget() {
  const { data } = useQuery(spendingQuery)
  if (!data || data.state === 'ok') return null
  return (
    <Suspense fallback={null}>
      <BudgetLine spending={data} />
    </Suspense>
  )
}

export function ConnectionLine() {
  const t = useT()
  const offline = useConnection() === 'offline'
  const slowed = useSlowedDown()
  if (!offline && !slowed) return <Budget />
  return (
    <p className="border-b border-line bg-well px-4 py-1 text-sm text-waiting" role="status">
      {offline ? t('app.offline') : t('app.slowed')}
    </p>
  )
}
