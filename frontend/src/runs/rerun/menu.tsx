/** What a card's menu offers about the run that is shown: fork it from there. */
import { GitFork } from 'lucide-react'
import type { Translate } from '@/i18n'
import type { RunView } from '@/live/run-view'
import type { MenuEntry } from '@/ui'
import { FORK_KEYS } from '../hooks'
import { requestRerun } from './request'

/** Where the run that is shown can be forked for a node: null while it goes on, and for a node that did not run. */
export function forkPoint(view: RunView, node: string): { run: string; node: string } | null {
  const step = view.steps(node).at(-1)
  const { going, run } = view.info()
  return going || !step ? null : { run, node: step.path[0]?.node ?? node }
}

/** `draft` = the current draft is taken, unless it is unticked. */
export function forkEntries(view: RunView, node: string, t: Translate, draft = false): readonly MenuEntry[] {
  const point = forkPoint(view, node)
  if (!point) return []
  return [
    {
      label: t('rerun.fork_here'),
      icon: <GitFork />,
      keys: FORK_KEYS,
      onSelect: () => requestRerun({ ...point, draft }),
    },
  ]
}
