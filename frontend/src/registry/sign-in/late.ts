/** The parts of a sign-in, whose code and words come when they are first shown. */
import { loadRest, loadWords } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'

const words = () => Promise.all([loadRest(), loadWords('signin')])

export const LateSignIn = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./SignIn')), words()])
  return { default: file.SignIn }
})

export const LateClientFields = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./ClientFields')), words()])
  return { default: file.ClientFields }
})
