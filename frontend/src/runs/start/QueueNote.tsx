/** Where a run stands in the queue, and how busy the installation is. */
import { Link } from 'wouter'
import { useQueue } from '@/api/usage'
import { useT } from '@/i18n'
import { duration } from '@/ui'

/** In the bar of the runs: how many go on of how many may, and how many wait. */
export function QueueNote() {
  const t = useT()
  const { data } = useQueue()
  if (!data) return null
  const parts = [
    t('usage.queue_short', { running: data.running, limit: data.limit }),
    data.queued ? t('usage.queue_waiting', { n: data.queued }) : '',
    data.queued && data.oldest_s !== null && data.oldest_s >= 1
      ? t('usage.queue_oldest', { time: duration(data.oldest_s * 1000) })
      : '',
  ].filter(Boolean)
  return (
    <span
      className={data.queued ? 'text-xs text-waiting tabular-nums' : 'text-xs text-muted tabular-nums'}
      role="status"
    >
      {parts.join(' · ')}
      {data.workers.length ? '' : ` · ${t('usage.no_workers')}`}
    </span>
  )
}

/** The same on a phone, where it stands alone and only while runs wait. */
export function QueueStrip() {
  const { data } = useQueue()
  if (!data || (!data.queued && data.workers.length)) return null
  return (
    <p className="border-b border-line bg-well px-4 py-1">
      <QueueNote />
    </p>
  )
}

const SOON_S = 2

/** In the header of a run that waits for its turn. */
export function PlaceInQueue({ run }: { readonly run: string }) {
  const t = useT()
  const { data } = useQueue()
  if (!data?.queued) return null
  const place = data.runs.find((entry) => entry.run === run)
  const lacks = place?.server ?? null
  // a run that has just been started is taken at once, unless a place is lacking or nobody takes any
  if (place?.busy) return <BusyNote run={place.busy} />
  if (lacks === null && data.running < data.limit && (data.oldest_s ?? 0) < SOON_S) return null
  const busy = { n: data.running, limit: data.limit }
  return (
    <span className="text-xs text-waiting tabular-nums" role="status">
      {!place
        ? t('usage.place_far', busy)
        : lacks === null
          ? t('usage.place', { ...busy, position: place.position ?? 0 })
          : lacks
            ? t('usage.place_server', { position: place.position ?? 0, server: lacks })
            : t('usage.place_private', { position: place.position ?? 0 })}
    </span>
  )
}

/** The run that has the place of the workflow's concurrency key. */
function BusyNote({ run }: { readonly run: string }) {
  const t = useT()
  const [before, after] = t('usage.place_busy', { run: '\n' }).split('\n')
  return (
    <span className="text-xs text-waiting" role="status">
      {before}
      <Link className="underline" href={`/runs/${run}`}>
        {t('usage.that_run')}
      </Link>
      {after}
    </span>
  )
}
