/** Shown on every address while nobody is signed in; the address stays, so signing in leads on to it. */
import { type FormEvent, useEffect, useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { useT } from '@/i18n'
import { Button, ErrorBox, TextField } from '@/ui'
import { Entrance, PasswordField } from './Entrance'
import { signIn } from './session'

export default function SignInPage() {
  const t = useT()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  useEffect(() => {
    document.title = `${t('app.sign_in')} · Patchbay`
  }, [t])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await signIn(email, password)
    } catch (thrown) {
      setError(asApiError(thrown))
      setBusy(false)
    }
  }
  const mismatch = error?.status === 400 || error?.status === 401
  return (
    <Entrance title={t('app.sign_in_title')}>
      <form className="grid gap-4" noValidate onSubmit={submit}>
        <TextField
          label={t('app.email')}
          value={email}
          onChange={setEmail}
          inputType="email"
          autoComplete="username"
          autoFocus
        />
        <PasswordField
          label={t('app.password')}
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          error={mismatch ? t('app.sign_in_mismatch') : undefined}
        />
        {error && !mismatch ? (
          <ErrorBox
            error={error.status === 429 ? { code: 'RATE_LIMITED', message: t('app.sign_in_many') } : error}
          />
        ) : null}
        <Button type="submit" variant="primary" size="large" busy={busy}>
          {t('app.sign_in')}
        </Button>
        <p className="text-xs text-muted">{t('app.sign_in_first')}</p>
      </form>
    </Entrance>
  )
}
