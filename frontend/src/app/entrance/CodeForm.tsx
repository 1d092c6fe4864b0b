/** The second step of signing in: a code of the authenticator app, or one of the recovery codes. */
import { type FormEvent, useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { useT } from '@/i18n'
import { Button, ErrorBox, TextField } from '@/ui'
import { PasskeyButton } from './PasskeyButton'
import { signInWithCode } from './sign-in'

export function CodeForm({
  onDone,
  onBack,
}: {
  readonly onDone?: (() => void) | undefined
  readonly onBack: () => void
}) {
  const t = useT()
  const [code, setCode] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await signInWithCode(code)
      onDone?.()
    } catch (thrown) {
      setError(asApiError(thrown))
    }
    setBusy(false)
  }
  const wrong = error?.status === 400
  const late = error?.status === 401
  return (
    <form className="grid gap-4" noValidate onSubmit={submit}>
      <p className="text-muted">{t('people.code_text')}</p>
      <TextField
        label={t('people.code')}
        mono
        value={code}
        onChange={setCode}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        error={wrong ? t('people.code_wrong') : late ? t('people.code_late') : undefined}
        hint={t('people.code_recovery')}
      />
      {error && !wrong && !late ? <ErrorBox error={error} /> : null}
      <Button type="submit" variant="primary" size="large" busy={busy} disabled={!code.trim()}>
        {t('app.sign_in')}
      </Button>
      <PasskeyButton onDone={onDone} />
      <Button variant="quiet" onClick={onBack}>
        {t('people.code_back')}
      </Button>
    </form>
  )
}
