/** Adding servers from whatever another client, publisher or page gives, pasted as it stands. Nothing connects. */
import { useEffect, useState } from 'react'
import { asApiError } from '@/api/client'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { useImport } from '@/registry/mutations'
import { Button, ErrorBox, TextArea, toast, visible } from '@/ui'
import { type Answers, answerOf, type Found, FoundServer, firstOpen } from './FoundServer'

const PAUSE_MS = 350
const EXAMPLE = `{
  "mcpServers": {
    "time": {
      "command": "uvx",
      "args": ["mcp-server-time"]
    }
  }
}`

/** `{values}` of the chosen servers, where something was asked and answered. */
function valuesOf(chosen: readonly Found[], answers: Readonly<Record<string, Answers>>) {
  const values: Record<string, Record<string, string>> = {}
  for (const server of chosen)
    for (const question of server.questions) {
      const answer = answerOf(question, answers[server.name] ?? {}).trim()
      if (answer) values[server.name] = { ...values[server.name], [question.id]: answer }
    }
  return Object.keys(values).length > 0 ? { values } : {}
}

/** What stands in a text, looked at once the typing rests. */
function useLook(text: string) {
  const look = useImport()
  const { mutate, reset } = look
  useEffect(() => {
    if (!text.trim()) return reset()
    const timer = window.setTimeout(() => mutate({ config: text, preview: true }), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [text, mutate, reset])
  return look
}

type AllAnswers = Readonly<Record<string, Answers>>

interface FoundListProps {
  readonly found: readonly Found[]
  readonly isChosen: (server: Found) => boolean
  readonly onMark: (name: string, on: boolean) => void
  readonly answers: AllAnswers
  readonly onAnswers: (answers: AllAnswers) => void
}

function FoundList({ found, isChosen, onMark, answers, onAnswers }: FoundListProps) {
  return found.map((server) => (
    <FoundServer
      key={server.name}
      server={server}
      chosen={isChosen(server)}
      answers={answers[server.name] ?? {}}
      onChoose={(on) => onMark(server.name, on)}
      onAnswer={(id, answer) =>
        onAnswers({ ...answers, [server.name]: { ...answers[server.name], [id]: answer } })
      }
    />
  ))
}

export function ByJson({
  onAdded,
  onClose,
}: {
  readonly onAdded: (servers: readonly Server[]) => void
  readonly onClose: () => void
}) {
  const t = useT()
  const [text, setText] = useState('')
  const [marked, setMarked] = useState<Readonly<Record<string, boolean>>>({})
  const [answers, setAnswers] = useState<AllAnswers>({})
  const look = useLook(text)
  const take = useImport()
  const matches = text.trim() ? (look.data?.found ?? []) : []
  const skipped = text.trim() ? (look.data?.skipped ?? []) : []
  const isChosen = (server: Found) => marked[server.name] ?? !server.alternative
  const mark = (name: string, on: boolean) => setMarked({ ...marked, [name]: on })
  const chosen = matches.filter(isChosen)
  const open = chosen
    .map((server) => firstOpen(server, answers[server.name] ?? {}))
    .find((question) => question !== undefined)
  const unanswered = open ? t('registry.needs_value', { name: open.label }) : undefined
  const blocked = chosen.length === 0 ? t('registry.needs_json') : unanswered
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
  const error = thrown ? asApiError(thrown) : null
  return (
    <>
      <div className="grid min-h-80 flex-1 grid-cols-2 overflow-hidden phone:grid-cols-1 phone:overflow-auto">
        <div className="flex min-h-0 flex-col p-4">
          <TextArea
            className="h-full grid-rows-[auto_minmax(0,1fr)]"
            label={t('registry.paste_label')}
            mono
            autoFocus
            rows={14}
            placeholder={EXAMPLE}
            value={text}
            onChange={setText}
            error={error?.fields.config?.join(' ')}
          />
        </div>
        <div className="grid min-w-0 grid-cols-1 content-start gap-2 overflow-auto border-l border-line p-4 phone:border-t phone:border-l-0">
          <div className="flex items-baseline gap-2">
            <h3>{text.trim() ? t('registry.found', { n: matches.length }) : t('registry.paste_title')}</h3>
            <span className="ml-auto text-xs text-muted">
              {matches.length && look.data?.dialect
                ? t('registry.dialect', { dialect: look.data.dialect })
                : ''}
            </span>
          </div>
          {error && !error.fields.config ? <ErrorBox error={error} /> : null}
          {!text.trim() ? <p className="text-sm text-muted">{t('registry.paste_hint')}</p> : null}
          <FoundList
            found={matches}
            isChosen={isChosen}
            onMark={mark}
            answers={answers}
            onAnswers={setAnswers}
          />
          {skipped.map(({ name, reason }) => (
            <p key={name} className="text-sm text-muted">
              <b className="font-medium text-fg">{visible(name)}</b> {reason}
            </p>
          ))}
        </div>
      </div>
      <div className="dialog-foot">
        <p className="mr-auto text-xs text-muted phone:hidden">{t('registry.creating_connects_not')}</p>
        <Button size="large" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button size="large" variant="primary" busy={take.isPending} blocked={blocked} onClick={add}>
          {chosen.length > 0 ? t('registry.add_n', { n: chosen.length }) : t('registry.add_some')}
        </Button>
      </div>
    </>
  )
}
