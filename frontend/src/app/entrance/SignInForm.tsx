/** E-mail and password, and after them a code where the person has a second factor. */
import { type FormEvent, type ReactNode, Suspense, useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { loadRest, useT } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { Button, ErrorBox, PasswordField, TextField } from '@/ui'
import { signIn } from './sign-in'

const CodeForm = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./CodeForm')), loadRest()])
  return { default: file.CodeForm }
})

export function SignInForm({
  email: fixed,
  onDone,
  children,
}: {
  /** Whose sign-in it is, where that is known. */
  readonly email?: string
  readonly onDone?: () => void
  readonly children?: ReactNode
}) {
  const t = useT()
  const [email, setEmail] = useState(fixed ?? '')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const [step, setStep] = useState<'password' | 'code'>('password')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      const next = await signIn(email, password)
      setBusy(false)
      if (next === 'code') setStep('code')
      else onDone?.()
    } catch (thrown) {
      setError(asApiError(thrown))
      setBusy(false)
    }
  }
  if (step === 'code') {
    const restart = () => {
      setPassword('')
      setStep('password')
    }
    return (
      <Suspense fallback={null}>
        <CodeForm onDone={onDone} onBack={restart} />
      </Suspense>
    )
  }
  const mismatch = error?.status === 400 || error?.status === 401
  return (
    <form className="grid gap-4" noValidate onSubmit={submit}>
      <TextField
        label={t('app.email')}
        value={email}
        onChange={setEmail}
        inputType="email"
        autoComplete="username"
        readOnly={fixed !== undefined}
        autoFocus={fixed === undefined}
      />
      <PasswordField
        label={t('app.password')}
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        autoFocus={fixed !== undefined}
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
      {children}
    </form>
  )
}
