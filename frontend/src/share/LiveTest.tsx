/** The address is asked as a client would ask it, step by step: who it is, which tools it lists, whether this is one. */
import { askMcp, type Offer } from '@/api/offer'
import { useT } from '@/i18n'
import { Steps, useSteps } from './Steps'

interface Discovered {
  readonly serverInfo?: { readonly name: string; readonly version: string }
  readonly supportedVersions?: readonly string[]
}

interface ToolList {
  readonly tools: readonly { readonly name: string }[]
}

/** An address, and a tool that is expected among those it lists. */
type Address = Pick<Offer, 'url' | 'name'>

export function LiveTest({ offer, token }: { readonly offer: Address; readonly token: string }) {
  const t = useT()
  const { steps, busy, step, during } = useSteps()
  const test = async () => {
    const connected = await step('server/discover', async () => {
      const discovered = await askMcp<Discovered>(offer.url, token, 'server/discover')
      return [t('share.test_connected', { versions: (discovered.supportedVersions ?? []).join(', ') }), true]
    })
    if (!connected) return
    await step('tools/list', async () => {
      const { tools } = await askMcp<ToolList>(offer.url, token, 'tools/list')
      const among = tools.some((tool) => tool.name === offer.name)
      const n = tools.length
      return [t(among ? 'share.test_listed' : 'share.test_missing', { n, name: offer.name }), among]
    })
  }
  return (
    <Steps
      steps={steps}
      busy={busy}
      blocked={token ? undefined : t('share.test_needs_token')}
      onTest={() => void during(test)}
    />
  )
}
