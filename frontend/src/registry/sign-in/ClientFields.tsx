/** The client that a person registered by hand at an authorization server. */
import { fieldError, SecretField } from '@/forms'
import { useT } from '@/i18n'
import type { FieldsProps } from '@/registry/fields'
import { TextField } from '@/ui'

export function ClientFields({
  draft,
  onChange,
  fields,
  secretSet = false,
}: FieldsProps & { readonly secretSet?: boolean }) {
  const t = useT()
  return (
    <>
      <p className="col-span-full text-xs text-muted">{t('signin.after_adding')}</p>
      <TextField
        label={t('signin.client_id')}
        type={t('signin.optional')}
        mono
        value={draft.clientId}
        onChange={(clientId) => onChange({ clientId })}
        error={fieldError(fields, 'oauth_client_id')}
        hint={t('signin.client_id_hint', { callback: `${window.location.origin}/oauth/callback` })}
      />
      <SecretField
        label={t('signin.client_secret')}
        type={t('signin.optional')}
        value={draft.clientSecret}
        placeholder={secretSet ? '••••••' : ''}
        onChange={(clientSecret) => onChange({ clientSecret })}
        error={fieldError(fields, 'oauth_client_secret')}
      />
    </>
  )
}
