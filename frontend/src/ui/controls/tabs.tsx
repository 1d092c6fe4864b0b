/** Tabs: one stop for the Tab key, arrows move between them. */
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { cx } from '@/ui/cx'

export interface TabItem<V extends string> {
  readonly value: V
  readonly label: ReactNode
  readonly icon?: ReactNode
  readonly count?: number | undefined
}

export interface TabsProps<V extends string> {
  readonly label: string
  readonly value: V
  readonly onChange: (value: V) => void
  readonly items: readonly TabItem<V>[]
  readonly small?: boolean
  readonly className?: string
  /** Id prefix shared with `TabPanel`. */
  readonly id: string
}

export function Tabs<V extends string>({
  label,
  value,
  onChange,
  items,
  small,
  className,
  id,
}: TabsProps<V>) {
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const index = items.findIndex((item) => item.value === value)
    const last = items.length - 1
    const to =
      event.key === 'ArrowRight'
        ? index === last
          ? 0
          : index + 1
        : event.key === 'ArrowLeft'
          ? index === 0
            ? last
            : index - 1
          : event.key === 'Home'
            ? 0
            : event.key === 'End'
              ? last
              : -1
    const next = items[to]
    if (!next) return
    event.preventDefault()
    event.stopPropagation()
    onChange(next.value)
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-tab-${next.value}`)}`)?.focus()
  }
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={label}
      className={cx('tabs', small && 'tabs-small', className)}
      onKeyDown={move}
    >
      {items.map((item) => (
        <button
          key={item.value}
          type="button"
          role="tab"
          id={`${id}-tab-${item.value}`}
          aria-controls={`${id}-panel-${item.value}`}
          aria-selected={item.value === value}
          tabIndex={item.value === value ? 0 : -1}
          onClick={() => onChange(item.value)}
        >
          {item.icon}
          {item.label} {item.count !== undefined ? <span className="count">{item.count}</span> : null}
        </button>
      ))}
    </div>
  )
}

/** The panel of the chosen tab. Render only the chosen one. */
export function TabPanel({
  id,
  value,
  className,
  children,
}: {
  readonly id: string
  readonly value: string
  readonly className?: string
  readonly children: ReactNode
}) {
  return (
    <div
      role="tabpanel"
      id={`${id}-panel-${value}`}
      aria-labelledby={`${id}-tab-${value}`}
      className={className}
    >
      {children}
    </div>
  )
}

/** An id prefix for `Tabs` and its panels. */
export const useTabsId = (): string => useId()
