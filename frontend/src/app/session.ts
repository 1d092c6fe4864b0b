/** Signing in and out with a password. Everything known is forgotten with the session. */
import { chooseTeam, send } from '@/api/client'
import { meQuery, queryClient } from '@/api/queries'

const SESSION = '/_allauth/browser/v1/auth'

export async function signIn(email: string, password: string): Promise<void> {
  await send('POST', `${SESSION}/login`, { email, password })
  await queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
}

export async function signOut(): Promise<void> {
  try {
    await send('DELETE', `${SESSION}/session`)
  } catch {
    // allauth answers 401 to a sign-out that worked: nobody is signed in any more
  }
  chooseTeam(null)
  queryClient.clear()
  window.location.assign('/')
}
