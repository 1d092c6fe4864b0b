/** The address is asked as a client would ask it, step by step: who it is, which tools it lists, whether this is one. */
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { askMcp, type Offer } from '@/api/offer'
import { useT } from '@/i18n'
import { Button, duration, StatusIcon, visible } from '@/ui'

interface Step {
  readonly name: string
  readonly text: string
  readonly ms: number
  readonly good: boolean
}

interface Discovered {
  readonly serverInfo?: { readonly name: string; readonly version: string }
  readonly supportedVersions?: readonly string[]
}

interface ToolList {
  readonly tools: readonly { readonly name: string }[]
}

/** An address, and a tool that is expected among those it lists. */
type Address = Pick<Offer, 'url' | 'name'>

/** What happens at the address with this token, as it happens. */
function useLiveTest(offer: Address, token: string) {
  const t = useT()
  const [steps, setSteps] = useState<readonly Step[]>([])
  const [busy, setBusy] = useState(false)
  const step = async <Result,>(name: string, method: string, say: (result: Result) => [string, boolean]) => {
    const begun = performance.now()
    const ended = (text: string, good: boolean) => {
      setSteps((before) => [...before, { name, text, good, ms: performance.now() - begun }])
      return good
    }
    try {
      return ended(...say(await askMcp<Result>(offer.url, token, method)))
    } catch (thrown) {
      return ended(thrown instanceof Error ? thrown.message : String(thrown), false)
    }
  }
  const test = async () => {
    setSteps([])
    setBusy(true)
    const connected = await step<Discovered>('server/discover', 'server/discover', (found) => [
      t('share.test_connected', { versions: (found.supportedVersions ?? []).join(', ') }),
      true,
    ])
    if (connected)
      await step<ToolList>('tools/list', 'tools/list', ({ tools }) => {
        const among = tools.some((tool) => tool.name === offer.name)
        const n = tools.length
        return [t(among ? 'share.test_listed' : 'share.test_missing', { n, name: offer.name }), among]
      })
    setBusy(false)
  }
  return { steps, busy, test }
}

export function LiveTest({ offer, token }: { readonly offer: Address; readonly token: string }) {
  const t = useT()
  const { steps, busy, test } = useLiveTest(offer, token)
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('share.test')}>
      <div className="share-head">
        <h3 className="section-title">{t('share.test')}</h3>
        <span className="text-xs text-muted">{t('share.test_text')}</span>
        <Button
          icon={<RefreshCw aria-hidden />}
          busy={busy}
          blocked={token ? undefined : t('share.test_needs_token')}
          onClick={() => void test()}
        >
          {t('share.test_action')}
        </Button>
      </div>
      <ol className="share-steps" aria-live="polite">
        {steps.map((step) => (
          <li key={step.name}>
            <StatusIcon
              status={step.good ? 'succeeded' : 'failed'}
              label={t(step.good ? 'share.test_ok' : 'share.test_failed')}
            />
            <code>{step.name}</code>
            <span className="min-w-0 break-words">{visible(step.text)}</span>
            <span className="text-xs text-muted tabular-nums">{duration(step.ms)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
