/** The forms of an API, whose code and words come when they are first shown. */
import { loadRest, loadWords } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'

const words = () => Promise.all([loadRest(), loadWords('openapi')])

export const LateAddApi = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./AddApi')), words()])
  return { default: file.AddApi }
})

export const LateApiSettings = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./ApiSettings')), words()])
  return { default: file.ApiSettings }
})
