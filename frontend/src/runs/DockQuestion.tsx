/** The open question of the shown run, beside its step: the same form as in the inbox. */

import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useOpenInteractions } from '@/api/run-store'
import type { Interaction } from '@/api/run-types'
import { useInteractions } from '@/api/runs'
import { useT } from '@/i18n'
import { Expiry } from '@/interactions/Expiry'
import { headingOf, kindOf } from '@/interactions/kinds'
import { QuestionForm } from '@/interactions/QuestionForm'
import { RiskBadge } from '@/ui'

/** The inbox row of a question that the log says is open; null until it is there. */
export function useRunQuestions(run: string | null): readonly Interaction[] {
  const client = useQueryClient()
  const open = useOpenInteractions()
  const ids = open.map((question) => question.id).join()
  const { interactions } = useInteractions({ run: run ?? '' }, run !== null && open.length > 0)
  const missing = open.some((question) => !interactions.some((row) => row.id === question.id))
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again for every new question
  useEffect(() => {
    if (missing) void client.invalidateQueries({ queryKey: ['interaction', 'list', { run }] })
  }, [ids, missing])
  return interactions.filter((row) => open.some((question) => question.id === row.id))
}

export function DockQuestion({ question }: { question: Interaction }) {
  const t = useT()
  const kind = kindOf(question.kind)
  const Icon = kind.icon
  return (
    <section className="dock-question" aria-label={headingOf(question, t)}>
      <header className="dock-head">
        <span data-tone={kind.tone} className="flex">
          <Icon aria-hidden className="size-4" />
        </span>
        <h2 className="truncate flex-1" data-tip={headingOf(question, t)}>
          {headingOf(question, t)}
        </h2>
        <Expiry question={question} />
        {question.risk ? <RiskBadge level={question.risk.level} /> : null}
      </header>
      <QuestionForm key={question.id} question={question} place="dock" />
    </section>
  )
}
