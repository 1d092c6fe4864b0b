/** How much room there is. */
import { useSyncExternalStore } from 'react'

const phone = '(max-width: 700px)'

const subscribe = (listener: () => void) => {
  const query = window.matchMedia(phone)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the page is as narrow as a phone: what the styles call `phone`. */
export const useSmallScreen = (): boolean =>
  useSyncExternalStore(subscribe, () => window.matchMedia(phone).matches)
