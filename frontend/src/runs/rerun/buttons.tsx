/** The ways to run again: retry what failed, fork from a step, and where a run was forked from. */

import { GitFork, RotateCcw } from 'lucide-react'
import { Link } from 'wouter'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import type { Step } from '@/live/fold'
import { useRunInfo } from '@/live/run-store'
import { Button, IconButton, useActions } from '@/ui'
import { usePhone } from '@/ui/media'
import { requestRerun } from './request'

/** Offered once a run failed or was cancelled, to those who may run. */
export function RetryButton({ primary = false }: { readonly primary?: boolean }) {
  const t = useT()
  const may = useMay('editor')
  const small = usePhone()
  const info = useRunInfo()
  const failed = info !== null && !info.going && (info.state === 'ERROR' || info.state === 'CANCELLED')
  const failedAt = Boolean(info?.error?.node)
  const words = t(failedAt ? 'rerun.retry' : 'rerun.go_on')
  const short = t(failedAt ? 'rerun.retry_short' : 'rerun.go_on_short')
  const run = () => {
    if (info) requestRerun({ run: info.run, node: null })
  }
  useActions([{ id: 'runs.retry', title: words, group: t('runs.title'), run, when: () => may && failed }])
  if (!failed || !may) return null
  return (
    <Button
      variant={primary ? 'primary' : 'plain'}
      size={primary ? 'medium' : 'small'}
      icon={<RotateCcw aria-hidden />}
      aria-label={words}
      tip={small ? words : undefined}
      onClick={run}
    >
      {primary ? (
        small ? (
          short
        ) : (
          words
        )
      ) : (
        <>
          <span className="small:hidden">{words}</span>
          <span className="hidden small:inline">{short}</span>
        </>
      )}
    </Button>
  )
}

/** In the head of a step, once the run has ended. */
export function ForkButton({ step, title }: { readonly step: Step; readonly title: string }) {
  const t = useT()
  const may = useMay('editor')
  const info = useRunInfo()
  if (!info || info.going || !may) return null
  const node = step.path[0]?.node ?? step.node
  return (
    <IconButton
      label={node === step.node ? t('rerun.fork_from', { step: title }) : t('rerun.fork_around')}
      size="small"
      onClick={() => requestRerun({ run: info.run, node })}
    >
      <GitFork />
    </IconButton>
  )
}

/** Where the run came from, with the way there. */
export function OriginNote({ titleOf }: { readonly titleOf: (node: string) => string }) {
  const t = useT()
  const info = useRunInfo()
  const origin = info?.origin
  if (!origin) return null
  const words =
    origin.node === null ? t('rerun.origin') : t('rerun.origin_from', { step: titleOf(origin.node) })
  return (
    <Link href={`/runs/${origin.run}`} className="link inline-flex min-w-0 items-center gap-1 text-xs">
      <GitFork size={12} className="flex-none" aria-hidden />
      <span className="truncate">{words}</span>
    </Link>
  )
}
