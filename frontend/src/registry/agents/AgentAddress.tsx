/** Where an agent is, and where its card, if that is elsewhere. */
import { fieldError } from '@/forms'
import { useT } from '@/i18n'
import type { FieldsProps } from '@/registry/fields'
import { TextField } from '@/ui'

export function AgentAddress({
  draft,
  onChange,
  fields,
  secret = '',
  autoFocus = false,
}: FieldsProps & {
  /** The address as it is shown where it is a secret; empty where it is none. */
  readonly secret?: string
  readonly autoFocus?: boolean
}) {
  const t = useT()
  return (
    <>
      <TextField
        label={t('agents.address')}
        mono
        required={!secret}
        autoFocus={autoFocus}
        placeholder={secret || 'https://agents.example.org/travel'}
        value={draft.url}
        onChange={(url) => onChange({ url })}
        error={fieldError(fields, 'url')}
        hint={t('agents.address_hint')}
      />
      <TextField
        label={t('agents.card')}
        mono
        value={draft.documentUrl}
        onChange={(documentUrl) => onChange({ documentUrl })}
        error={fieldError(fields, 'document_url')}
        hint={t('agents.card_hint')}
      />
    </>
  )
}
