/** An invitation: what it is for, and joining as who is signed in, after signing in, or as a new person. */
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { type ApiError, api, asApiError } from '@/api/client'
import type { components } from '@/api/schema'
import { enterTeam, signOut } from '@/api/session'
import { currentLanguage, sentenceGap, sentencesOf, useT } from '@/i18n'
import { ROLE_NAMES } from '@/settings/team/roles'
import { Button, ErrorBox, isoDate, PasswordField, TextField } from '@/ui'
import { Entrance } from './Entrance'
import { SignInForm } from './SignInForm'

type Invitation = components['schemas']['InvitationSeen']

/** Uses the invitation and opens the team; an error stays to be shown. */
function useJoin(token: string) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const join = async (values: { name?: string; email?: string; password?: string } = {}) => {
    setBusy(true)
    setError(null)
    try {
      const me = await api.post('/api/invitations/accept', {
        body: { token, language: currentLanguage(), ...values },
      })
      enterTeam(me.team.id)
    } catch (thrown) {
      setError(asApiError(thrown))
      setBusy(false)
    }
  }
  return { join, busy, error }
}

function AsMyself({ token, invitation }: { token: string; invitation: Invitation }) {
  const t = useT()
  const [, navigate] = useLocation()
  const { join, busy, error } = useJoin(token)
  const foreign = !invitation.member && invitation.email !== '' && invitation.email !== invitation.you
  return (
    <>
      <TextField label={t('people.signed_in_as')} value={invitation.you ?? ''} readOnly onChange={() => {}} />
      {error ? <ErrorBox error={error} /> : null}
      {invitation.member ? <p className="text-muted">{t('people.join_member')}</p> : null}
      {foreign ? <p className="text-muted">{t('people.join_foreign', { email: invitation.email })}</p> : null}
      {invitation.member ? (
        <Button variant="primary" size="large" onClick={() => navigate('/')}>
          {t('people.join_open')}
        </Button>
      ) : foreign ? null : (
        <Button variant="primary" size="large" busy={busy} onClick={() => void join()}>
          {t('people.join', { team: invitation.team })}
        </Button>
      )}
      {invitation.member ? null : (
        <Button variant="quiet" onClick={() => void signOut()}>
          {t('people.join_other')}
        </Button>
      )}
    </>
  )
}

function AsNew({ token, invitation }: { token: string; invitation: Invitation }) {
  const t = useT()
  const { join, busy, error } = useJoin(token)
  const [values, setValues] = useState({ name: '', email: invitation.email, password: '' })
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (value: string) => setValues({ ...values, [name]: value }),
    error: sentencesOf(error?.fields[name]) || undefined,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void join(values)
  }
  const unnamed = error && !Object.keys(error.fields).some((name) => name in values)
  return (
    <form className="grid gap-4" noValidate onSubmit={submit}>
      <TextField
        label={t('app.email')}
        inputType="email"
        autoComplete="username"
        required
        readOnly={invitation.email !== ''}
        autoFocus={invitation.email === ''}
        {...field('email')}
      />
      <TextField
        label={t('app.your_name')}
        autoComplete="name"
        required
        autoFocus={invitation.email !== ''}
        {...field('name')}
      />
      <PasswordField
        label={t('app.password')}
        autoComplete="new-password"
        required
        hint={t('app.password_hint')}
        {...field('password')}
      />
      {unnamed ? <ErrorBox error={error} /> : null}
      <Button type="submit" variant="primary" size="large" busy={busy}>
        {t('people.join', { team: invitation.team })}
      </Button>
    </form>
  )
}

/** For who is not signed in: a new account, or one's own. */
function AsStranger({
  token,
  invitation,
  onSignedIn,
}: {
  token: string
  invitation: Invitation
  onSignedIn: () => void
}) {
  const t = useT()
  const [known, setKnown] = useState(invitation.account)
  if (known) {
    return (
      <SignInForm {...(invitation.email ? { email: invitation.email } : {})} onDone={onSignedIn}>
        {invitation.account ? null : (
          <Button variant="quiet" onClick={() => setKnown(false)}>
            {t('people.join_new')}
          </Button>
        )}
      </SignInForm>
    )
  }
  return (
    <>
      <AsNew token={token} invitation={invitation} />
      {invitation.email ? null : (
        <Button variant="quiet" onClick={() => setKnown(true)}>
          {t('people.join_known')}
        </Button>
      )}
    </>
  )
}

export default function JoinPage() {
  const t = useT()
  const [, navigate] = useLocation()
  const token = window.location.hash.slice(1)
  const { data, error, refetch } = useQuery({
    queryKey: ['join', token],
    queryFn: () => api.post('/api/invitations/look', { body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  if (error) {
    const text = asApiError(error)
    return (
      <Entrance title={t('people.join_bad')}>
        {text.status === 404 || text.status === 400 ? (
          <p className="text-muted">{t('people.join_bad_text')}</p>
        ) : (
          <ErrorBox error={text} />
        )}
        <Button onClick={() => navigate('/')}>{t('app.sign_in')}</Button>
      </Entrance>
    )
  }
  if (!data) return null
  const role = t(ROLE_NAMES[data.role])
  return (
    <Entrance title={t('people.join', { team: data.team })}>
      <p className="text-muted">
        {data.invited_by
          ? t('people.join_by', { by: data.invited_by, team: data.team, role })
          : t('people.join_text', { team: data.team, role })}
        {sentenceGap()}
        {t('people.join_until', { date: isoDate(data.expires_at) })}
      </p>
      {data.you ? (
        <AsMyself token={token} invitation={data} />
      ) : (
        <AsStranger token={token} invitation={data} onSignedIn={() => void refetch()} />
      )}
    </Entrance>
  )
}
