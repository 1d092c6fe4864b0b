/** People as a run's log names them: opaque ids, which the questions' own rows turn into names. */

import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { useInteractions } from '@/api/runs'
import type { Question } from '@/live/fold'

const NamesContext = createContext<ReadonlyMap<string, string>>(new Map())

/** What is inside knows who answered; asked for only where somebody did. */
export function PeopleProvider(props: { run: string; enabled: boolean; children: ReactNode }) {
  const { interactions } = useInteractions({ run: props.run }, props.enabled)
  const names = useMemo(
    () =>
      new Map(
        interactions.flatMap((interaction) =>
          interaction.answered_by ? [[interaction.id, interaction.answered_by] as const] : [],
        ),
      ),
    [interactions],
  )
  return <NamesContext value={names}>{props.children}</NamesContext>
}

/** Who answered a question, as far as that is known; else ''. */
export function useAnswerer(question: Pick<Question, 'id' | 'by'> | null): string {
  const names = useContext(NamesContext)
  if (question === null) return ''
  return names.get(question.id) ?? personOf(question.by)
}

/** A person, where an event says more than an opaque id; else ''. */
export function personOf(who: unknown): string {
  return typeof who === 'string' && !who.startsWith('usr_') ? who : ''
}
