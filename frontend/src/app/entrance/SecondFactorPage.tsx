/** Somebody signed in whose team demands a second factor, and who has none: it comes before anything else. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { api, asApiError } from '@/api/client'
import { meQuery } from '@/api/queries'
import { signOut } from '@/api/session'
import { useT } from '@/i18n'
import { Passkeys } from '@/settings/security/Passkeys'
import { Password } from '@/settings/security/Password'
import { SECURITY } from '@/settings/security/state'
import { TwoFactor } from '@/settings/security/TwoFactor'
import { Button, ErrorBox } from '@/ui'
import { Entrance } from './Entrance'

export function SecondFactorPage() {
  const t = useT()
  const client = useQueryClient()
  const { data, error } = useQuery({ queryKey: SECURITY, queryFn: () => api.get('/api/me/security') })
  const { data: passkeys } = useQuery({ queryKey: ['passkey'], queryFn: () => api.get('/api/me/passkeys') })
  const done = data?.two_factor.on || (passkeys?.results.length ?? 0) > 0
  return (
    <Entrance title={t('people.demanded')}>
      <p className="text-muted">{t('people.demanded_text')}</p>
      {error ? <ErrorBox error={asApiError(error)} /> : null}
      {data ? (
        <>
          {data.password_set ? null : <Password state={data} />}
          <TwoFactor state={data} />
          <Passkeys state={data} />
        </>
      ) : null}
      {done ? (
        <Button
          variant="primary"
          size="large"
          onClick={() => void client.refetchQueries({ queryKey: meQuery.queryKey })}
        >
          {t('people.continue')}
        </Button>
      ) : null}
      <Button variant="quiet" icon={<LogOut />} onClick={() => void signOut()}>
        {t('app.sign_out')}
      </Button>
    </Entrance>
  )
}
