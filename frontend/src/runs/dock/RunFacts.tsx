/** The run in one line: state, time, tokens, and what it waits for. */

import { Hand, ServerOff } from 'lucide-react'
import { listOf, useT } from '@/i18n'
import { type RunInfo, useNow, useRunInfo } from '@/live/run-store'
import { PlaceInQueue } from '@/runs/start/QueueNote'
import { Chip, clock, cost, cx, duration, number, StatusWord } from '@/ui'

/** How long a run took, or has taken so far, ms; null before it began. */
export function useElapsed(
  info: Pick<RunInfo, 'startedAt' | 'endedAt' | 'lastAt' | 'ended' | 'scrub'> | null,
): number | null {
  const going = info !== null && !info.ended && info.startedAt !== null && info.scrub === null
  const now = useNow(going)
  if (!info || info.startedAt === null) return null
  const last = info.lastAt ?? info.startedAt
  const end = info.endedAt ?? (going ? Math.max(now, last) : last)
  return Math.max(0, end - info.startedAt)
}

export function RunFacts() {
  const t = useT()
  const info = useRunInfo()
  const elapsed = useElapsed(info)
  if (!info) return null
  const tokens = info.usage.input_tokens + info.usage.output_tokens
  const facts = [
    elapsed === null ? '' : duration(elapsed),
    tokens > 0 ? t('runs.tokens', { n: tokens }) : '',
    info.usage.cost > 0 ? cost(info.usage.cost) : '',
  ].filter(Boolean)
  return (
    <span className="inline-flex items-center gap-2 min-w-0 whitespace-nowrap phone:mr-1">
      <StatusWord status={info.status} />
      <span
        className={cx(
          'min-w-0 truncate text-xs text-muted tabular-nums phone:hidden',
          info.waiting.some((wait) => wait.kind === 'timer') && 'small:hidden', // until when says more
        )}
      >
        {facts.join(' · ')}
      </span>
      {info.serversOff.length > 0 ? (
        <Chip tip={t('runs.servers_off_tip', { names: listOf(info.serversOff) })}>
          <span className="max-lg:sr-only">{t('runs.servers_off', { n: info.serversOff.length })}</span>
          <span className="inline-flex items-center gap-1 lg:hidden" aria-hidden>
            <ServerOff />
            {number(info.serversOff.length)}
          </span>
        </Chip>
      ) : null}
      <WaitsFor info={info} />
    </span>
  )
}

function WaitsFor({ info }: { info: RunInfo }) {
  const t = useT()
  if (info.openQuestions > 0) {
    return info.status === 'person' ? null : (
      <span className="status phone:hidden" data-tone="person">
        <Hand aria-hidden />
        {t('runs.waits_for_you')}
      </span>
    )
  }
  if (info.status === 'queued') {
    return (
      <span className="min-w-0 truncate phone:hidden">
        <PlaceInQueue run={info.run} />
      </span>
    )
  }
  const timer = info.waiting.find((wait) => wait.kind === 'timer')
  if (!timer?.until) return null
  const until = typeof timer.until === 'number' ? new Date(timer.until * 1000).toISOString() : timer.until
  return (
    <span className="text-xs text-muted tabular-nums phone:hidden">
      {t('runs.waits_for_timer', { time: clock(until) })}
    </span>
  )
}
