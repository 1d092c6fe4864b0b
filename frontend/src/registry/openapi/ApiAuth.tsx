/** How requests to an API or agent are signed: a key, a token, name and password; to an agent by OAuth as well. */
import { Lock } from 'lucide-react'
import { Suspense } from 'react'
import { fieldError, SecretField } from '@/forms'
import { useT } from '@/i18n'
import type { Draft } from '@/registry/draft'
import type { FieldsProps } from '@/registry/fields'
import type { KeptClient } from '@/registry/sign-in/ClientFields'
import { LateClientFields } from '@/registry/sign-in/late'
import { Field, Segmented, TextField } from '@/ui'

function KeyPlace({ draft, onChange, fields }: FieldsProps) {
  const t = useT()
  return (
    <>
      <TextField
        label={t('openapi.key_name')}
        mono
        value={draft.keyHeader}
        onChange={(keyHeader) => onChange({ keyHeader })}
        error={fieldError(fields, 'api_key_header')}
      />
      <Field label={t('openapi.key_in')} error={fieldError(fields, 'api_key_in')}>
        {() => (
          <div>
            <Segmented<Draft['keyIn']>
              label={t('openapi.key_in')}
              value={draft.keyIn}
              onChange={(keyIn) => onChange({ keyIn })}
              options={[
                { value: 'header', label: t('openapi.header') },
                { value: 'query', label: t('openapi.query') },
                { value: 'cookie', label: t('openapi.cookie') },
              ]}
            />
          </div>
        )}
      </Field>
    </>
  )
}

export function ApiAuth({
  draft,
  onChange,
  fields,
  keyHint = '',
  keyElsewhere = false,
  oauth = false,
  kept,
}: FieldsProps & {
  readonly keyHint?: string
  /** The key is entered among one's own credentials. */
  readonly keyElsewhere?: boolean
  /** Whether one may sign in by OAuth. */
  readonly oauth?: boolean
  /** What of an OAuth client is kept. */
  readonly kept?: KeptClient | undefined
}) {
  const t = useT()
  const labels = { api_key: t('openapi.key'), bearer: t('openapi.token'), basic: t('openapi.password') }
  const kind = draft.auth === 'none' || draft.auth === 'oauth' ? null : draft.auth
  return (
    <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
      <Field className="col-span-full" label={t('openapi.auth')} error={fieldError(fields, 'auth_type')}>
        {() => (
          <div>
            <Segmented<Draft['auth']>
              label={t('openapi.auth')}
              value={draft.auth}
              onChange={(auth) => onChange({ auth })}
              options={[
                { value: 'none', label: t('openapi.none') },
                { value: 'api_key', label: t('openapi.api_key') },
                { value: 'bearer', label: t('openapi.bearer') },
                { value: 'basic', label: t('openapi.basic') },
                ...(oauth ? [{ value: 'oauth' as const, label: t('registry.auth_oauth') }] : []),
              ]}
            />
          </div>
        )}
      </Field>
      {oauth && draft.auth === 'oauth' ? (
        <Suspense fallback={null}>
          <LateClientFields draft={draft} onChange={onChange} fields={fields} kept={kept} />
        </Suspense>
      ) : null}
      {kind === 'basic' && !keyElsewhere ? (
        <TextField
          label={t('openapi.user')}
          value={draft.user}
          onChange={(user) => onChange({ user })}
          autoComplete="off"
        />
      ) : null}
      {kind && !keyElsewhere ? (
        <SecretField
          label={labels[kind]}
          aside={
            <>
              <Lock size={12} aria-hidden /> {t('forms.never_shown')}
            </>
          }
          value={draft.key}
          placeholder={keyHint ? t('forms.kept_as', { hint: keyHint }) : ''}
          onChange={(key) => onChange({ key })}
          error={fieldError(fields, 'api_key')}
        />
      ) : null}
      {kind === 'api_key' ? <KeyPlace draft={draft} onChange={onChange} fields={fields} /> : null}
    </div>
  )
}
