/** The end of a list that has more pages. */
import { useEffect, useRef } from 'react'
import { useT } from '@/i18n'
import { Button } from './button'

interface MoreProps {
  readonly busy: boolean
  /** The page did not come: the next try is a person's. */
  readonly failed: boolean
  readonly load: () => void
}

/** Loads the next page when it comes into sight, and when pressed. */
export function More({ busy, failed, load }: MoreProps) {
  const t = useT()
  const ref = useRef<HTMLDivElement>(null)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    const element = ref.current
    if (!element || busy || failed || typeof IntersectionObserver === 'undefined') return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) latest.current()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [busy, failed])
  return (
    <div ref={ref} className="flex flex-wrap items-center gap-2 p-3">
      {failed && !busy ? (
        <p className="text-failed" role="alert">
          {t('common.more_failed')}
        </p>
      ) : null}
      <Button busy={busy} onClick={load}>
        {t(failed ? 'common.retry' : 'common.load_more')}
      </Button>
    </div>
  )
}
