/** What is shown of agents among servers, whose code and words come when it is first shown. */
import { loadRest, loadWords } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'

export const LateAgentSettings = lazily(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('./AgentSettings')),
    loadRest(),
    loadWords('agents', 'openapi'),
  ])
  return { default: file.AgentSettings }
})

export const LateDeclaredAgent = lazily(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('./DeclaredAgent')),
    loadRest(),
    loadWords('agents'),
  ])
  return { default: file.DeclaredAgent }
})
