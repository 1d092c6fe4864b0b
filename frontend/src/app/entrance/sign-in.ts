/** Signing in: with the password, and with a code where there is a second factor. */
import { ApiError, send } from '@/api/client'
import { signInWithPasskey } from '@/api/passkeys'
import { meQuery, queryClient } from '@/api/queries'

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

/** With a passkey, which stands for both steps; false where the person chose none. */
export async function signInByPasskey(): Promise<boolean> {
  const done = await signInWithPasskey()
  if (done) await askWho()
  return done
}

/** The second step: a code of the app, or a recovery code. */
export async function signInWithCode(code: string): Promise<void> {
  await send('POST', `${SESSION}/2fa/authenticate`, { code: code.replace(/\s/g, '') })
  await askWho()
}
