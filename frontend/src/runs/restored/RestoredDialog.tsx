/** Restored runs before they go on: what each may have written since the backup, one by one or all. */

import { CircleCheck, Pencil, Play } from 'lucide-react'
import { Link } from 'wouter'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { type PossibleWrite, type RestoredRun, useRestored, useResumeRestored } from '@/api/restored'
import { useT } from '@/i18n'
import { ValueView } from '@/results'
import { Button, Callout, Chip, Dialog, dateTime, ErrorBox, Skeleton, visible } from '@/ui'
import '@/runs/rerun/rerun.css'

interface RestoredDialogProps {
  /** null = all of the team's. */
  readonly run: string | null
  readonly onClose: () => void
}

export function RestoredDialog({ run, onClose }: RestoredDialogProps) {
  const t = useT()
  const query = useRestored(run)
  const resume = useResumeRestored()
  const blocked = useMay('editor') ? undefined : t('runs.blocked_viewer')
  const runs = (query.data?.results ?? []).filter((restoredRun) => restoredRun.restored_from !== null)
  const total = query.data?.total ?? 0
  const problem = resume.error ?? query.error
  const free = runs.some((run) => !run.was_paused)
  const goOn = (value: string | null) => resume.mutate(value, { onSuccess: () => value === run && onClose() })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t(run === null ? 'restored.title' : 'restored.title_one')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.close')}</Button>
          {runs.length > 0 && (run !== null || free) ? (
            <Button
              variant="primary"
              icon={<Play aria-hidden />}
              busy={resume.isPending && resume.variables === run}
              blocked={blocked}
              onClick={() => goOn(run)}
            >
              {run === null ? t('restored.resume_all') : t('runs.resume')}
            </Button>
          ) : null}
        </>
      }
    >
      <div className="again">
        {problem ? <ErrorBox error={asApiError(problem)} /> : null}
        {query.isPending ? <Skeleton rows={4} row={36} /> : null}
        {query.data && runs.length === 0 ? (
          <Callout tone="ok" icon={<CircleCheck aria-hidden />}>
            {t('restored.none')}
          </Callout>
        ) : null}
        {runs.length > 0 ? <Callout tone="waiting">{t('restored.warning')}</Callout> : null}
        {runs.map((restoredRun) => (
          <OneRun
            key={restoredRun.run}
            run={restoredRun}
            {...(run === null
              ? {
                  onResume: () => goOn(restoredRun.run),
                  busy: resume.isPending && resume.variables === restoredRun.run,
                  blocked,
                }
              : {})}
          />
        ))}
        {runs.length < total && run === null ? (
          <p className="text-xs text-muted">{t('restored.more_runs', { n: total - runs.length })}</p>
        ) : null}
      </div>
    </Dialog>
  )
}

interface OneRunProps {
  readonly run: RestoredRun
  readonly onResume?: () => void
  readonly busy?: boolean
  readonly blocked?: string | undefined
}

function OneRun({ run, onResume, busy = false, blocked }: OneRunProps) {
  const t = useT()
  return (
    <section className="grid gap-2" aria-label={run.workflow_name}>
      <div className="flex flex-wrap items-center gap-2">
        <Link href={`/runs/${run.run}`} className="link min-w-0 truncate font-medium">
          {visible(run.workflow_name)}
        </Link>
        {run.was_paused ? <Chip tip={t('restored.was_paused_tip')}>{t('restored.was_paused')}</Chip> : null}
        <span className="flex-1 text-xs text-muted">
          {t('restored.as_of', { time: dateTime(run.restored_from ?? '') })}
        </span>
        {onResume ? (
          <Button
            size="small"
            icon={<Play aria-hidden />}
            busy={busy}
            {...(blocked === undefined ? {} : { blocked })}
            aria-label={t('restored.resume_one', { workflow: run.workflow_name })}
            onClick={onResume}
          >
            {t('runs.resume')}
          </Button>
        ) : null}
      </div>
      {run.writes_total === 0 ? (
        <p className="flex items-center gap-2 text-sm text-muted">
          <CircleCheck size={14} className="flex-none text-ok" aria-hidden />
          {t('restored.no_writes')}
        </p>
      ) : (
        <ul className="again-writes" aria-label={t('restored.writes', { n: run.writes_total })}>
          {run.writes.map((write, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a place may call the same tools twice, and the list stands still
            <OneWrite key={index} write={write} />
          ))}
        </ul>
      )}
      {run.writes.length < run.writes_total ? (
        <p className="text-xs text-muted">
          {t('rerun.writes_more', { n: run.writes_total - run.writes.length })}
        </p>
      ) : null}
    </section>
  )
}

function OneWrite({ write }: { readonly write: PossibleWrite }) {
  const t = useT()
  const tools = write.tools.join(t('rerun.between')) || t('restored.any_tool')
  const called = write.server ? `${write.server} / ${tools}` : tools
  const step = write.title || write.node
  const began = write.how === 'began'
  return (
    <li>
      <div className="again-write">
        <Pencil aria-hidden />
        <span className="again-called">{called}</span>
        <Chip tone="waiting" tip={t(began ? 'restored.began_tip' : 'restored.ahead_tip')}>
          {t(began ? 'restored.began' : 'restored.ahead')}
        </Chip>
        <span className="again-when">
          {write.workflow ? t('restored.below', { step, workflow: write.workflow }) : step}
          {write.at ? ` · ${dateTime(write.at)}` : ''}
        </span>
      </div>
      {write.arguments === null ? null : (
        <div className="again-arguments">
          <ValueView value={write.arguments} shape="tree" label={called} maxHeight={160} />
        </div>
      )}
    </li>
  )
}
