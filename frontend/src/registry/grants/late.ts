/** Permanent approvals, whose code and words come when they are first shown. */
import { loadRest, loadWords } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'

export const LateGrants = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./Grants')), loadRest(), loadWords('grants')])
  return { default: file.Grants }
})
