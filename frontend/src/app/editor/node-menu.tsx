/** What a card's menu offers about its node: run it, pin what it gave, rename it; and about the run that is shown. */
import { PencilLine, Pin, PinOff, Play, SquarePlay } from 'lucide-react'
import type { GraphStore } from '@/graph/store'
import type { Translate } from '@/i18n'
import type { RunView } from '@/live/run-view'
import { forkEntries } from '@/runs/rerun/menu'
import type { MenuEntry } from '@/ui'
import { type NodeActions, runsAlone } from './node-actions'

export function nodeEntries(
  id: string,
  store: GraphStore,
  actions: NodeActions,
  view: RunView | null,
  t: Translate,
): readonly MenuEntry[] {
  const { graph, readOnly } = store.getState()
  const node = graph.nodes.find((each) => each.id === id)
  const { rename, pinState, pin, runTo, runAlone } = actions
  const pinned = pinState(id)
  const entries: MenuEntry[] = []
  if (runTo && !readOnly)
    entries.push({
      label: t('runs.run_to_here'),
      icon: <Play />,
      keys: 'mod+shift+enter',
      onSelect: () => runTo(id),
    })
  if (runAlone && !readOnly && runsAlone(node))
    entries.push({
      label: t('runs.run_alone'),
      icon: <SquarePlay />,
      keys: 'alt+enter',
      onSelect: () => runAlone(id),
    })
  if (!readOnly) {
    entries.push({
      label: t(pinned === 'pinned' ? 'editor.unpin' : 'editor.pin'),
      icon: pinned === 'pinned' ? <PinOff /> : <Pin />,
      keys: 'p',
      disabled: pinned === null,
      onSelect: () => pin(id),
    })
    entries.push({
      label: t('common.rename'),
      icon: <PencilLine />,
      keys: 'f2',
      onSelect: () => rename(id),
    })
  }
  return view ? [...entries, ...forkEntries(view, id, t, true)] : entries
}
