/** What a card's menu offers about the run that is shown: fork it from there. */
import { GitFork } from 'lucide-react'
import { useCallback } from 'react'
import { useMay } from '@/api/queries'
import { useRunInfo, useRunView } from '@/api/run-store'
import { useT } from '@/i18n'
import type { MenuEntry } from '@/ui'
import { askAgain } from './ask'

export function useForkMenu(): (node: string) => readonly MenuEntry[] {
  const t = useT()
  const may = useMay('editor')
  const view = useRunView()
  const info = useRunInfo()
  const run = info !== null && !info.going ? info.run : null
  return useCallback(
    (node) => {
      const step = view?.steps(node).at(-1)
      if (!may || run === null || !step) return []
      const from = step.path[0]?.node ?? node
      return [
        {
          label: t('again.fork_here'),
          icon: <GitFork />,
          onSelect: () => askAgain({ run, node: from }),
        },
      ]
    },
    [may, run, view, t],
  )
}
