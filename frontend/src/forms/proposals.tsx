/**
 * Values that may stand in a field, offered below it while somebody is in it.
 *
 * It stands beside the room's index and is imported by its path, so that only pages with such a field load it.
 */
import type { FocusEvent, ReactNode } from 'react'
import { visible } from '@/ui/display/visible'

export function Proposed(props: {
  /** What the list is called. */
  readonly label: string
  readonly values: readonly string[]
  /** Whether somebody is in the field; told by `onInside`. */
  readonly inside: boolean
  readonly onInside: (inside: boolean) => void
  readonly onPick: (value: string) => void
  /** The field. */
  readonly children: ReactNode
}) {
  const { label, values, inside, onInside, onPick, children } = props
  const leave = (event: FocusEvent<HTMLElement>) => {
    if (!event.currentTarget.contains(event.relatedTarget)) onInside(false)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears where the focus is
    <div className="grid min-w-0 grid-cols-1 gap-1" onFocus={() => onInside(true)} onBlur={leave}>
      {children}
      {inside && values.length > 0 ? (
        <ul className="flex min-w-0 flex-wrap gap-1" aria-label={label}>
          {values.map((value) => (
            <li key={value} className="max-w-full min-w-0">
              <button
                type="button"
                className="btn h-auto max-w-full px-2 py-1 text-xs"
                onClick={() => onPick(value)}
              >
                <span className="truncate">{visible(value)}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
