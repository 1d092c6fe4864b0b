/** How one signs in: password, second factor, the places where one is signed in, and the end of the account. */
import { useQuery } from '@tanstack/react-query'
import { api, asApiError } from '@/api/client'
import { meQuery, queryClient, useMe } from '@/api/queries'
import { ErrorBox, Skeleton } from '@/ui'
import { EndAccount } from './security/EndAccount'
import { Passkeys } from './security/Passkeys'
import { Password } from './security/Password'
import { Sessions } from './security/Sessions'
import { SECURITY } from './security/state'
import { TwoFactor } from './security/TwoFactor'

export function Security() {
  const me = useMe()
  const { data, error } = useQuery({ queryKey: SECURITY, queryFn: () => api.get('/api/me/security') })
  if (error) return <ErrorBox error={asApiError(error)} />
  if (!data) return <Skeleton rows={4} />
  return (
    <div className="grid grid-cols-1 gap-6">
      <Password state={data} />
      <TwoFactor state={data} />
      <Passkeys state={data} />
      <Sessions />
      <EndAccount email={me.email} onEnded={() => queryClient.setQueryData(meQuery.queryKey, null)} />
    </div>
  )
}
