/**
 * What a screen does without at its first paint, and when that is.
 *
 * The canvas marks it (`markFirstPaint`). `prefetch` names code to fetch then, when the browser has nothing better to
 * do, so that what is opened by a key is there at the next key; `afterFirstPaint` and `useAfterFirstPaint` are for what
 * is shown from the beginning, but after the rest.
 */
import { useEffect, useState } from 'react'

const prefetched = new Set<() => Promise<unknown>>()
let marked = false
let painted = false
const { promise: paint, resolve: announce } = Promise.withResolvers<void>()

/** The longest time that a busy page puts it off, ms. */
const PATIENCE_MS = 1500

/** Runs `act` when the browser has nothing to do. */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act, { timeout: PATIENCE_MS })
  else setTimeout(act, 50)
}

/** The first paint stands: fetch what waits. Calling it again does nothing. */
export function markFirstPaint(): void {
  if (marked) return
  marked = true
  requestAnimationFrame(() =>
    whenIdle(() => {
      performance.mark('first-picture')
      painted = true
      announce()
      for (const load of prefetched) load().catch(() => {}) // asked for again, and reported, when it is shown
      prefetched.clear()
    }),
  )
}

/** Resolves after the first paint. */
export const afterFirstPaint = (): Promise<void> => paint

/** Whether the first paint stands. */
export function useAfterFirstPaint(): boolean {
  const [now, setNow] = useState(painted)
  useEffect(() => {
    let mounted = true
    void paint.then(() => {
      if (mounted) setNow(true)
    })
    return () => {
      mounted = false
    }
  }, [])
  return now
}

/** Code to fetch right after the first paint; gives `load` back, for whoever needs it before. */
export function prefetch<File>(load: () => Promise<File>): () => Promise<File> {
  prefetched.add(load)
  return load
}
