/** What stands in a configuration: what is chosen of it, what is still asked for, and adding it. Nothing connects. */
import { useEffect, useState } from 'react'
import { asApiError } from '@/api/client'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { useImport } from '@/registry/mutations'
import { toast } from '@/ui'
import { type Answers, answerOf, firstOpen, type ServerMatch } from './FoundServer'

export type AllAnswers = Readonly<Record<string, Answers>>

/** `{values}` of the chosen servers, where something was asked and answered. */
function valuesOf(chosen: readonly ServerMatch[], answers: AllAnswers) {
  const values: Record<string, Record<string, string>> = {}
  for (const server of chosen)
    for (const question of server.questions) {
      const answer = answerOf(question, answers[server.name] ?? {}).trim()
      if (answer) values[server.name] = { ...values[server.name], [question.id]: answer }
    }
  return Object.keys(values).length > 0 ? { values } : {}
}

/** What stands in a text, looked at once it rests for `pause` ms. */
function useLook(text: string, pause: number) {
  const look = useImport()
  const { mutate, reset } = look
  useEffect(() => {
    if (!text.trim()) return reset()
    const timer = window.setTimeout(() => mutate({ config: text, preview: true }), pause)
    return () => window.clearTimeout(timer)
  }, [text, pause, mutate, reset])
  return look
}

export function useServerMatches(text: string, pause: number, onAdded: (servers: readonly Server[]) => void) {
  const t = useT()
  const [marked, setMarked] = useState<Readonly<Record<string, boolean>>>({})
  const [answers, setAnswers] = useState<AllAnswers>({})
  const look = useLook(text, pause)
  const take = useImport()
  const found = text.trim() ? (look.data?.found ?? []) : []
  const isChosen = (server: ServerMatch) => marked[server.name] ?? !server.alternative
  const chosen = found.filter(isChosen)
  const open = chosen
    .map((server) => firstOpen(server, answers[server.name] ?? {}))
    .find((question) => question !== undefined)
  const unanswered = open ? t('registry.needs_value', { name: open.label }) : undefined
  const add = () =>
    take.mutate(
      { config: text, only: chosen.map((server) => server.name), ...valuesOf(chosen, answers) },
      {
        onSuccess: (answer) => {
          for (const { name, reason } of answer.skipped) toast.error({ title: name, text: reason })
          onAdded(answer.created)
        },
      },
    )
  const thrown = take.error ?? look.error
  return {
    found,
    skipped: text.trim() ? (look.data?.skipped ?? []) : [],
    dialect: look.data?.dialect,
    looking: look.isPending,
    isChosen,
    mark: (name: string, on: boolean) => setMarked({ ...marked, [name]: on }),
    answers,
    setAnswers,
    chosen,
    blocked: chosen.length === 0 ? t('registry.needs_json') : unanswered,
    add,
    adding: take.isPending,
    error: thrown ? asApiError(thrown) : null,
  }
}
