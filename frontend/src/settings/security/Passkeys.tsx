/** Passkeys: what signs in alone, with a finger or a PIN. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api, asApiError } from '@/api/client'
import { createPasskey, hasPasskeys } from '@/api/passkeys'
import type { components } from '@/api/schema'
import { useT } from '@/i18n'
import { Button, Dialog, ErrorBox, IconButton, isoDate, PasswordField, RelativeTime, TextField } from '@/ui'
import { ListingRow } from '../listing'
import { Codes } from './Codes'
import { Proof } from './Proof'
import { SECURITY, type SecurityState } from './state'

type Passkey = components['schemas']['Passkey']

const LIST = ['passkey'] as const

function Add({
  asks,
  onCodes,
  onClose,
}: {
  asks: boolean
  onCodes: (codes: readonly string[]) => void
  onClose: () => void
}) {
  const t = useT()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const add = useMutation({
    mutationFn: async () => {
      const credential = await createPasskey(password)
      if (credential === null) return null
      const body = { name: name.trim(), credential: credential as Record<string, unknown> }
      return api.post('/api/me/passkeys', { body })
    },
    onSuccess: (answer) => {
      if (answer === null) return
      if (answer.codes.length > 0) onCodes(answer.codes)
      else onClose()
    },
  })
  const error = add.error ? asApiError(add.error) : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('people.passkey_add')} size="small">
      <form className="grid gap-4" onSubmit={submit}>
        <p>{t('people.passkey_add_text')}</p>
        <TextField
          label={t('people.passkey_name')}
          hint={t('people.passkey_name_hint')}
          required
          autoFocus
          maxLength={100}
          value={name}
          onChange={setName}
        />
        {asks ? (
          <PasswordField
            label={t('people.password_old')}
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
          />
        ) : null}
        {error ? <ErrorBox error={error} /> : null}
        {add.isSuccess && add.data === null ? (
          <p role="status" className="text-sm text-muted">
            {t('people.passkey_cancelled')}
          </p>
        ) : null}
        <Button
          type="submit"
          variant="primary"
          size="large"
          busy={add.isPending}
          disabled={!name.trim() || (asks && !password)}
        >
          {t('people.continue')}
        </Button>
      </form>
    </Dialog>
  )
}

export function Passkeys({ state }: { state: SecurityState }) {
  const t = useT()
  const client = useQueryClient()
  const { data } = useQuery({ queryKey: LIST, queryFn: () => api.get('/api/me/passkeys') })
  const [adding, setAdding] = useState(false)
  const [codes, setCodes] = useState<readonly string[]>([])
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const close = () => {
    setAdding(false)
    setRemoving(null)
    setCodes([])
    void client.invalidateQueries({ queryKey: LIST })
    void client.invalidateQueries({ queryKey: SECURITY })
  }
  const blocked = !hasPasskeys()
    ? t('people.passkey_not')
    : state.identity_provider !== null
      ? t('people.provider_passkey', { name: state.identity_provider })
      : state.password_set
        ? undefined
        : t('people.factor_needs_password')
  return (
    <section className="grid gap-3" aria-labelledby="passkeys">
      <h3 id="passkeys">{t('people.passkeys')}</h3>
      <p className="text-muted">{t('people.passkeys_text')}</p>
      {data?.results.length ? (
        <ul className="overflow-hidden rounded-md border border-line">
          {data.results.map((entry) => (
            <ListingRow key={entry.id}>
              <span className="min-w-28 flex-1 font-medium">{entry.name}</span>
              <span className="text-xs text-muted">
                {entry.last_used_at ? (
                  <>
                    {t('settings.last_used')} <RelativeTime value={entry.last_used_at} />
                  </>
                ) : (
                  t('people.passkey_added_on', { date: isoDate(entry.created_at) })
                )}
              </span>
              <IconButton
                label={t('people.passkey_remove', { name: entry.name })}
                onClick={() => setRemoving(entry)}
              >
                <Trash2 />
              </IconButton>
            </ListingRow>
          ))}
        </ul>
      ) : null}
      <div>
        <Button blocked={blocked} onClick={() => setAdding(true)}>
          {t('people.passkey_add')}
        </Button>
      </div>
      {adding && codes.length === 0 ? (
        <Add asks={state.asks_password} onCodes={setCodes} onClose={close} />
      ) : null}
      {codes.length > 0 ? <Codes codes={codes} onClose={close} /> : null}
      {removing ? (
        <Proof
          danger
          title={t('people.passkey_remove', { name: removing.name })}
          text={t('people.passkey_remove_text')}
          action={t('people.passkey_remove', { name: removing.name })}
          asks={state.asks_password}
          does={(password) =>
            api.post('/api/me/passkeys/{key}/remove', {
              params: { path: { key: removing.id } },
              body: { password },
            })
          }
          onDone={close}
          onClose={close}
        />
      ) : null}
    </section>
  )
}
