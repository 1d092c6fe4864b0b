/** One provider: whether it answers, its models, its configuration. */
import { ArrowLeft, Power, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { asApiError } from '@/api/client'
import type { Provider } from '@/api/providers'
import { useMay } from '@/api/queries'
import { UserCredentials } from '@/forms'
import { useT } from '@/i18n'
import { openDocs } from '@/i18n/docs'
import { Button, Confirm, ErrorBox, IconButton, RelativeTime, Select, StatusWord } from '@/ui'
import { healthOf } from './health'
import { Models } from './Models'
import { useChangeProvider, useDeleteProvider, useTest, useUserCredentials } from './mutations'
import { ProviderSettings } from './ProviderSettings'
import { Stages } from './Stages'

function Delete({
  provider,
  onClose,
  onDeleted,
}: {
  provider: Provider
  onClose: () => void
  onDeleted: () => void
}) {
  const t = useT()
  const remove = useDeleteProvider(provider.id)
  return (
    <Confirm
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={t('providers.delete_title', { name: provider.name })}
      action={t('providers.delete')}
      busy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
    >
      <p>{t('providers.delete_text')}</p>
      {remove.error ? <ErrorBox error={asApiError(remove.error)} /> : null}
    </Confirm>
  )
}

function Test({ provider }: { provider: Provider }) {
  const t = useT()
  const may = useMay('editor')
  const { report, test } = useTest(provider.id)
  const [model, setModel] = useState('')
  const going = test.isPending
  const { status } = provider
  return (
    <section className="grid grid-cols-1 gap-3" aria-label={t('providers.connection')}>
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="mr-auto">{t('providers.connection')}</h3>
        {provider.models.length > 1 ? (
          <Select
            aria-label={t('providers.test_with')}
            value={model}
            onChange={setModel}
            options={[
              { value: '', label: t('providers.first_model') },
              ...provider.models.map((model) => ({ value: model.id, label: model.id })),
            ]}
          />
        ) : null}
        <Button
          icon={<RefreshCw />}
          busy={going}
          blocked={may ? undefined : t('providers.editors_only')}
          onClick={() => test.mutate(model)}
        >
          {t('providers.test')}
        </Button>
      </div>
      {test.error && !going ? <ErrorBox error={asApiError(test.error)} /> : null}
      {report || going ? (
        <>
          <Stages report={report} going={going} />
          {report && !report.ok && !going ? (
            <div>
              <Button variant="quiet" onClick={() => openDocs('providers')}>
                {t('providers.how_to_read')}
              </Button>
            </div>
          ) : null}
        </>
      ) : (
        <p className="text-sm text-muted">
          {status.checked_at ? (
            <>
              {t('providers.last_checked')} <RelativeTime value={status.checked_at} />
              {status.message ? `: ${status.message} ${status.hint}` : ''}
            </>
          ) : (
            t('providers.never_tested')
          )}
        </p>
      )}
    </section>
  )
}

export function ProviderDetail({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const t = useT()
  const may = useMay('admin')
  const blocked = may ? undefined : t('settings.admins_only')
  const change = useChangeProvider(provider.id)
  const [deleting, setDeleting] = useState(false)
  const health = healthOf(provider)
  const own = useUserCredentials(provider.id)
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Link
          className="btn btn-quiet btn-icon"
          href="/settings/providers"
          aria-label={t('providers.back')}
          data-tip={t('providers.back')}
        >
          <ArrowLeft aria-hidden />
        </Link>
        <h2 className="min-w-0 truncate">{provider.name}</h2>
        <code className="font-mono text-xs text-muted" data-tip={t('providers.slug_tip')}>
          {provider.slug}
        </code>
        <StatusWord status={health.status}>{t(health.word)}</StatusWord>
        <span className="ml-auto flex gap-1">
          <Button
            icon={<Power />}
            blocked={blocked}
            busy={change.isPending}
            onClick={() => change.mutate({ enabled: !provider.enabled })}
          >
            {provider.enabled ? t('providers.switch_off') : t('providers.switch_on')}
          </Button>
          <IconButton label={t('providers.delete')} blocked={blocked} onClick={() => setDeleting(true)}>
            <Trash2 />
          </IconButton>
        </span>
      </div>
      {change.error ? <ErrorBox error={asApiError(change.error)} /> : null}
      {provider.own_credentials ? (
        <UserCredentials
          own={provider.own_credentials}
          name={provider.name}
          keyLabel={t('providers.key')}
          {...own}
        />
      ) : null}
      <Test provider={provider} />
      <Models provider={provider} />
      <ProviderSettings provider={provider} />
      {deleting ? (
        <Delete provider={provider} onClose={() => setDeleting(false)} onDeleted={onClose} />
      ) : null}
    </>
  )
}
