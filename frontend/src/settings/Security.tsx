/** How one signs in: password, second factor, the places where one is signed in, and the end of the account. */
import { useQuery } from '@tanstack/react-query'
import { api, asApiError } from '@/api/client'
import { meQuery, queryClient, useMe } from '@/api/queries'
import { useT } from '@/i18n'
import { LoadFailed, Skeleton } from '@/ui'
import { EndAccount } from './security/EndAccount'
import { Passkeys } from './security/Passkeys'
import { Password } from './security/Password'
import { Sessions } from './security/Sessions'
import { SECURITY } from './security/state'
import { TwoFactor } from './security/TwoFactor'

/** In place of a password, where the identity provider is the only way in. */
function Provider({ name }: { readonly name: string }) {
  const t = useT()
  return (
    <section className="grid gap-3" aria-labelledby="identity-provider">
      <h3 id="identity-provider">{t('people.provider')}</h3>
      <p className="text-muted">{t('people.provider_text', { name })}</p>
    </section>
  )
}

export function Security() {
  const me = useMe()
  const { data, error, refetch } = useQuery({
    queryKey: SECURITY,
    queryFn: () => api.get('/api/me/security'),
  })
  if (error) return <LoadFailed error={asApiError(error)} onRetry={refetch} />
  if (!data) return <Skeleton rows={4} />
  return (
    <div className="grid grid-cols-1 gap-6">
      {data.identity_provider === null ? (
        <Password state={data} />
      ) : (
        <Provider name={data.identity_provider} />
      )}
      {data.identity_provider === null || data.two_factor.on ? <TwoFactor state={data} /> : null}
      <Passkeys state={data} />
      <Sessions />
      <EndAccount
        email={me.email}
        provider={data.identity_provider}
        onEnded={() => queryClient.setQueryData(meQuery.queryKey, null)}
      />
    </div>
  )
}
