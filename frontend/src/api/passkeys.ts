/** Passkeys: the browser's part of making one and of signing in with one. */
import { ApiError, send } from './client'

interface Begun {
  readonly options: { readonly publicKey: unknown }
}

/** Whether this browser can, at this address: WebAuthn needs https or localhost. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential

/** Null where the person closed the browser's dialog. */
async function ask(asking: Promise<Credential | null>): Promise<unknown> {
  try {
    const answer = await asking
    return answer instanceof PublicKeyCredential ? answer.toJSON() : null
  } catch (thrown) {
    if (thrown instanceof DOMException) return null
    throw thrown
  }
}

/** What the browser made for the options that the password gave; throws where it made none. */
export async function createPasskey(password: string): Promise<unknown> {
  const { options } = await send<Begun>('POST', '/api/me/passkeys/begin', { password })
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options.publicKey as PublicKeyCredentialCreationOptionsJSON,
  )
  return ask(navigator.credentials.create({ publicKey }))
}

/** False where the person chose none. */
export async function signInWithPasskey(): Promise<boolean> {
  const { options } = await send<Begun>('POST', '/api/sign-in/passkey/begin', {})
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options.publicKey as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await ask(navigator.credentials.get({ publicKey }))
  if (credential === null) return false
  try {
    await send('POST', '/api/sign-in/passkey', { credential })
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 401) throw thrown // in no team: signed in all the same
  }
  return true
}
