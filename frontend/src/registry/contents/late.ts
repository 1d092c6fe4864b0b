/** Resources and prompts of a server, whose code and words come when they are first shown. */
import { loadRest, loadWords } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'

export const LateContents = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./Contents')), loadRest(), loadWords('contents')])
  return { default: file.Contents }
})
