/** The one-time link: makes the first owner's account and team, or signs in the person it belongs to. */
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { type ApiError, api, asApiError } from '@/api/client'
import { meQuery, queryClient } from '@/api/queries'
import { currentLanguage, sentencesOf, useT } from '@/i18n'
import { Button, ErrorBox, PasswordField, TextField } from '@/ui'
import { Entrance } from './Entrance'

/** Uses the link and goes on to the workflows; an error stays for the form to show. */
function useLink(token: string) {
  const [, navigate] = useLocation()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const use = async (values: Record<string, string>) => {
    setBusy(true)
    setError(null)
    try {
      const me = await api.post('/api/setup', { body: { token, ...values } })
      queryClient.setQueryData(meQuery.queryKey, me)
      navigate('/', { replace: true })
    } catch (thrown) {
      setError(asApiError(thrown))
      setBusy(false)
    }
  }
  return { use, busy, error }
}

function FirstOwner({ token }: { token: string }) {
  const t = useT()
  const { use, busy, error } = useLink(token)
  const [values, setValues] = useState({ name: '', email: '', password: '', team: t('app.team_default') })
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (value: string) => setValues({ ...values, [name]: value }),
    error: sentencesOf(error?.fields[name]) || undefined,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void use({ ...values, language: currentLanguage() })
  }
  const unnamed = error && !Object.keys(error.fields).some((name) => name in values)
  return (
    <form className="grid gap-4" noValidate onSubmit={submit}>
      <p className="text-muted">{t('app.start_text')}</p>
      <TextField label={t('app.your_name')} autoComplete="name" autoFocus {...field('name')} />
      <TextField
        label={t('app.email')}
        inputType="email"
        autoComplete="username"
        required
        {...field('email')}
      />
      <PasswordField
        label={t('app.password')}
        autoComplete="new-password"
        minLength={8}
        required
        hint={t('app.password_hint')}
        {...field('password')}
      />
      <TextField label={t('app.team_name')} required hint={t('app.team_hint')} {...field('team')} />
      {unnamed ? <ErrorBox error={error} /> : null}
      <Button type="submit" variant="primary" size="large" busy={busy}>
        {t('app.create_account')}
      </Button>
    </form>
  )
}

function SignInByLink({ token, email }: { token: string; email: string }) {
  const t = useT()
  const { use, busy, error } = useLink(token)
  return (
    <>
      <p className="text-muted">{t('app.start_sign_in_text', { email })}</p>
      {error ? <ErrorBox error={error} /> : null}
      <Button variant="primary" size="large" busy={busy} onClick={() => void use({})}>
        {t('app.sign_in')}
      </Button>
    </>
  )
}

export default function StartPage() {
  const t = useT()
  const { token = '' } = useParams<{ token: string }>()
  const [, navigate] = useLocation()
  const { data, error } = useQuery({
    queryKey: ['setup', token],
    queryFn: () => api.get('/api/setup', { params: { query: { token } } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const title = error
    ? t('app.start_bad_title')
    : data?.purpose === 'sign_in'
      ? t('app.start_sign_in_title')
      : t('app.start_title')
  if (error) {
    const text = asApiError(error)
    return (
      <Entrance title={title}>
        {text.status === 404 ? (
          <p className="text-muted">{t('app.start_bad_text')}</p>
        ) : (
          <ErrorBox error={text} />
        )}
        <Button onClick={() => navigate('/')}>{t('app.to_sign_in')}</Button>
      </Entrance>
    )
  }
  if (!data) return null
  return (
    <Entrance title={title}>
      {data.purpose === 'sign_in' ? (
        <SignInByLink token={token} email={data.email} />
      ) : (
        <FirstOwner token={token} />
      )}
    </Entrance>
  )
}
