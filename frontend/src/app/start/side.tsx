/** Servers that somebody should look at, triggers that went off by themselves, and what starts by itself next. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Clock } from 'lucide-react'
import { Suspense } from 'react'
import { flatten } from '@/api/runs'
import { serverPagesQuery } from '@/api/servers'
import { type Trigger, triggersQuery } from '@/api/triggers'
import { loadWords, useT } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { HealthWord, Warnings } from '@/registry/list/ServerList'
import { dateTime, RelativeTime, visible } from '@/ui'
import { LinkedRow, Part } from './parts'

const MOST_SERVERS = 3
const MOST_TIMES = 3
const MOST_OFF = 3
/** For so long a trigger that went off is shown here. */
const OFF_MS = 14 * 86_400_000

const LateWentOff = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./WentOff')), loadWords('triggers')])
  return { default: file.WentOff }
})

/** Nothing stands here while every server is well. */
export function ServersToMend() {
  const t = useT()
  const page = useInfiniteQuery(serverPagesQuery('attention')).data?.pages[0]
  if (!page || page.results.length === 0) return null
  return (
    <Part
      title={t('workflows.busy_servers')}
      note={
        page.counts ? t('workflows.busy_attention', { n: page.counts.attention, all: page.counts.all }) : null
      }
      all={{ href: '/registry', label: t('workflows.busy_registry') }}
    >
      <ul>
        {page.results.slice(0, MOST_SERVERS).map((server) => (
          <LinkedRow
            key={server.id}
            name={server.name}
            href={`/registry/${server.slug}`}
            about={
              <span className="flex min-w-0 flex-wrap items-center gap-2 text-xs">
                <HealthWord server={server} />
                <Warnings server={server} />
              </span>
            }
          />
        ))}
      </ul>
    </Part>
  )
}

const offSince = ({ enabled, off_at, off_reason }: Trigger): number =>
  !enabled && off_reason && off_at ? Date.parse(off_at) : 0

/** Nothing stands here, and nothing is loaded for it, while none went off. */
export function TriggersThatWentOff() {
  const since = Date.now() - OFF_MS
  const off = flatten(useInfiniteQuery(triggersQuery('')).data)
    .filter((trigger) => offSince(trigger) > since)
    .sort((left, right) => offSince(right) - offSince(left))
    .slice(0, MOST_OFF)
  if (off.length === 0) return null
  return (
    <Suspense fallback={null}>
      <LateWentOff triggers={off} />
    </Suspense>
  )
}

/** The next times of schedules; nothing where there are none, or more triggers than the newest that are read. */
export function ComingUp() {
  const t = useT()
  const query = useInfiniteQuery(triggersQuery(''))
  const next = flatten(query.data)
    .flatMap((trigger) => (trigger.enabled && trigger.next_at ? [{ trigger, at: trigger.next_at }] : []))
    .sort((left, right) => left.at.localeCompare(right.at))
    .slice(0, MOST_TIMES)
  if (next.length === 0 || query.hasNextPage) return null
  return (
    <Part title={t('workflows.busy_coming')} all={{ href: '/triggers', label: t('workflows.busy_triggers') }}>
      <ul>
        {next.map(({ trigger, at }) => (
          <LinkedRow
            key={trigger.id}
            icon={<Clock aria-hidden className="size-4 flex-none text-muted" />}
            name={trigger.name}
            href={`/triggers/${trigger.id}`}
            about={<span className="truncate text-xs text-muted">{visible(trigger.workflow_name)}</span>}
          >
            <span className="relative text-xs whitespace-nowrap text-muted" data-tip={dateTime(at)}>
              <RelativeTime value={at} />
            </span>
          </LinkedRow>
        ))}
      </ul>
    </Part>
  )
}
