/** What a card's menu offers about the run that is shown: fork it from there. */
import { GitFork } from 'lucide-react'
import type { Translate } from '@/i18n'
import type { RunView } from '@/live/run-view'
import type { MenuEntry } from '@/ui'
import { requestRerun } from './request'

/** Nothing while the run goes on, and for a node that did not run. */
export function forkEntries(view: RunView, node: string, t: Translate): readonly MenuEntry[] {
  const step = view.steps(node).at(-1)
  const { going, run } = view.info()
  if (going || !step) return []
  const from = step.path[0]?.node ?? node
  return [
    { label: t('rerun.fork_here'), icon: <GitFork />, onSelect: () => requestRerun({ run, node: from }) },
  ]
}
