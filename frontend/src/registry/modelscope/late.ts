/** What is done with a person's token of ModelScope, whose code and words come when they are first shown. */
import { loadRest, loadWords } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'

const words = () => Promise.all([loadRest(), loadWords('modelscope')])

export const LateDeployed = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./Deployed')), words()])
  return { default: file.Deployed }
})

export const LateHosted = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./Hosted')), words()])
  return { default: file.Hosted }
})
