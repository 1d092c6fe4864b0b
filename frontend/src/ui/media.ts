/** How wide the screen is, for layouts that differ in more than CSS can say. */
import { useSyncExternalStore } from 'react'

const phone = window.matchMedia('(max-width: 700px)')
const narrow = window.matchMedia('(max-width: 1100px)')

const watch = (query: MediaQueryList) => (listener: () => void) => {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
const watchPhone = watch(phone)
const watchNarrow = watch(narrow)

/** Up to 700 px: one thing at a time. */
export const usePhone = (): boolean => useSyncExternalStore(watchPhone, () => phone.matches)

/** Up to 1,100 px: the inspector lies over the canvas. */
export const useNarrow = (): boolean => useSyncExternalStore(watchNarrow, () => narrow.matches)
