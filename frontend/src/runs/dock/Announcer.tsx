/** One polite voice for live changes: the run's state and the newest step that changed, at most once a second. */

import { useEffect, useRef, useState } from 'react'
import { useT } from '@/i18n'
import { useRunView } from '@/live/run-store'
import { useNodeTitles } from '@/runs/hooks'
import { useStatusWord } from '@/ui'

const PAUSE_MS = 1000

export function Announcer() {
  const t = useT()
  const word = useStatusWord()
  const titleOf = useNodeTitles()
  const view = useRunView()
  const [text, setText] = useState('')
  const speak = useRef<() => string>(() => '')
  speak.current = () => {
    if (!view) return ''
    const info = view.info()
    const event = view.events.findLast(
      (runEvent) => runEvent.node !== null && runEvent.type.startsWith('STEP_'),
    )
    const node = event?.node ?? null
    const run = node ? view.nodeRun(node) : null
    if (!info.ended && node && run)
      return t('runs.announce_step', { node: titleOf(node), state: word(run.status) })
    return t('runs.announce_state', { state: word(info.status) })
  }
  useEffect(() => {
    setText('')
    if (!view) return
    let timer: ReturnType<typeof setTimeout> | null = null
    // What was there when the page opened is not news.
    let message = view.info().lastSeq
    const leave = view.subscribe(() => {
      if (view.info().lastSeq === message || view.info().scrub !== null) return
      timer ??= setTimeout(() => {
        timer = null
        message = view.info().lastSeq
        setText(speak.current())
      }, PAUSE_MS)
    })
    return () => {
      leave()
      if (timer !== null) clearTimeout(timer)
    }
  }, [view])
  return (
    <span className="sr-only" aria-live="polite">
      {text}
    </span>
  )
}
