/** What this installation is, and where its other doors are. */
import { useQuery } from '@tanstack/react-query'
import { api, pageData } from '@/api/client'
import { useT } from '@/i18n'
import { docsHref } from '@/i18n/docs'
import { StatusWord } from '@/ui'

export function About() {
  const t = useT()
  const page = pageData()
  const { data } = useQuery({
    queryKey: ['health'],
    queryFn: () => api.get('/api/health'),
    refetchInterval: 15_000,
  })
  const ok = data?.status === 'ok'
  return (
    <dl className="grid grid-cols-[120px_minmax(0,1fr)] items-center gap-x-3 gap-y-3 text-sm">
      <dt className="text-muted">{t('settings.version')}</dt>
      <dd className="font-mono">{data?.version ?? page.version}</dd>
      <dt className="text-muted">{t('settings.mode')}</dt>
      <dd>
        {(data?.mode ?? page.mode) === 'scaled' ? t('settings.mode_scaled') : t('settings.mode_embedded')}
      </dd>
      <dt className="text-muted">{t('settings.state')}</dt>
      <dd className="flex [&>.status]:whitespace-normal">
        {data ? (
          <StatusWord status={ok ? 'succeeded' : 'waiting'}>
            {ok ? t('settings.state_ok') : t('settings.state_starting')}
          </StatusWord>
        ) : null}
      </dd>
      <dt className="text-muted">{t('settings.api')}</dt>
      <dd>
        <a className="link font-mono" href="/api/schema">
          /api/schema
        </a>
      </dd>
      <dt className="text-muted">{t('app.docs')}</dt>
      <dd>
        <a className="link font-mono" href={docsHref('start')}>
          {docsHref('start')}
        </a>
      </dd>
    </dl>
  )
}
