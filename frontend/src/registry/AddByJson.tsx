/** Adding servers from the configuration of another client, pasted as it stands. The server reads it; nothing connects. */
import { KeyRound, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { asApiError } from '@/api/client'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { Button, Checkbox, Chip, ErrorBox, TextArea, toast } from '@/ui'
import { useImport } from './deeds'

const PAUSE_MS = 350
const EXAMPLE = `{
  "mcpServers": {
    "time": {
      "command": "uvx",
      "args": ["mcp-server-time"]
    }
  }
}`

export function ByJson({
  onAdded,
  onClose,
}: {
  readonly onAdded: (servers: readonly Server[]) => void
  readonly onClose: () => void
}) {
  const t = useT()
  const [text, setText] = useState('')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
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
  const chosen = found.filter((server) => !left.has(server.name)).map((server) => server.name)
  const toggle = (name: string, on: boolean) => {
    const next = new Set(left)
    if (on) next.delete(name)
    else next.add(name)
    setLeft(next)
  }
  const add = () =>
    take.mutate(
      { config: text, only: chosen },
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
            <div key={server.name} className="rounded-md border border-line px-3 py-1">
              <Checkbox
                checked={!left.has(server.name)}
                onChange={(on) => toggle(server.name, on)}
                label={
                  <span className="inline-flex items-center gap-2">
                    {server.name} <Chip>{server.transport}</Chip>
                  </span>
                }
              />
              <p className="truncate pl-6 font-mono text-xs text-muted" data-tip={server.target}>
                {server.target}
              </p>
              {server.transport === 'stdio' ? (
                <p className="flex items-center gap-1 pl-6 text-xs text-waiting">
                  <TriangleAlert size={12} aria-hidden /> {t('registry.full_trust')}
                </p>
              ) : null}
              {server.secrets.length > 0 ? (
                <p className="flex items-center gap-1 pl-6 text-xs text-muted">
                  <KeyRound size={12} aria-hidden />{' '}
                  {t('registry.become_secret', { names: server.secrets.join(', ') })}
                </p>
              ) : null}
              {server.missing.length > 0 ? (
                <p className="flex items-center gap-1 pl-6 text-xs text-waiting">
                  <TriangleAlert size={12} aria-hidden />{' '}
                  {t('registry.to_be_given', { names: server.missing.join(', ') })}
                </p>
              ) : null}
            </div>
          ))}
          {skipped.map((one) => (
            <p key={one.name} className="text-sm text-muted">
              <b className="font-medium text-fg">{one.name}</b> {one.reason}
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
          blocked={chosen.length > 0 ? undefined : t('registry.needs_json')}
          onClick={add}
        >
          {t('registry.add_n', { n: chosen.length })}
        </Button>
      </div>
    </>
  )
}
