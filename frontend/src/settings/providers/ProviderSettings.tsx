/** A provider's configuration. The key is kept unless it is written anew. */
import { type FormEvent, useState } from 'react'
import { asApiError } from '@/api/client'
import type { Provider } from '@/api/providers'
import { useMay } from '@/api/queries'
import {
  CredentialOwnerField,
  changesOrigin,
  ForgetsUserCredentials,
  fieldError,
  KeptSecret,
  Pairs,
  SaveFoot,
  SecretField,
} from '@/forms'
import { useT } from '@/i18n'
import { Callout, Checkbox, ErrorBox, Field, Segmented, TextField } from '@/ui'
import { changeOf, type Draft, draftOf } from './draft'
import { useChangeProvider } from './mutations'

type Fields = Parameters<typeof fieldError>[0]
type Times = 'connectS' | 'firstTokenS' | 'idleS' | 'totalS'

interface PartProps {
  readonly draft: Draft
  readonly change: (next: Partial<Draft>) => void
}

/** The key that everybody uses, and what becomes of the one that is there. */
function KeyPart({
  provider,
  draft,
  change,
  error,
}: PartProps & { readonly provider: Provider; readonly error: string | undefined }) {
  const t = useT()
  const keeps = provider.api_key_set && !draft.key
  return (
    <>
      <SecretField
        label={t('providers.key')}
        aside={<KeptSecret />}
        value={draft.key}
        placeholder={
          provider.api_key_set ? t('forms.kept_as', { hint: provider.api_key_hint }) : t('providers.no_key')
        }
        onChange={(key) => change({ key })}
        error={error}
        hint={t('providers.key_hint')}
      />
      {keeps ? (
        <Checkbox
          checked={draft.dropKey}
          onChange={(dropKey) => change({ dropKey })}
          label={t('providers.remove_key')}
        />
      ) : null}
      {keeps && changesOrigin(provider.base_url, draft.baseUrl) ? (
        <Callout tone="waiting">{t('providers.key_stays')}</Callout>
      ) : null}
    </>
  )
}

/** How long each part of an answer may take, in seconds. */
function TimesPart({ draft, change, fields }: PartProps & { readonly fields: Fields }) {
  const t = useT()
  const time = (name: Times, field: string, label: string) => (
    <TextField
      label={label}
      inputType="number"
      min={0.001}
      step="any"
      value={draft[name]}
      onChange={(value) => change({ [name]: value })}
      error={fieldError(fields, field)}
      after={<span className="text-muted">{t('forms.timeout_type')}</span>}
    />
  )
  return (
    <div className="grid grid-cols-4 gap-4 phone:grid-cols-2">
      {time('connectS', 'connect_timeout_ms', t('providers.time_connect'))}
      {time('firstTokenS', 'first_token_timeout_ms', t('providers.time_first_token'))}
      {time('idleS', 'idle_timeout_ms', t('providers.time_idle'))}
      {time('totalS', 'timeout_ms', t('providers.time_total'))}
    </div>
  )
}

export function ProviderSettings({ provider }: { provider: Provider }) {
  const t = useT()
  const may = useMay('admin')
  const save = useChangeProvider(provider.id)
  const [draft, setDraft] = useState(() => draftOf(provider))
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }))
  const changes = changeOf(provider, draft)
  const dirty = Object.keys(changes).length > 0
  const error = save.error ? asApiError(save.error) : null
  const fields = error?.fields ?? {}
  const moved = changesOrigin(provider.base_url, draft.baseUrl)
  const forgets = provider.credentials === 'user' && (moved || draft.credentials === 'shared')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(changes, { onSuccess: (saved) => setDraft(draftOf(saved)) })
  }
  return (
    <form
      className="grid grid-cols-1 content-start gap-4"
      onSubmit={submit}
      aria-label={t('providers.configuration')}
    >
      <h3>{t('providers.configuration')}</h3>
      {may ? null : <Callout tone="idle">{t('settings.admins_only')}</Callout>}
      <fieldset className="contents" disabled={!may}>
        <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
          <TextField
            label={t('common.name')}
            required
            value={draft.name}
            onChange={(name) => change({ name })}
            error={fieldError(fields, 'name')}
          />
          <TextField
            label={t('providers.base_url')}
            mono
            required
            value={draft.baseUrl}
            onChange={(baseUrl) => change({ baseUrl })}
            error={fieldError(fields, 'base_url')}
          />
        </div>
        {provider.credentials === 'user' && draft.credentials === 'user' ? null : (
          <KeyPart provider={provider} draft={draft} change={change} error={fieldError(fields, 'api_key')} />
        )}
        <Pairs
          label={t('providers.headers')}
          add={t('providers.add_header')}
          rows={draft.headers}
          onRows={(headers) => change({ headers })}
          error={fieldError(fields, 'headers') ?? fieldError(fields, 'secret_headers')}
        />
        <TimesPart draft={draft} change={change} fields={fields} />
        <WhoMayUse
          value={draft.visibility}
          onChange={(visibility) => change({ visibility })}
          disabled={!may}
        />
        <CredentialOwnerField
          value={draft.credentials}
          onChange={(credentials) => change({ credentials })}
          disabled={!may}
          error={fieldError(fields, 'credentials')}
        />
        {forgets ? <ForgetsUserCredentials /> : null}
      </fieldset>
      {error ? <ErrorBox error={error} /> : null}
      <SaveFoot
        dirty={dirty}
        saved={save.isSuccess}
        busy={save.isPending}
        onRevert={() => setDraft(draftOf(provider))}
      />
    </form>
  )
}

export function WhoMayUse({
  value,
  onChange,
  disabled = false,
}: {
  readonly value: Draft['visibility']
  readonly onChange: (value: Draft['visibility']) => void
  readonly disabled?: boolean
}) {
  const t = useT()
  return (
    <Field label={t('providers.who')}>
      {() => (
        <div className="flex flex-wrap items-center gap-2">
          <Segmented<Draft['visibility']>
            label={t('providers.who')}
            value={value}
            disabled={disabled}
            onChange={onChange}
            options={[
              { value: 'team', label: t('providers.who_team') },
              { value: 'private', label: t('providers.who_me') },
            ]}
          />
          <span className="text-xs text-muted">
            {value === 'team' ? t('providers.who_team_means') : t('providers.who_me_means')}
          </span>
        </div>
      )}
    </Field>
  )
}
