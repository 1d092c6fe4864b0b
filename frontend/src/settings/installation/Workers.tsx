/** Which workers are there, what they do in numbers, and when each last said so. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '@/api/client'
import { type InstallationWorker, installationWorkersQuery } from '@/api/installation'
import { useT } from '@/i18n'
import { duration, LoadFailed, number, Scroll, Skeleton, StatusWord } from '@/ui'
import { Facts } from './parts'

function Row({ worker }: { readonly worker: InstallationWorker }) {
  const t = useT()
  return (
    <tr>
      <td className="font-mono text-xs">{worker.name}</td>
      <td>
        <StatusWord status={worker.alive ? 'succeeded' : 'failed'}>
          {t(worker.alive ? 'installation.alive' : 'installation.silent')}
        </StatusWord>
      </td>
      <td className="text-right tabular-nums">
        {t('installation.of', { n: worker.running, most: worker.capacity })}
      </td>
      <td className="text-right tabular-nums">
        {t('installation.ago', { time: duration(Math.max(1, Math.round(worker.seen_s)) * 1000) })}
      </td>
      <td className="text-right tabular-nums narrow:hidden phone:hidden">
        {t('installation.ago', { time: duration(Math.max(1, Math.round(worker.age_s)) * 1000) })}
      </td>
    </tr>
  )
}

export function Workers() {
  const t = useT()
  const { data, error, refetch } = useQuery(installationWorkersQuery)
  if (error && !data) return <LoadFailed error={asApiError(error)} onRetry={refetch} />
  if (!data) return <Skeleton rows={3} />
  return (
    <>
      <Facts
        facts={[
          [t('installation.running'), t('installation.of', { n: data.running, most: data.limit })],
          [t('installation.queued'), number(data.queued)],
          [t('installation.waiting'), number(data.waiting)],
          ...(data.oldest_s === null
            ? []
            : [[t('installation.oldest'), duration(data.oldest_s * 1000)] as const]),
          [t('installation.lease'), duration(data.lease_s * 1000)],
        ]}
      />
      {data.workers.length === 0 ? (
        <p className="text-waiting">{t('installation.no_workers')}</p>
      ) : (
        <Scroll label={t('installation.workers')} className="table-framed rounded-md border border-line">
          <table className="table">
            <thead>
              <tr>
                <th>{t('installation.worker')}</th>
                <th className="w-28 phone:w-24">{t('installation.state')}</th>
                <th className="w-20 text-right">{t('installation.load')}</th>
                <th className="w-28 text-right phone:w-24">{t('installation.heartbeat')}</th>
                <th className="w-32 text-right narrow:hidden phone:hidden">{t('installation.started')}</th>
              </tr>
            </thead>
            <tbody>
              {data.workers.map((worker) => (
                <Row key={worker.name} worker={worker} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </>
  )
}
