/** Shown on every address while nobody is signed in; the address stays, so signing in leads on to it. */
import { pageData } from '@/api/client'
import { useT } from '@/i18n'
import { Button, ErrorBox } from '@/ui'
import { Entrance } from './Entrance'
import { PasskeyButton } from './PasskeyButton'
import { SignInForm } from './SignInForm'

/** The way through the identity provider, where the operator named one; its own page asks for everything else. */
function SingleSignOn() {
  const t = useT()
  const { sso, sso_error: refused } = pageData()
  if (!sso) return null
  const { pathname, search, hash } = window.location
  const next = search.startsWith('?sso=') ? '/' : `${pathname}${search}${hash}`
  return (
    <>
      {refused ? <ErrorBox error={refused} /> : null}
      <Button
        size="large"
        onClick={() => window.location.assign(`/api/sso/start?next=${encodeURIComponent(next)}`)}
      >
        {t('app.sign_in_sso', { name: sso })}
      </Button>
    </>
  )
}

export default function SignInPage() {
  const t = useT()
  return (
    <Entrance title={t('app.sign_in_title')}>
      <SingleSignOn />
      <SignInForm>
        <PasskeyButton />
        <p className="text-xs text-muted">{t('app.sign_in_first')}</p>
      </SignInForm>
    </Entrance>
  )
}
