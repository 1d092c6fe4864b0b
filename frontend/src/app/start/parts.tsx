/** A titled part of the first page, with the way to all of what it shows some of. */
import { type ReactNode, useId } from 'react'
import { Link } from 'wouter'
import { visible } from '@/ui'

interface PartProps {
  readonly title: string
  /** Beside the title, quieter. */
  readonly note?: ReactNode
  readonly all?: { readonly href: string; readonly label: string }
  readonly children: ReactNode
}

export function Part({ title, note, all, children }: PartProps) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <div className="busy-head">
        <h2 id={id}>{title}</h2>
        {note ? <span className="text-xs text-muted tabular-nums">{note}</span> : null}
        {all ? (
          <Link href={all.href} className="link ml-auto text-sm">
            {all.label}
          </Link>
        ) : null}
      </div>
      <div className="busy-box">{children}</div>
    </section>
  )
}

interface LinkedRowProps {
  readonly icon?: ReactNode
  readonly name: string
  readonly href: string
  /** Below the name. */
  readonly about: ReactNode
  readonly children?: ReactNode
}

/** A row that leads, wherever it is pressed, to what it is about. */
export function LinkedRow({ icon, name, href, about, children }: LinkedRowProps) {
  return (
    <li className="busy-row relative">
      {icon}
      <span className="grid min-w-0 flex-1 gap-0.5">
        <Link href={href} className="truncate font-medium after:absolute after:inset-0">
          {visible(name)}
        </Link>
        {about}
      </span>
      {children}
    </li>
  )
}
