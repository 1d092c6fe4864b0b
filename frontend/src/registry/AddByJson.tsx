/** Adding servers from whatever another client, publisher or page gives, pasted as it stands. Nothing connects. */
import { useEffect, useState } from 'react'
import { asApiError } from '@/api/client'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { Button, ErrorBox, TextArea, toast, visible } from '@/ui'
import { useImport } from './deeds'
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
  const [answers, setAnswers] = useState<Readonly<Record<string, Answers>>>({})
  const look = useImport()
  const take = useImport()
  const { mutate, reset } = look
  useEffect(() => {
    if (!text.trim()) return reset()
    const timer = window.setTimeout(() => mutate({ config: text, preview: true }), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [text, mutate, reset])
  const found = text.trim() ? (look.data?.found ?? []) : []
  const skipped = text.trim() ? (look.data?.skipped ?? []) : []
  const isChosen = (server: Found) => marked[server.name] ?? !server.alternative
  const chosen = found.filter(isChosen)
  const open = chosen
    .map((server) => firstOpen(server, answers[server.name] ?? {}))
    .find((question) => question !== undefined)
  const add = () =>
    take.mutate(
      { config: text, only: chosen.map((server) => server.name), ...valuesOf(chosen, answers) },
      {
        onSuccess: (answer) => {
          for (const one of answer.skipped) toast.error({ title: one.name, text: one.reason })
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
            <h3>{t('registry.found', { n: found.length })}</h3>
            <span className="ml-auto text-xs text-muted">
              {found.length && look.data?.dialect
                ? t('registry.dialect', { dialect: look.data.dialect })
                : ''}
            </span>
          </div>
          {error && !error.fields.config ? <ErrorBox error={error} /> : null}
          {!text.trim() ? <p className="text-sm text-muted">{t('registry.paste_hint')}</p> : null}
          {found.map((server) => (
            <FoundServer
              key={server.name}
              server={server}
              chosen={isChosen(server)}
              answers={answers[server.name] ?? {}}
              onChoose={(on) => setMarked({ ...marked, [server.name]: on })}
              onAnswer={(id, answer) =>
                setAnswers({ ...answers, [server.name]: { ...answers[server.name], [id]: answer } })
              }
            />
          ))}
          {skipped.map((one) => (
            <p key={one.name} className="text-sm text-muted">
              <b className="font-medium text-fg">{visible(one.name)}</b> {one.reason}
            </p>
          ))}
        </div>
      </div>
      <div className="dialog-foot">
        <p className="mr-auto text-xs text-muted phone:hidden">{t('registry.creating_connects_not')}</p>
        <Button size="large" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          size="large"
          variant="primary"
          busy={take.isPending}
          blocked={
            chosen.length === 0
              ? t('registry.needs_json')
              : open
                ? t('registry.needs_value', { name: open.label })
                : undefined
          }
          onClick={add}
        >
          {t('registry.add_n', { n: chosen.length })}
        </Button>
      </div>
    </>
  )
}
