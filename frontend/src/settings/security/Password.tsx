/** The password: changed with the present one, or set for the first time. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, asApiError } from '@/api/client'
import { sentencesOf, useT } from '@/i18n'
import { Button, Checkbox, ErrorBox, PasswordField, toast } from '@/ui'
import { SECURITY, type SecurityState } from './state'

export function Password({ state }: { state: SecurityState }) {
  const t = useT()
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [keep, setKeep] = useState(false)
  const asks = state.password_set && state.asks_password
  const change = useMutation({
    mutationFn: () =>
      api.post('/api/me/password', {
        body: { current_password: current, new_password: password, keep_tokens: keep },
      }),
    onSuccess: () => {
      setCurrent('')
      setPassword('')
      toast.ok(t('people.password_done'))
      void client.invalidateQueries({ queryKey: SECURITY })
    },
  })
  const error = change.error ? asApiError(change.error) : null
  const wrong = error?.status === 403
  const weak = sentencesOf(error?.fields.new_password) || undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <section className="grid gap-3" aria-labelledby="password">
      <h3 id="password">{t('people.password')}</h3>
      <p className="text-muted">{t(state.password_set ? 'people.password_text' : 'people.password_none')}</p>
      <form className="grid max-w-100 gap-3" noValidate onSubmit={submit}>
        {asks ? (
          <PasswordField
            label={t('people.password_old')}
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
            error={wrong ? t('people.password_wrong') : undefined}
          />
        ) : state.password_set ? (
          <p className="text-sm text-muted">{t('people.by_link')}</p>
        ) : null}
        <PasswordField
          label={t('people.password_new')}
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          hint={t('app.password_hint')}
          error={weak}
        />
        {state.password_set ? (
          <Checkbox label={t('people.password_keep')} checked={keep} onChange={setKeep} />
        ) : null}
        {error && !wrong && !weak ? <ErrorBox error={error} /> : null}
        <div>
          <Button type="submit" busy={change.isPending} disabled={!password || (asks && !current)}>
            {t(state.password_set ? 'people.password_change' : 'people.password_first')}
          </Button>
        </div>
      </form>
    </section>
  )
}
