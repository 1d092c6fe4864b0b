/** Signing in with a passkey, where the browser has such: it stands for password and code. */
import { useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import { hasPasskeys } from '@/api/passkeys'
import { useT } from '@/i18n'
import { Button, ErrorBox } from '@/ui'
import { signInByPasskey } from './sign-in'

export function PasskeyButton({ onDone }: { readonly onDone?: (() => void) | undefined }) {
  const t = useT()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  if (!hasPasskeys()) return null
  const use = async () => {
    setBusy(true)
    setError(null)
    try {
      if (await signInByPasskey()) onDone?.()
    } catch (thrown) {
      setError(asApiError(thrown))
    }
    setBusy(false)
  }
  return (
    <>
      <Button type="button" size="large" busy={busy} onClick={() => void use()}>
        {t('app.sign_in_passkey')}
      </Button>
      {error ? <ErrorBox error={error} /> : null}
    </>
  )
}
