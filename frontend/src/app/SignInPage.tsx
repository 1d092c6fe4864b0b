/** Shown on every address while nobody is signed in; the address stays, so signing in leads on to it. */
import { useT } from '@/i18n'
import { Entrance } from './Entrance'
import { SignInForm } from './SignInForm'

export default function SignInPage() {
  const t = useT()
  return (
    <Entrance title={t('app.sign_in_title')}>
      <SignInForm>
        <p className="text-xs text-muted">{t('app.sign_in_first')}</p>
      </SignInForm>
    </Entrance>
  )
}
