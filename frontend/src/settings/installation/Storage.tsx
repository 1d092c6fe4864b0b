/** How much every team has stored, in numbers. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '@/api/client'
import { installationStorageQuery } from '@/api/installation'
import { useT } from '@/i18n'
import { bytes, LoadFailed, number, Scroll, Skeleton, visible } from '@/ui'
import { Facts } from './parts'

export function Storage() {
  const t = useT()
  const { data, error, refetch } = useQuery(installationStorageQuery)
  if (error && !data) return <LoadFailed error={asApiError(error)} onRetry={refetch} />
  if (!data) return <Skeleton rows={4} />
  return (
    <>
      <Facts
        facts={[
          [t('installation.database'), bytes(data.database_bytes)],
          [t('installation.blobs'), bytes(data.blobs.bytes)],
          [t('installation.files'), bytes(data.files.bytes)],
          [t('installation.free'), bytes(data.free_mb * 1024 * 1024)],
          [
            t('installation.retention'),
            data.retention_days
              ? t('installation.days', { n: data.retention_days })
              : t('installation.forever'),
          ],
        ]}
      />
      <Scroll label={t('installation.storage')} className="table-framed rounded-md border border-line">
        <table className="table">
          <thead>
            <tr>
              <th>{t('installation.team')}</th>
              <th className="w-20 text-right narrow:hidden phone:hidden">{t('installation.members')}</th>
              <th className="w-20 text-right phone:hidden">{t('installation.runs')}</th>
              <th className="w-24 text-right narrow:hidden phone:hidden">{t('installation.events')}</th>
              <th className="w-28 text-right phone:w-24">{t('installation.size')}</th>
              <th className="w-24 text-right">{t('installation.files_size')}</th>
            </tr>
          </thead>
          <tbody>
            {data.teams.map((team) => (
              <tr key={team.id}>
                <td className="font-medium">{visible(team.name)}</td>
                <td className="text-right tabular-nums narrow:hidden phone:hidden">{number(team.members)}</td>
                <td className="text-right tabular-nums phone:hidden">{number(team.runs)}</td>
                <td className="text-right tabular-nums narrow:hidden phone:hidden">{number(team.events)}</td>
                <td className="text-right tabular-nums">{bytes(team.blobs.bytes)}</td>
                <td className="text-right tabular-nums">{bytes(team.files.bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {data.teams_count > data.teams.length ? (
        <p className="text-xs text-muted">
          {t('installation.teams_more', { n: number(data.teams.length), all: number(data.teams_count) })}
        </p>
      ) : null}
    </>
  )
}
