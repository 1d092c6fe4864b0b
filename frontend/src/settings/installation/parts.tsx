/** What the parts of the operators' page are drawn with. */
import type { ReactNode } from 'react'

export function Part({
  id,
  title,
  text,
  children,
}: {
  readonly id: string
  readonly title: string
  readonly text?: string
  readonly children: ReactNode
}) {
  return (
    <section className="grid grid-cols-1 gap-2 pt-2" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {text ? <p className="text-muted">{text}</p> : null}
      {children}
    </section>
  )
}

/** A name and what is known of it, in a list that wraps. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(140px,1fr))] gap-3">
      {facts.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
