/** A run that a step started: the way to it, and its steps unfolded in place. */

import { ChevronDown, ChevronRight, ExternalLink } from 'lucide-react'
import { Suspense } from 'react'
import { Link } from 'wouter'
import { useT } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { useFold } from '@/runs/conversation/unfolded'

const ChildSteps = lazily(async () => ({
  default: (await fetchCode(() => import('./ChildSteps'))).ChildSteps,
}))

export function ChildRun({ run }: { run: string }) {
  const t = useT()
  const [open, setOpen] = useFold(`child ${run}`, false)
  const Chevron = open ? ChevronDown : ChevronRight
  return (
    <div className="talk-why">
      <div className="flex flex-wrap items-center gap-3">
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Chevron aria-hidden />
          <span>{t('talk.child_steps')}</span>
        </button>
        <RunLink run={run} />
      </div>
      {open ? (
        <Suspense fallback={null}>
          <ChildSteps run={run} />
        </Suspense>
      ) : null}
    </div>
  )
}

/** The way to a run that a step started. */
export function RunLink({ run }: { run: string }) {
  const t = useT()
  return (
    <Link href={`/runs/${run}`} className="link inline-flex items-center gap-1 text-sm">
      <ExternalLink aria-hidden className="size-3.5" />
      {t('talk.child_run')}
    </Link>
  )
}
