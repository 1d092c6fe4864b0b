/** When the server asks for fewer requests: how long queries wait, and whether they do, for a calm line on the page. */
import { useSyncExternalStore } from 'react'
import type { ApiError } from './client'

/** Longer than this nobody is kept waiting unasked. */
const LONGEST_S = 90
const listeners = new Set<() => void>()
let waiting = 0

const changed = (by: number): void => {
  waiting += by
  for (const listener of listeners) listener()
}

/** Whether asking again by itself makes sense: it was too often, and the server says for how long. */
export const waits = (error: ApiError): boolean =>
  error.status === 429 && error.retryAfter !== null && error.retryAfter <= LONGEST_S

/** Milliseconds to wait before a query is asked again; the page says so meanwhile. */
export function delayOf(error: ApiError): number {
  const ms = (error.retryAfter ?? 1) * 1000 + Math.random() * 500 // not all of them at once
  changed(1)
  setTimeout(() => changed(-1), ms)
  return ms
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether queries wait because there were too many. */
export const useSlowedDown = (): boolean => useSyncExternalStore(subscribe, () => waiting > 0)
