/** Why something cannot be done, and what next. */
import type { ReactNode } from 'react'
import type { Refusal } from './client'
import { words } from './words'

/** Longer waits are said in days. */
const A_DAY_S = 3600

/** When to try again, where the server says so. */
function whenAgain(after: number): string {
  if (after <= 0) return ''
  return after > A_DAY_S ? words.again_tomorrow : words.again_in.replace('{n}', String(after))
}

export function Notice({ refusal, children }: { readonly refusal: Refusal; readonly children?: ReactNode }) {
  const { message, hint, after } = refusal
  return (
    <div className="notice" role="alert">
      <p className="heading">{message}</p>
      <p>{hint || whenAgain(after)}</p>
      {children}
    </div>
  )
}
