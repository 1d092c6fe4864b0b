/** Providers of models: the team's list, adding one, and one of them in full. */
import { useQuery } from '@tanstack/react-query'
import { ChevronRight, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useSearchResults } from '@/api/choices'
import { api, asApiError } from '@/api/client'
import { type Provider, providersQuery } from '@/api/providers'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, Chip, EmptyState, ErrorBox, LoadFailed, More, Skeleton, StatusWord, TextField } from '@/ui'
import { AddProvider } from './AddProvider'
import { healthOf } from './health'
import { ProviderDetail } from './ProviderDetail'
import './providers.css'

function Row({ provider }: { provider: Provider }) {
  const t = useT()
  const health = healthOf(provider)
  return (
    <li className="border-b border-line last:border-0">
      <Link
        href={`/settings/providers/${provider.slug}`}
        className="flex min-h-11 items-center gap-3 px-3 py-1.5 hover:bg-hover"
      >
        <span className="min-w-0 flex-1">
          <span className="flex items-center gap-2">
            <span className="truncate font-medium">{provider.name}</span>
            {provider.visibility === 'private' ? <Chip>{t('providers.who_me')}</Chip> : null}
          </span>
          <span className="block truncate font-mono text-xs text-muted">
            {provider.base_url.replace(/^https?:\/\//, '')}
          </span>
        </span>
        <span className="text-sm text-muted tabular-nums phone:hidden">
          {t('providers.model_count', { n: provider.models.length })}
        </span>
        <StatusWord status={health.status} className="min-w-28 phone:min-w-0">
          {t(health.word)}
        </StatusWord>
        <ChevronRight size={14} className="flex-none text-muted" aria-hidden />
      </Link>
    </li>
  )
}

/** The team's providers by name; what is looked for, and the pages, are the server's. */
function ProviderRows({ add }: { readonly add: ReactNode }) {
  const t = useT()
  const results = useSearchResults<Provider>(
    ['provider', 'found'],
    (query) => api.get('/api/providers', { params: { query: { ...query, sort: 'name' } } }),
    true,
  )
  if (results.error) return <LoadFailed error={asApiError(results.error)} onRetry={results.refetch} />
  if (results.pending) return <Skeleton rows={2} />
  if (results.rows.length === 0 && results.search === '' && !results.busy)
    return <EmptyState flush title={t('providers.none')} text={t('providers.none_text')} actions={add} />
  return (
    <>
      {results.long ? (
        <TextField
          inputType="search"
          aria-label={t('common.search')}
          placeholder={t('common.search')}
          value={results.search}
          onChange={results.onSearch}
        />
      ) : null}
      {results.rows.length > 0 ? (
        <ul className="overflow-hidden rounded-md border border-line">
          {results.rows.map((provider) => (
            <Row key={provider.id} provider={provider} />
          ))}
        </ul>
      ) : (
        <p className="text-sm text-muted">{t('common.no_match')}</p>
      )}
      {results.more ? <More busy={results.busy} failed={results.failed} load={results.more} /> : null}
      <div>{add}</div>
    </>
  )
}

export function Providers({ item }: { readonly item: string | undefined }) {
  const t = useT()
  const admin = useMay('admin')
  const [, navigate] = useLocation()
  const { data } = useQuery({ ...providersQuery, enabled: item !== undefined })
  const [adding, setAdding] = useState(false)
  const chosen = item ? data?.find((entry) => entry.slug === item || entry.id === item) : undefined
  const blocked = admin ? undefined : t('settings.admins_only')
  const button = (
    <Button icon={<Plus />} variant="primary" blocked={blocked} onClick={() => setAdding(true)}>
      {t('providers.add')}
    </Button>
  )
  if (chosen) {
    return (
      <ProviderDetail
        // another provider, or one whose models were saved elsewhere, begins anew
        key={chosen.id}
        provider={chosen}
        onClose={() => navigate('/settings/providers')}
      />
    )
  }
  return (
    <>
      <h2>{t('providers.title')}</h2>
      <p className="text-muted">{t('providers.text')}</p>
      {item && data ? <ErrorBox error={{ code: 'NOT_FOUND', message: t('providers.gone') }} /> : null}
      <ProviderRows add={button} />
      {adding ? (
        <AddProvider
          onClose={() => setAdding(false)}
          onAdded={(result) => {
            setAdding(false)
            navigate(`/settings/providers/${result.slug}`)
          }}
        />
      ) : null}
    </>
  )
}
