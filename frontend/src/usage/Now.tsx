/** How busy the installation is at this moment, and how much it stores. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { asApiError } from '@/api/client'
import { storageQuery, useQueue } from '@/api/usage'
import { useT } from '@/i18n'
import { bytes, duration, LoadFailed, number, relativeTime, Skeleton } from '@/ui'

/** Beside the figures that say it too. */
function Meter({ value, most }: { readonly value: number; readonly most: number }) {
  return (
    <span className="usage-meter" data-tone={value >= most ? 'waiting' : 'running'} aria-hidden>
      <i style={{ width: `${Math.min(100, (value / Math.max(1, most)) * 100)}%` }} />
    </span>
  )
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="usage-fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

export function QueuePanel() {
  const t = useT()
  const { data, error, refetch } = useQueue()
  return (
    <section className="usage-panel" aria-labelledby="usage-now">
      <h2 id="usage-now" className="usage-title">
        {t('usage.now')}
      </h2>
      {error ? <LoadFailed error={asApiError(error)} onRetry={refetch} /> : null}
      {data ? (
        <dl>
          <Fact label={t('usage.running')}>
            <Meter value={data.running} most={data.limit} />
            {t('usage.of', { n: data.running, most: data.limit })}
          </Fact>
          <Fact label={t('usage.queued')}>{number(data.queued)}</Fact>
          {data.oldest_s === null ? null : (
            <Fact label={t('usage.oldest')}>{duration(data.oldest_s * 1000)}</Fact>
          )}
          {data.workers.map((worker) => (
            <Fact key={worker.name} label={t('usage.worker', { name: worker.name })}>
              <Meter value={worker.running} most={worker.capacity} />
              {t('usage.of', { n: worker.running, most: worker.capacity })}
            </Fact>
          ))}
          {data.workers.length ? null : <p className="usage-warning">{t('usage.no_workers')}</p>}
        </dl>
      ) : error ? null : (
        <Skeleton rows={3} />
      )}
    </section>
  )
}

export function StoragePanel() {
  const t = useT()
  const { data, error, refetch } = useQuery(storageQuery)
  return (
    <section className="usage-panel" aria-labelledby="usage-storage">
      <h2 id="usage-storage" className="usage-title">
        {t('usage.storage')}
      </h2>
      {error ? <LoadFailed error={asApiError(error)} onRetry={refetch} /> : null}
      {data ? (
        <dl>
          <Fact label={t('usage.database')}>{bytes(data.database_bytes)}</Fact>
          <Fact label={t('usage.runs')}>{number(data.runs)}</Fact>
          <Fact label={t('usage.events')}>{number(data.events)}</Fact>
          <Fact label={t('usage.blobs')}>
            {number(data.blobs.count)} · {bytes(data.blobs.bytes)}
          </Fact>
          <Fact label={t('usage.files')}>
            {number(data.files.count)} · {bytes(data.files.bytes)}
          </Fact>
          {data.oldest_run ? (
            <Fact label={t('usage.oldest_run')}>{relativeTime(data.oldest_run)}</Fact>
          ) : null}
          <Fact label={t('usage.retention')}>
            {data.retention_days ? t('usage.days', { n: data.retention_days }) : t('usage.forever')}
          </Fact>
        </dl>
      ) : error ? null : (
        <Skeleton rows={5} />
      )}
    </section>
  )
}
