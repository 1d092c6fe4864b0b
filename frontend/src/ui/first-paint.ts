/**
 * Pieces of a screen that its first picture does without.
 *
 * `later` makes a component whose code is fetched when it is first shown, or as soon as the page has nothing better to
 * do: `settle()` is called when the first picture stands, and fetches all of them, so that what is opened by a key is
 * there at the next key. `whenSettled()` is for what is shown from the beginning, but after the rest.
 */
import { type ComponentType, type LazyExoticComponent, lazy, useEffect, useState } from 'react'

const waiting = new Set<() => Promise<unknown>>()
let settled = false
let announced = false
let announce: () => void = () => {}
const first = new Promise<void>((resolve) => {
  announce = resolve
})

/** The longest time that a busy page puts it off, ms. */
const PATIENCE_MS = 1500

/** Runs `act` when the browser has nothing to do. */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act, { timeout: PATIENCE_MS })
  else setTimeout(act, 50)
}

/** The first picture stands: fetch what waits. Calling it again does nothing. */
export function settle(): void {
  if (settled) return
  settled = true
  requestAnimationFrame(() =>
    whenIdle(() => {
      performance.mark('first-picture')
      announced = true
      announce()
      for (const load of waiting) load().catch(() => {}) // asked for again, and reported, when it is shown
      waiting.clear()
    }),
  )
}

/** Resolves after the first picture. */
export const whenSettled = (): Promise<void> => first

/** Whether the first picture stands. */
export function useSettled(): boolean {
  const [now, setNow] = useState(announced)
  useEffect(() => {
    let here = true
    void first.then(() => {
      if (here) setNow(true)
    })
    return () => {
      here = false
    }
  }, [])
  return now
}

/** A component of a file of its own; use it inside of `Suspense`. */
export function later<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  soon(load)
  return lazy(async () => ({ default: await load() }))
}

/** The same for code that is not a component: gives `load` back. */
export function soon<File>(load: () => Promise<File>): () => Promise<File> {
  waiting.add(load)
  return load
}
