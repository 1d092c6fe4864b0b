/** Adding servers from whatever another client, publisher or page gives, pasted as it stands. Nothing connects. */
import { useState } from 'react'
import type { Server } from '@/api/servers'
import { sentencesOf, useT } from '@/i18n'
import { Button, ErrorBox, TextArea } from '@/ui'
import { FoundList } from './FoundList'
import { useServerMatches } from './importing'

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
  const all = useServerMatches(text, PAUSE_MS, onAdded)
  const { found, error, chosen } = all
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
            error={sentencesOf(error?.fields.config) || undefined}
          />
        </div>
        <div className="grid min-w-0 grid-cols-1 content-start gap-2 overflow-auto border-l border-line p-4 phone:border-t phone:border-l-0">
          <div className="flex items-baseline gap-2">
            <h3>{text.trim() ? t('registry.found', { n: found.length }) : t('registry.paste_title')}</h3>
            <span className="ml-auto text-xs text-muted">
              {found.length && all.dialect ? t('registry.dialect', { dialect: all.dialect }) : ''}
            </span>
          </div>
          {error && !error.fields.config ? <ErrorBox error={error} /> : null}
          {!text.trim() ? <p className="text-sm text-muted">{t('registry.paste_hint')}</p> : null}
          <FoundList all={all} />
        </div>
      </div>
      <div className="dialog-foot">
        <p className="mr-auto text-xs text-muted phone:hidden">{t('registry.creating_connects_not')}</p>
        <Button size="large" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button size="large" variant="primary" busy={all.adding} blocked={all.blocked} onClick={all.add}>
          {chosen.length > 0 ? t('registry.add_n', { n: chosen.length }) : t('registry.add_some')}
        </Button>
      </div>
    </>
  )
}
