/** Signing in and out, and going from team to team. Everything known is forgotten with the session or the team. */
import { ApiError, chooseTeam, send } from './client'
import { meQuery, queryClient } from './queries'

const SESSION = '/_allauth/browser/v1/auth'

interface Flow {
  readonly id?: string
  readonly is_pending?: boolean
}

/** Whether a refusal only means that the second factor is still missing. */
function wantsCode(thrown: unknown): boolean {
  if (!(thrown instanceof ApiError) || thrown.status !== 401) return false
  const flows = (thrown.detail as { flows?: readonly Flow[] } | null)?.flows ?? []
  return flows.some((flow) => flow.id === 'mfa_authenticate' && flow.is_pending)
}

const askWho = () => queryClient.refetchQueries({ queryKey: meQuery.queryKey })

/** `code` = the password was right, and the second factor is asked for. */
export async function signIn(email: string, password: string): Promise<'in' | 'code'> {
  try {
    await send('POST', `${SESSION}/login`, { email, password })
  } catch (thrown) {
    if (wantsCode(thrown)) return 'code'
    throw thrown
  }
  await askWho()
  return 'in'
}

/** The second step: a code of the app, or a recovery code. */
export async function signInWithCode(code: string): Promise<void> {
  await send('POST', `${SESSION}/2fa/authenticate`, { code: code.replace(/\s/g, '') })
  await askWho()
}

/** Begins anew at the first page, in the team named; null = in whatever team there is. */
export function enterTeam(id: string | null): void {
  chooseTeam(id)
  queryClient.clear()
  window.location.assign('/')
}

export async function signOut(): Promise<void> {
  try {
    await send('DELETE', `${SESSION}/session`)
  } catch {
    // allauth answers 401 to a sign-out that worked: nobody is signed in any more
  }
  enterTeam(null)
}
