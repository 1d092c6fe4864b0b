/** Who signs in by OAuth, a person or Patchbay itself, and the client that was registered by hand for it. */
import { fieldError, KeptSecret, SecretField } from '@/forms'
import { useT } from '@/i18n'
import type { Draft } from '@/registry/draft'
import type { FieldsProps } from '@/registry/fields'
import { Field, Segmented, Select, TextArea, TextField } from '@/ui'

/** What of a client is kept and not shown. */
export interface KeptClient {
  readonly secret: boolean
  readonly key: boolean
}

type Props = FieldsProps & { readonly kept?: KeptClient }

const KEPT = '••••••'

export function ClientFields(props: Props) {
  const t = useT()
  const { draft, onChange, fields } = props
  return (
    <>
      <Field
        label={t('signin.grant')}
        error={fieldError(fields, 'oauth_grant')}
        hint={draft.grant === 'client_credentials' ? t('signin.machine_adding') : t('signin.after_adding')}
      >
        {() => (
          <div>
            <Segmented<Draft['grant']>
              label={t('signin.grant')}
              value={draft.grant}
              onChange={(grant) => onChange({ grant })}
              options={[
                { value: 'authorization_code', label: t('signin.grant_person') },
                { value: 'client_credentials', label: t('signin.grant_machine') },
              ]}
            />
          </div>
        )}
      </Field>
      {draft.grant === 'client_credentials' ? <OfMachine {...props} /> : <OfPeople {...props} />}
    </>
  )
}

function OfPeople({ draft, onChange, fields, kept }: Props) {
  const t = useT()
  return (
    <>
      <TextField
        label={t('signin.client_id')}
        type={t('signin.optional')}
        mono
        value={draft.clientId}
        onChange={(clientId) => onChange({ clientId })}
        error={fieldError(fields, 'oauth_client_id')}
        hint={t('signin.client_id_hint', { callback: `${window.location.origin}/oauth/callback` })}
      />
      <Secret draft={draft} onChange={onChange} fields={fields} kept={kept} optional />
    </>
  )
}

function OfMachine({ draft, onChange, fields, kept }: Props) {
  const t = useT()
  return (
    <>
      <TextField
        label={t('signin.client_id')}
        required
        mono
        value={draft.clientId}
        onChange={(clientId) => onChange({ clientId })}
        error={fieldError(fields, 'oauth_client_id')}
      />
      <Select<Draft['clientAuth']>
        label={t('signin.client_auth')}
        value={draft.clientAuth}
        onChange={(clientAuth) => onChange({ clientAuth })}
        error={fieldError(fields, 'oauth_client_auth')}
        options={[
          { value: '', label: t('signin.auth_secret') },
          { value: 'client_secret_basic', label: t('signin.auth_basic') },
          { value: 'client_secret_post', label: t('signin.auth_post') },
          { value: 'private_key_jwt', label: t('signin.auth_key') },
        ]}
      />
      {draft.clientAuth === 'private_key_jwt' ? (
        <PrivateKey draft={draft} onChange={onChange} fields={fields} kept={kept} />
      ) : (
        <Secret draft={draft} onChange={onChange} fields={fields} kept={kept} />
      )}
    </>
  )
}

type PartProps = FieldsProps & { readonly kept: KeptClient | undefined }

function Secret({ draft, onChange, fields, kept, optional = false }: PartProps & { optional?: boolean }) {
  const t = useT()
  return (
    <SecretField
      label={t('signin.client_secret')}
      type={optional ? t('signin.optional') : undefined}
      required={!(optional || kept?.secret)}
      value={draft.clientSecret}
      placeholder={kept?.secret ? KEPT : ''}
      onChange={(clientSecret) => onChange({ clientSecret })}
      error={fieldError(fields, 'oauth_client_secret')}
    />
  )
}

function PrivateKey({ draft, onChange, fields, kept }: PartProps) {
  const t = useT()
  return (
    <>
      <TextArea
        className="col-span-full"
        label={t('signin.private_key')}
        aside={<KeptSecret />}
        required={!kept?.key}
        mono
        rows={5}
        value={draft.privateKey}
        placeholder={kept?.key ? KEPT : '-----BEGIN PRIVATE KEY-----'}
        onChange={(privateKey) => onChange({ privateKey })}
        error={fieldError(fields, 'oauth_private_key')}
        hint={t('signin.private_key_hint')}
      />
      <TextField
        label={t('signin.key_id')}
        type={t('signin.optional')}
        mono
        value={draft.keyId}
        onChange={(keyId) => onChange({ keyId })}
        error={fieldError(fields, 'oauth_key_id')}
        hint={t('signin.key_id_hint')}
      />
    </>
  )
}
