/** Reads aloud what happens in a conversation: that an answer is awaited, the answer once it is whole, a question. */
import { useEffect, useRef, useState } from 'react'
import type { Turn } from '@/api/chat'
import { useT } from '@/i18n'
import { visible } from '@/ui'

const LONGEST = 2000

export function Announcer({ turns }: { readonly turns: readonly Turn[] }) {
  const t = useT()
  const last = turns.at(-1)
  const open = last?.questions.findLast(({ state }) => state === 'open')
  const [announced, setAnnounced] = useState('')
  const before = useRef<string | null>(null)
  const now = !last
    ? ''
    : open
      ? t('chat.asks', { title: visible(open.title) })
      : last.answer !== null
        ? visible(last.answer).slice(0, LONGEST)
        : last.run
          ? t('chat.answering')
          : ''
  useEffect(() => {
    // what stood there when the conversation was opened is read by who reads it
    if (before.current !== null && before.current !== now) setAnnounced(now)
    if (now) before.current = now
  }, [now])
  return (
    <p className="sr-only" role="status">
      {announced}
    </p>
  )
}
