/** Going from team to team, and signing out. Everything known is forgotten with the session or the team. */
import { chooseTeam, send } from './client'
import { queryClient } from './queries'

/** Begins anew at the first page, in the team named; null = in whatever team there is. */
export function enterTeam(id: string | null): void {
  chooseTeam(id)
  queryClient.clear()
  window.location.assign('/')
}

export async function signOut(): Promise<void> {
  try {
    await send('DELETE', '/_allauth/browser/v1/auth/session')
  } catch {
    // allauth answers 401 to a sign-out that worked: nobody is signed in any more
  }
  enterTeam(null)
}
