/** When the server asks for fewer requests: how long queries wait, and whether they do, for a calm line on the page. */
import { create } from 'zustand'
import type { ApiError } from './client'

/** Longer than this nobody is kept waiting unasked. */
const LONGEST_S = 90

/** How many queries wait because there were too many. */
export const useWaiting = create(() => 0)

/** Whether asking again by itself makes sense: it was too often, and the server says for how long. */
export const waits = (error: ApiError): boolean =>
  error.status === 429 && error.retryAfter !== null && error.retryAfter <= LONGEST_S

/** Milliseconds to wait before a query is asked again; the page says so meanwhile. */
export function delayOf(error: ApiError): number {
  const ms = ((error.retryAfter ?? 1) + Math.random()) * 1000 // not all of them at once
  useWaiting.setState(useWaiting.getState() + 1, true)
  setTimeout(() => useWaiting.setState(useWaiting.getState() - 1, true), ms)
  return ms
}
