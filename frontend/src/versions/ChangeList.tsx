/** The list of changes. Up and down go from one to the next; the chosen one is shown on the canvas and beside it. */
import { type ReactNode, useEffect, useRef } from 'react'
import { nodeIcon } from '@/graph/nodes/icons'
import { useT } from '@/i18n'
import { cx } from '@/ui'
import {
  asideOf,
  type Change,
  GROUPS,
  type Group,
  groupOf,
  kindOf,
  kindWord,
  MARKS,
  type Names,
  titleOfChange,
} from './changes'
import { moveFocus } from './focus'

/** The mark and the icon of a change. */
function Marked({ change }: { readonly change: Change }) {
  if (change.of !== 'node')
    return (
      <span className="change-mark" aria-hidden>
        {MARKS[kindOf(change)]}
      </span>
    )
  const node = change.item.after ?? change.item.before
  const Icon = node ? nodeIcon(node) : null
  return Icon ? <Icon aria-hidden /> : null
}

export interface ChangeListProps {
  readonly changes: readonly Change[]
  readonly names: Names
  readonly chosen: string | null
  readonly onChoose: (change: Change) => void
  /** Under each change what differs, where there is no canvas and no panel. */
  readonly below?: (change: Change) => ReactNode
}

export function ChangeList({ changes, names, chosen, onChoose, below }: ChangeListProps) {
  const t = useT()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (chosen === null) return
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const heading = (group: Group) => {
    const mark = group === 'edges' || group === 'notes' || group === 'document' ? '' : MARKS[group]
    return (
      <h3 className="change-group" id={`changes-${group}`}>
        <span className="change-mark" aria-hidden>
          {mark}
        </span>
        <span className="flex-1">{t(`versions.group_${group}`)}</span>
        <span className="font-normal tabular-nums">
          {changes.filter((change) => groupOf(change) === group).length}
        </span>
      </h3>
    )
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys go between the buttons inside
    <div
      ref={list}
      className={cx('changes', below && 'changes-open')}
      onKeyDown={(event) => moveFocus(event, '.change')}
    >
      {GROUPS.filter((group) => changes.some((change) => groupOf(change) === group)).map((group) => (
        <section key={group} data-group={group}>
          {heading(group)}
          <ul aria-labelledby={`changes-${group}`}>
            {changes
              .filter((change) => groupOf(change) === group)
              .map((change) => (
                <li key={change.key}>
                  <button
                    type="button"
                    className="change"
                    aria-current={change.key === chosen}
                    onClick={() => onChoose(change)}
                  >
                    <Marked change={change} />
                    <span className={cx('truncate', kindOf(change) === 'removed' && 'line-through')}>
                      {titleOfChange(change, names, t)}
                    </span>{' '}
                    {change.of === 'node' ? (
                      <span className="sr-only">{kindWord(change.item.kind, t)}</span>
                    ) : null}{' '}
                    <span className="change-aside">{asideOf(change, t)}</span>
                  </button>
                  {below?.(change)}
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
