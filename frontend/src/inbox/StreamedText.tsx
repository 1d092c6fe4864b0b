/** What an agent said before it asked for a call: read from its run, where that is short enough to be read for it. */

import type { Interaction } from '@/api/run-types'
import { useRun } from '@/api/runs'
import { useT } from '@/i18n'
import { Part } from '@/interactions/approval'
import { RunProvider, useRunFold } from '@/live/run-store'
import { visible } from '@/ui'

/** Longer logs are not fetched for a sentence. */
const MOST_EVENTS = 5000

export function StreamedText({ question }: { question: Interaction }) {
  const { data } = useRun(question.run)
  const short = data !== undefined && data.last_seq <= MOST_EVENTS
  if (question.kind !== 'approval' || question.tool === null || !short) return null
  return (
    <RunProvider run={question.run}>
      <RoundText id={question.id} />
    </RunProvider>
  )
}

function RoundText({ id }: { id: string }) {
  const t = useT()
  const fold = useRunFold()
  const question = fold?.questions.get(id)
  const step = question ? fold?.steps.get(question.step) : undefined
  const round = step?.llmCalls.findLast(
    (llmCall) => llmCall.attempt === question?.attempt && question.call?.startsWith(`${llmCall.call}/`),
  )
  if (!round?.text) return null
  return (
    <Part title={t('inbox.agent_said')}>
      <p className="whitespace-pre-wrap break-words line-clamp-6">
        {visible(round.text.replace(/\*\*|`/g, ''))}
      </p>
    </Part>
  )
}
