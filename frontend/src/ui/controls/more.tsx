/** The end of a list that has more pages. */
import { useEffect, useRef } from 'react'
import { useT } from '@/i18n'
import { Button } from './button'

/** Loads the next page when it comes into sight, and when pressed. */
export function More({ busy, load }: { readonly busy: boolean; readonly load: () => void }) {
  const t = useT()
  const ref = useRef<HTMLDivElement>(null)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    const element = ref.current
    if (!element || busy || typeof IntersectionObserver === 'undefined') return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) latest.current()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [busy])
  return (
    <div ref={ref} className="p-3">
      <Button busy={busy} onClick={load}>
        {t('common.load_more')}
      </Button>
    </div>
  )
}
