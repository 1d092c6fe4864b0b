/** Asking again and again until something is known, at first soon and then less often; it outlives lost connections. */
import { useEffect, useRef, useState } from 'react'
import { asRefusal, type Refusal } from './client'

const SOON_MS = 700
const LATER_MS = 5000
/** What waits for a person is not looked at more often. */
export const SELDOM_MS = 15_000

/** Whether trying again by itself can help: there was no answer, too much was asked, the server has a moment's trouble. */
const passes = ({ status }: Refusal): boolean => status === 0 || status === 429 || status >= 500

/**
 * The latest of what `ask` gave, while `pause` says in how many milliseconds to ask again; null = it is over.
 * `key` = what is asked for; another one begins anew, null asks for nothing.
 */
export function usePolled<T>(
  key: string | null,
  ask: (key: string) => Promise<T>,
  pause: (value: T, wait: number) => number | null,
): { readonly value: T | null; readonly refusal: Refusal | null } {
  const [seen, setSeen] = useState<{ key: string; value: T | null; refusal: Refusal | null } | null>(null)
  const latest = useRef({ ask, pause })
  latest.current = { ask, pause }
  useEffect(() => {
    if (key === null) return
    let timer = 0
    let over = false
    let wait = SOON_MS
    const next = (ms: number) => {
      timer = window.setTimeout(look, ms)
    }
    const look = async () => {
      wait = Math.min(wait * 1.3, LATER_MS)
      try {
        const value = await latest.current.ask(key)
        if (over) return
        setSeen({ key, value, refusal: null })
        const ms = latest.current.pause(value, wait)
        if (ms !== null) next(ms)
      } catch (thrown) {
        if (over) return
        const refusal = asRefusal(thrown)
        setSeen((before) => ({ key, value: before?.key === key ? before.value : null, refusal }))
        if (passes(refusal)) next(Math.max(wait, refusal.after * 1000))
      }
    }
    next(0)
    return () => {
      over = true
      window.clearTimeout(timer)
    }
  }, [key])
  return seen?.key === key ? seen : { value: null, refusal: null }
}
