/** How wide the screen is, for layouts that differ in more than CSS can say. */
import { useSyncExternalStore } from 'react'

/** Asked of the window each time: a test or a split screen may give another one. */
export const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => window.matchMedia(query).matches,
  )

/** Up to 700 px: one thing at a time. What the styles call `phone`. */
export const usePhone = (): boolean => useMedia('(max-width: 700px)')

/** Below 1,024 px: a list and what it opens take turns. */
export const useSmall = (): boolean => useMedia('(max-width: 1023px)')

/** Up to 1,100 px: lists are cards, panels are drawers. What the styles call `narrow`. */
export const useNarrow = (): boolean => useMedia('(max-width: 1100px)')
