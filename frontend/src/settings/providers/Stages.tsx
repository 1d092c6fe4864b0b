/** A test of a provider, stage by stage with its time; a stage that failed, or is not offered, says so below. */
import { LoaderCircle } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type Key, useT } from '@/i18n'
import { CodeBlock, cx, duration, StatusIcon } from '@/ui'
import type { Report } from './mutations'
import { factOf, rawOf } from './stage-text'

const NAMES = ['url', 'dns', 'tcp', 'tls', 'http', 'auth', 'models', 'chat', 'stream', 'tools'] as const
type Stage = Report['stages'][number]

const MEANING: Readonly<Record<Stage['name'], Key>> = {
  url: 'providers.stage_url',
  dns: 'providers.stage_dns',
  tcp: 'providers.stage_tcp',
  tls: 'providers.stage_tls',
  http: 'providers.stage_http',
  auth: 'providers.stage_auth',
  models: 'providers.stage_models',
  chat: 'providers.stage_chat',
  stream: 'providers.stage_stream',
  tools: 'providers.stage_tools',
}

const OPEN: readonly Stage[] = NAMES.map((name) => ({
  name,
  ok: null,
  ms: 0,
  detail: null,
  code: null,
  message: '',
  hint: '',
}))

/** Milliseconds since a test began, while it goes on. */
function useElapsed(going: boolean): number {
  const [ms, setMs] = useState(0)
  useEffect(() => {
    if (!going) return
    const begun = performance.now()
    setMs(0)
    const timer = window.setInterval(() => setMs(performance.now() - begun), 100)
    return () => window.clearInterval(timer)
  }, [going])
  return ms
}

function Row({ stage, passedBy }: { stage: Stage; passedBy: boolean }) {
  const t = useT()
  const [shown, setShown] = useState(false)
  const raw = rawOf(stage.detail)
  const word =
    stage.ok === null
      ? stage.message
        ? t('providers.stage_not_offered')
        : passedBy
          ? t('providers.stage_not_needed')
          : t('providers.stage_open')
      : stage.ok
        ? t('providers.stage_ok')
        : t('providers.stage_failed')
  return (
    <li
      className={cx(
        'grid grid-cols-[16px_88px_minmax(0,1fr)_56px] items-start gap-x-2 border-b border-line px-3 py-1 last:border-0 phone:py-2',
        stage.ok === null && !stage.message && !passedBy && 'text-idle',
        stage.ok === false && 'bg-[color-mix(in_srgb,var(--failed)_6%,var(--surface))]',
      )}
    >
      <span className="flex h-5 items-center">
        <StatusIcon status={stage.ok === null ? 'skipped' : stage.ok ? 'succeeded' : 'failed'} label={word} />
      </span>
      <span className="text-sm/5 font-medium">{t(MEANING[stage.name] as 'providers.stage_url')}</span>
      <div className="grid min-w-0 gap-1 text-sm/5">
        <span className={cx('[overflow-wrap:anywhere]', stage.ok === false ? 'text-failed' : 'text-muted')}>
          {stage.message || factOf(stage.detail, t) || (passedBy ? word : '')}
        </span>
        {stage.hint ? <span className="text-muted">{stage.hint}</span> : null}
        {raw && stage.ok === false ? (
          <div className="grid gap-1">
            <button
              type="button"
              className="link justify-self-start text-xs"
              aria-expanded={shown}
              onClick={() => setShown(!shown)}
            >
              {t('providers.raw_answer')}
            </button>
            {shown ? <CodeBlock small code={raw} maxHeight={200} label={t('providers.raw_answer')} /> : null}
          </div>
        ) : null}
      </div>
      <span className="text-right text-sm/5 text-muted tabular-nums">
        {stage.ms > 0 ? duration(stage.ms) : ''}
      </span>
    </li>
  )
}

export function Stages({ report, going }: { readonly report: Report | null; readonly going: boolean }) {
  const t = useT()
  const elapsed = useElapsed(going)
  const rows = going || !report ? OPEN : report.stages
  return (
    <div className="grid gap-2">
      {going ? (
        <p className="status" data-tone="running" role="status">
          <LoaderCircle size={14} className="animate-spin" aria-hidden />
          {t('providers.testing')}
          <span className="tabular-nums text-muted">{duration(elapsed)}</span>
        </p>
      ) : null}
      <ol className="overflow-hidden rounded-md border border-line" aria-label={t('providers.stages')}>
        {rows.map((stage, index) => (
          <Row
            key={stage.name}
            stage={stage}
            passedBy={stage.ok === null && rows.slice(index).some((later) => later.ok !== null)}
          />
        ))}
      </ol>
    </div>
  )
}
