/** An answer while its run goes on: what was said so far, what is being written, which tools are called. */
import { useMemo } from 'react'
import { useRun } from '@/api/runs'
import { useT } from '@/i18n'
import { useRunFold, useRunView } from '@/live/run-store'
import { Prose } from '@/prose/Prose'
import { Calls } from './Calls'
import { speakersOf, spokenBy } from './spoken'

interface LiveAnswerProps {
  readonly run: string
  readonly queued: boolean
  /** Somebody is asked: nothing is written until it is answered. */
  readonly asks: boolean
}

export function LiveAnswer({ run, queued, asks }: LiveAnswerProps) {
  const t = useT()
  const { data } = useRun(run)
  const document = (data as { graph?: unknown } | undefined)?.graph
  const speakers = useMemo(() => speakersOf(document), [document])
  const fold = useRunFold()
  const view = useRunView()
  if (!fold || !view || (queued && fold.seq <= 1)) return <p className="chat-waits">{t('chat.queued')}</p>
  const { answers, writing, calls } = spokenBy(fold, speakers, (step) => view.nodeRun(step.node)?.text ?? '')
  const silent = answers.length === 0 && !writing
  return (
    <>
      <Calls calls={calls} />
      {answers.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an answer is its place
        <Prose key={index} text={text} />
      ))}
      {writing ? (
        <div className="chat-writing">
          <Prose text={writing} />
        </div>
      ) : null}
      {silent && calls.length === 0 && !asks ? <p className="chat-waits">{t('chat.answering')}</p> : null}
    </>
  )
}
