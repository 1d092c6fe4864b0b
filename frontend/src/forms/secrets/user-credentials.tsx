/** One's own credentials at a server or provider where each member uses their own: what is set, what is missing. */
import { Trash2 } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import type { components } from '@/api/schema'
import { useT } from '@/i18n'
import { Button, Callout, Confirm, ErrorBox, Field, Segmented, StatusWord } from '@/ui'
import { fieldError, KeptSecret, SecretField } from './secret'

type Schemas = components['schemas']
export type UserCredentialState = Schemas['OwnCredentials']
type Slot = UserCredentialState['slots'][number]

/** What to send: new values only. An empty field leaves a value as it is. */
export interface UserCredentialInput {
  api_key?: string
  secret_headers?: Record<string, string>
  secret_env?: Record<string, string>
}

const FIELDS = { api_key: 'api_key', header: 'secret_headers', env: 'secret_env' } as const
const placeOf = (slot: Slot): string =>
  slot.kind === 'api_key' ? 'api_key' : `${FIELDS[slot.kind]}.${slot.name}`

/** The typed values in the API's words. */
export function readUserCredentials(
  slots: readonly Slot[],
  typed: Readonly<Record<string, string>>,
): UserCredentialInput {
  const keys: UserCredentialInput = {}
  for (const slot of slots) {
    const value = typed[placeOf(slot)]
    if (!value) continue
    if (slot.kind === 'api_key') keys.api_key = value
    else keys[FIELDS[slot.kind]] = { ...keys[FIELDS[slot.kind]], [slot.name]: value }
  }
  return keys
}

interface CredentialAction<Value> {
  readonly isPending: boolean
  readonly error: unknown
  readonly mutate: (value: Value, options?: { onSuccess?: () => void }) => void
}

export interface UserCredentialsProps {
  readonly own: UserCredentialState
  /** Whose: the server's or provider's name. */
  readonly name: string
  /** What the key is called here. */
  readonly keyLabel: string
  readonly enter: CredentialAction<UserCredentialInput>
  readonly remove: CredentialAction<void>
}

export function UserCredentials({ own, name, keyLabel, enter, remove }: UserCredentialsProps) {
  const t = useT()
  const may = useMay('editor')
  const heading = useId()
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [deleting, setDeleting] = useState(false)
  const error = enter.error ? asApiError(enter.error) : null
  const fields = error?.fields ?? {}
  const keys = readUserCredentials(own.slots, typed)
  const something = Object.keys(keys).length > 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (something) enter.mutate(keys, { onSuccess: () => setTyped({}) })
  }
  return (
    <form
      className="grid grid-cols-1 content-start gap-3 rounded-md border border-line p-3"
      aria-labelledby={heading}
      onSubmit={submit}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 id={heading}>{t('forms.own_title')}</h3>
        <StatusWord status={own.state === 'set' ? 'succeeded' : 'waiting'}>
          {own.state === 'set' ? t('forms.own_set') : t('forms.own_missing')}
        </StatusWord>
      </div>
      <p className="text-sm text-muted">{t('forms.own_text')}</p>
      {own.slots.map((slot) => {
        const place = placeOf(slot)
        return (
          <SecretField
            key={place}
            label={slot.kind === 'api_key' ? keyLabel : slot.name}
            type={slot.required ? undefined : t('forms.own_optional')}
            aside={<KeptSecret />}
            disabled={!may}
            value={typed[place] ?? ''}
            placeholder={slot.set ? t('forms.kept_as', { hint: slot.hint }) : ''}
            onChange={(value) => setTyped((before) => ({ ...before, [place]: value }))}
            error={fieldError(fields, place)}
          />
        )
      })}
      {error && Object.keys(fields).length === 0 ? <ErrorBox error={error} /> : null}
      <div className="flex items-center gap-2">
        <Button
          type="submit"
          variant={own.state === 'missing' ? 'primary' : 'plain'}
          busy={enter.isPending}
          blocked={may ? (something ? undefined : t('forms.own_nothing')) : t('forms.own_editors')}
        >
          {t('forms.own_save')}
        </Button>
        {own.slots.some((slot) => slot.set) ? (
          <Button
            variant="quiet"
            icon={<Trash2 />}
            blocked={may ? undefined : t('forms.own_editors')}
            onClick={() => setDeleting(true)}
          >
            {t('forms.own_delete')}
          </Button>
        ) : null}
      </div>
      {deleting ? (
        <Confirm
          open
          danger
          onOpenChange={(open) => open || setDeleting(false)}
          title={t('forms.own_delete_title', { name })}
          action={t('forms.own_delete')}
          busy={remove.isPending}
          onConfirm={() => remove.mutate(undefined, { onSuccess: () => setDeleting(false) })}
        >
          <p>{t('forms.own_delete_text')}</p>
          {remove.error ? <ErrorBox error={asApiError(remove.error)} /> : null}
        </Confirm>
      ) : null}
    </form>
  )
}

const originOf = (url: string): string => {
  try {
    return new URL(url).origin
  } catch {
    return ''
  }
}

/** Whether an address leads to another server than before: what was entered for the old one does not follow. */
export const changesOrigin = (before: string, now: string): boolean => originOf(before) !== originOf(now)

/** That saving makes every member enter their own again. */
export function ForgetsUserCredentials() {
  const t = useT()
  return <Callout tone="waiting">{t('forms.own_forgets')}</Callout>
}

/** Whether the team shares one key or each member uses their own. */
export function CredentialOwnerField({
  value,
  onChange,
  disabled = false,
  error,
}: {
  readonly value: 'shared' | 'user'
  readonly onChange: (value: 'shared' | 'user') => void
  readonly disabled?: boolean
  readonly error?: string | undefined
}) {
  const t = useT()
  return (
    <Field label={t('forms.whose')} error={error}>
      {() => (
        <div className="flex flex-wrap items-center gap-2">
          <Segmented<'shared' | 'user'>
            label={t('forms.whose')}
            value={value}
            disabled={disabled}
            onChange={onChange}
            options={[
              { value: 'shared', label: t('forms.whose_shared') },
              { value: 'user', label: t('forms.whose_user') },
            ]}
          />
          <span className="text-xs text-muted">
            {value === 'shared' ? t('forms.whose_shared_means') : t('forms.whose_user_means')}
          </span>
        </div>
      )}
    </Field>
  )
}
