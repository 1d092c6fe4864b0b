/** The address is asked as a front end would ask it: a run starts, and its events are listed as they arrive. */
import { Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { askAgent, type FrontEndEvent, type FrontEndOffer } from '@/api/agui'
import { useT } from '@/i18n'
import { Button, Callout, TextField, visible } from '@/ui'

const MOST_SHOWN = 200

interface Shown {
  readonly key: number
  readonly type: string
  readonly text: string
}

/** What is told at the address with this token, as it comes. */
function useStream(url: string, token: string) {
  const [events, setEvents] = useState<readonly Shown[]>([])
  const [failed, setFailed] = useState('')
  const [busy, setBusy] = useState(false)
  const gone = useRef(false)
  useEffect(() => {
    gone.current = false
    return () => {
      gone.current = true
    }
  }, [])
  const run = async (text: string) => {
    setEvents([])
    setFailed('')
    setBusy(true)
    let key = 0
    try {
      for await (const event of askAgent(url, token, text)) {
        if (gone.current) return
        const shown = { key: key++, type: event.type, text: textOf(event) }
        setEvents((before) => [...before, shown].slice(-MOST_SHOWN))
      }
    } catch (thrown) {
      setFailed(thrown instanceof Error ? thrown.message : String(thrown))
    }
    setBusy(false)
  }
  return { events, failed, busy, run }
}

function textOf({ stepName, delta, toolCallName, message, outcome }: FrontEndEvent): string {
  if (delta !== undefined) return typeof delta === 'string' ? delta : JSON.stringify(delta)
  return stepName ?? toolCallName ?? message ?? outcome?.type ?? ''
}

export function AguiTest({ offer, token }: { readonly offer: FrontEndOffer; readonly token: string }) {
  const t = useT()
  const { events, failed, busy, run } = useStream(offer.url, token)
  const [text, setText] = useState(() => t('agui.test_hello'))
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('agui.test')}>
      <div className="share-head">
        <h3 className="section-title">{t('agui.test')}</h3>
        <span className="text-xs text-muted">{t('agui.test_text')}</span>
        <Button
          icon={<Play aria-hidden />}
          busy={busy}
          blocked={token ? undefined : t('agui.test_needs_token')}
          onClick={() => void run(offer.takes_text ? text : '')}
        >
          {t('agui.test_action')}
        </Button>
      </div>
      {offer.takes_text ? <TextField label={t('agui.test_message')} value={text} onChange={setText} /> : null}
      {failed ? (
        <Callout tone="failed">
          {t('agui.test_failed')}: {visible(failed)}
        </Callout>
      ) : null}
      {events.length > 0 ? (
        <ol className="grid grid-cols-1 gap-1 text-sm" aria-label={t('agui.test_events')} aria-live="polite">
          {events.map((event) => (
            <li key={event.key}>
              <code>{event.type}</code> <span className="break-words">{visible(event.text)}</span>
            </li>
          ))}
        </ol>
      ) : null}
    </section>
  )
}
