/** The operators' page: who they are, what is allowed, programs that wait, storage and workers of all teams in numbers. */
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '@/api/client'
import { installationQuery } from '@/api/installation'
import { useT } from '@/i18n'
import { ProgramList } from '@/interactions/programs'
import { Chip, LoadFailed, Skeleton, visible } from '@/ui'
import { ListingRow } from '../listing'
import { Allowed } from './Allowed'
import { Part } from './parts'
import { Storage } from './Storage'
import { Workers } from './Workers'

function Operators({
  operators,
}: {
  readonly operators: readonly { email: string; name: string; named: boolean }[]
}) {
  const t = useT()
  return (
    <Part id="operators" title={t('installation.operators')}>
      <p className="text-muted">
        {t('installation.operators_text')}
        <code className="mt-1 block font-mono text-xs">manage.py operator EMAIL [--remove]</code>
      </p>
      <ul className="overflow-hidden rounded-md border border-line">
        {operators.map((operator) => (
          <ListingRow key={operator.email}>
            <span className="min-w-0 break-words">
              <span className="font-medium">{visible(operator.name || operator.email)}</span>{' '}
              {operator.name ? <span className="text-muted">{visible(operator.email)}</span> : null}
            </span>
            {operator.named ? null : (
              <span className="ml-auto">
                <Chip>{t('installation.operator_owner')}</Chip>
              </span>
            )}
          </ListingRow>
        ))}
      </ul>
    </Part>
  )
}

export function Installation() {
  const t = useT()
  const { data, error, refetch } = useQuery(installationQuery)
  if (error && !data) return <LoadFailed error={asApiError(error)} onRetry={refetch} />
  return (
    <>
      <p className="text-muted">{t('installation.intro')}</p>
      {data ? <Operators operators={data.operators} /> : <Skeleton rows={2} />}
      <Part id="programs" title={t('installation.programs')} text={t('installation.programs_text')}>
        <div>
          <ProgramList />
        </div>
      </Part>
      {data ? <Allowed facts={data} /> : <Skeleton rows={4} />}
      <Part id="storage" title={t('installation.storage')}>
        <Storage />
      </Part>
      <Part id="workers" title={t('installation.workers')}>
        <Workers />
      </Part>
    </>
  )
}
