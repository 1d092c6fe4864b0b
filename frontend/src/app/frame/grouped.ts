/** The registered actions in their groups, in the order in which both were registered. */
import { type Action, textOf } from '@/ui'

export interface Group {
  readonly title: string
  readonly actions: readonly Action[]
}

export function grouped(actions: readonly Action[], keeps: (action: Action) => boolean): Group[] {
  const groups = new Map<string, Action[]>()
  const seen = new Set<string>()
  for (const action of actions) {
    if (seen.has(action.id) || !keeps(action)) continue
    seen.add(action.id)
    const title = textOf(action.group ?? '')
    groups.set(title, [...(groups.get(title) ?? []), action])
  }
  return [...groups].map(([title, matches]) => ({ title, actions: matches }))
}
