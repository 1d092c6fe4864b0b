/** Where an API is, what describes it, and how one signs in: its part of the settings. */
import type { Server } from '@/api/servers'
import { fieldError } from '@/forms'
import { useT } from '@/i18n'
import { type FieldsProps, Headers, Timeout } from '@/registry/fields'
import { TextField } from '@/ui'
import { ApiAuth } from './ApiAuth'
import { DocumentText } from './DocumentText'

export function ApiSettings({ server, ...props }: FieldsProps & { readonly server: Server }) {
  const t = useT()
  const { draft, onChange, fields } = props
  return (
    <>
      <TextField
        label={t('openapi.base')}
        mono
        required={!server.url_secret}
        placeholder={server.url_secret ? server.url : ''}
        value={draft.url}
        onChange={(url) => onChange({ url })}
        error={fieldError(fields, 'url')}
        hint={t('openapi.base_hint')}
      />
      {server.document_url ? (
        <TextField
          label={t('openapi.document_url')}
          mono
          required
          value={draft.documentUrl}
          onChange={(documentUrl) => onChange({ documentUrl })}
          error={fieldError(fields, 'document_url')}
          hint={t('openapi.document_url_hint')}
        />
      ) : (
        <DocumentText
          label={t('openapi.replace')}
          hint={t('openapi.replace_hint')}
          value={draft.document}
          onChange={(document) => onChange({ document })}
          error={fieldError(fields, 'document')}
        />
      )}
      <Timeout {...props} />
      <ApiAuth
        {...props}
        keyHint={server.api_key_set ? server.api_key_hint : ''}
        keyElsewhere={server.credentials === 'user' && draft.credentials === 'user'}
      />
      <Headers {...props} />
    </>
  )
}
