/** The page behind the logo: the list of workflows with where to begin, and for a busy team what goes on and waits. */
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import WorkflowsPage from '@/workflows/WorkflowsPage'

const BusyTeam = lazily(async () => ({ default: (await fetchCode(() => import('./BusyTeam'))).BusyTeam }))

export default function HomePage() {
  return <WorkflowsPage BusyTeam={BusyTeam} />
}
