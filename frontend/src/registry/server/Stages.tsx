/** A connection test, stage by stage with its time; what was not reached is grey and says so. */
import { LoaderCircle } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Server, TestReport } from '@/api/servers'
import { useT } from '@/i18n'
import { STAGES } from '@/registry/list/health'
import type { Stage } from '@/registry/test-lines'
import { cx, duration, StatusIcon, visible } from '@/ui'
import { stageText } from './stage-text'

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

export function Stages({
  transport,
  report,
  reported,
  going,
}: {
  readonly transport: Server['transport']
  readonly report: TestReport | null
  /** The stages passed so far, while the test goes on. */
  readonly reported: readonly Stage[]
  readonly going: boolean
}) {
  const t = useT()
  const elapsed = useElapsed(going)
  const rows =
    going || !report
      ? STAGES[transport].map(
          (name): Stage =>
            reported.find((entry) => entry.name === name) ?? { name, ok: null, ms: 0, detail: null },
        )
      : report.stages
  const now = going ? rows.find((stage) => stage.ok === null)?.name : undefined
  return (
    <div>
      {going ? (
        <p className="status pb-2" data-tone="running" role="status">
          <LoaderCircle size={14} className="animate-spin" aria-hidden />
          {t('registry.testing')}
          <span className="tabular-nums text-muted">{duration(elapsed)}</span>
        </p>
      ) : null}
      <ol className="overflow-hidden rounded-md border border-line" aria-label={t('registry.stages')}>
        {rows.map((stage) => (
          <li
            key={stage.name}
            className={cx(
              'grid min-h-7 grid-cols-[16px_76px_minmax(0,1fr)_56px] items-center gap-2 border-b border-line px-3 last:border-0 phone:min-h-9',
              stage.ok === null && stage.name !== now && 'text-idle',
              stage.ok === false && 'bg-[color-mix(in_srgb,var(--failed)_6%,var(--surface))]',
            )}
          >
            <StatusIcon
              status={
                stage.name === now
                  ? 'running'
                  : stage.ok === null
                    ? 'skipped'
                    : stage.ok
                      ? 'succeeded'
                      : 'failed'
              }
              label={
                stage.name === now
                  ? t('registry.testing')
                  : stage.ok === null
                    ? t('registry.stage_open')
                    : stage.ok
                      ? t('registry.stage_ok')
                      : t('registry.stage_failed')
              }
            />
            <span className="font-mono text-sm font-medium">{stage.name}</span>
            <Detail
              text={
                stageText(stage.detail, t) || (stage.ok === null && !going ? t('registry.stage_open') : '')
              }
              tone={stage.ok === false ? 'text-failed' : stage.ok ? 'text-muted' : undefined}
            />
            <span className="text-right text-sm text-muted tabular-nums">
              {stage.ok === null ? '' : duration(stage.ms)}
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

function Detail({ text, tone }: { text: string; tone: string | undefined }) {
  return (
    <span className={cx('truncate text-sm', tone)} data-tip={text.length > 44 ? text : undefined}>
      {visible(text)}
    </span>
  )
}
