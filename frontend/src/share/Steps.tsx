/** What happens at an address, step by step, as it happens. */
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useT } from '@/i18n'
import { Button, duration, StatusIcon, visible } from '@/ui'

export interface Step {
  readonly name: string
  readonly text: string
  readonly ms: number
  readonly good: boolean
}

/** The steps of a test. `step` does one and says whether what came of it was good. */
export function useSteps() {
  const [steps, setSteps] = useState<readonly Step[]>([])
  const [busy, setBusy] = useState(false)
  const step = async (name: string, act: () => Promise<readonly [text: string, good: boolean]>) => {
    const begun = performance.now()
    const ended = (text: string, good: boolean) => {
      setSteps((before) => [...before, { name, text, good, ms: performance.now() - begun }])
      return good
    }
    try {
      return ended(...(await act()))
    } catch (thrown) {
      return ended(thrown instanceof Error ? thrown.message : String(thrown), false)
    }
  }
  const during = async (test: () => Promise<void>) => {
    setSteps([])
    setBusy(true)
    await test()
    setBusy(false)
  }
  return { steps, busy, step, during }
}

export interface StepsProps {
  readonly steps: readonly Step[]
  readonly busy: boolean
  /** Why it cannot be tested; undefined if it can. */
  readonly blocked: string | undefined
  readonly onTest: () => void
}

export function Steps({ steps, busy, blocked, onTest }: StepsProps) {
  const t = useT()
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('share.test')}>
      <div className="share-head">
        <h3 className="section-title">{t('share.test')}</h3>
        <span className="text-xs text-muted">{t('share.test_text')}</span>
        <Button icon={<RefreshCw aria-hidden />} busy={busy} blocked={blocked} onClick={onTest}>
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
