/** Times that keep true while the page stays open. */
import { useSyncExternalStore } from 'react'
import { useLanguage } from '@/i18n'
import { dateTime, relativeTime } from './format'

const TICK_MS = 30_000
let now = Date.now()
let timer = 0
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  if (listeners.size === 1) {
    now = Date.now()
    timer = window.setInterval(() => {
      now = Date.now()
      for (const listener of listeners) listener()
    }, TICK_MS)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.clearInterval(timer)
  }
}

/** "3 minutes ago", with the exact time as tooltip. */
export function RelativeTime({ value }: { value: string }) {
  useLanguage()
  const index = useSyncExternalStore(subscribe, () => now)
  return (
    <time dateTime={value} data-tip={dateTime(value)} className="tabular-nums">
      {relativeTime(value, Math.max(index, Date.parse(value) > index ? index : Date.now()))}
    </time>
  )
}
