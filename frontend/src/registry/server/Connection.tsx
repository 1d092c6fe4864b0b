/** Why a server can or cannot be reached: the failure with its repair, every stage, and the raw answer. */
import { KeyRound, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/client'
import type { Server, TestReport } from '@/api/servers'
import { useT } from '@/i18n'
import { openDocs } from '@/i18n/docs'
import type { Stage } from '@/registry/test-lines'
import { Button, CodeBlock, ErrorBox, RelativeTime } from '@/ui'
import { Messages } from './Messages'
import { Stages } from './Stages'

/** Which repair a failure's box offers, by its code. */
const mends = (code: string): 'credentials' | 'address' | 'again' => {
  if (code === 'MCP_AUTH_FAILED' || code === 'SECRET_MISSING') return 'credentials'
  if (code === 'MCP_TIMEOUT' || code === 'MCP_UNREACHABLE') return 'again'
  return 'address'
}

export function Failure({
  report,
  onCredentials,
  onSettings,
  onAgain,
}: {
  readonly report: Pick<TestReport, 'message' | 'hint'> & {
    readonly code: string | null
    readonly messages?: TestReport['messages']
    readonly stderr?: readonly string[]
  }
  readonly onCredentials?: (() => void) | undefined
  readonly onSettings?: (() => void) | undefined
  readonly onAgain?: (() => void) | undefined
}) {
  const t = useT()
  const [raw, setRaw] = useState(false)
  const mend = mends(report.code ?? '')
  const messages = report.messages ?? []
  const stderr = report.stderr ?? []
  const hasRaw = messages.length > 0 || stderr.length > 0
  return (
    <ErrorBox
      error={{ code: report.code ?? '', message: report.message, hint: report.hint }}
      actions={
        <>
          {mend === 'credentials' && onCredentials ? (
            <Button variant="primary" icon={<KeyRound />} onClick={onCredentials}>
              {t('registry.replace_credentials')}
            </Button>
          ) : null}
          {mend === 'again' && onAgain ? (
            <Button variant="primary" icon={<RefreshCw />} onClick={onAgain}>
              {t('registry.test_again')}
            </Button>
          ) : null}
          {mend === 'address' && onSettings ? (
            <Button variant="primary" onClick={onSettings}>
              {t('registry.change_settings')}
            </Button>
          ) : null}
          <Button variant="quiet" onClick={() => openDocs('servers')}>
            {t('registry.how_to_read')}
          </Button>
          {hasRaw ? (
            <Button variant="quiet" aria-expanded={raw} onClick={() => setRaw(!raw)}>
              {t('registry.raw_answer')}
            </Button>
          ) : null}
        </>
      }
    >
      {raw && stderr.length > 0 ? (
        <>
          <p className="section-title pt-1">{t('registry.stderr')}</p>
          <CodeBlock small code={stderr.join('\n')} maxHeight={240} label={t('registry.stderr')} />
        </>
      ) : null}
      {raw && messages.length > 0 ? <Messages messages={messages} maxHeight={280} /> : null}
    </ErrorBox>
  )
}

export function Connection({
  server,
  report,
  stages,
  going,
  error,
  onTest,
  onSettings,
  onCredentials,
}: {
  readonly server: Server
  readonly report: TestReport | null
  /** The stages passed so far, while a test goes on. */
  readonly stages: readonly Stage[]
  readonly going: boolean
  readonly error: unknown
  readonly onTest: () => void
  readonly onSettings: (() => void) | undefined
  /** To where the key is entered: the team's, or one's own. */
  readonly onCredentials: (() => void) | undefined
}) {
  const t = useT()
  const failed = report ? !report.ok : server.status.state === 'error'
  const shown = report ?? server.status
  return (
    <div className="grid grid-cols-1 gap-3">
      {error && !going ? <ErrorBox error={asApiError(error)} /> : null}
      {failed && !going ? (
        <Failure report={shown} onCredentials={onCredentials} onSettings={onSettings} onAgain={onTest} />
      ) : null}
      {report || going ? (
        <Stages transport={server.transport} report={report} reported={stages} going={going} />
      ) : (
        <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
          {server.status.checked_at ? (
            <>
              <span>
                {t('registry.last_checked')} <RelativeTime value={server.status.checked_at} />
              </span>
              <span aria-hidden className="phone:hidden">
                ·
              </span>
            </>
          ) : (
            t('registry.never_tested')
          )}
          <span>{server.enabled ? t('registry.test_shows_stages') : t('registry.is_disabled')}</span>
        </p>
      )}
    </div>
  )
}
