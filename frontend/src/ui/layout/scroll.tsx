/** A place that scrolls. It can be reached from the keyboard, so it has a name. */
import type { HTMLAttributes, ReactNode, Ref } from 'react'
import { cx } from '@/ui/cx'

export function Scroll({
  label,
  className,
  children,
  ...rest
}: HTMLAttributes<HTMLElement> & {
  readonly label: string
  readonly children: ReactNode
  readonly ref?: Ref<HTMLElement>
}) {
  return (
    <section
      className={cx('min-h-0 overflow-auto focus-visible:-outline-offset-2', className)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable from the keyboard
      tabIndex={0}
      aria-label={label}
      {...rest}
    >
      {children}
    </section>
  )
}
