/** The requests of a sign-in one by one, each with what was sent and answered. */
import { useT } from '@/i18n'
import { cx, dateTime, duration, StatusIcon, visible } from '@/ui'
import type { FlowStep } from './data'

export function Steps({ steps }: { readonly steps: readonly FlowStep[] }) {
  const t = useT()
  if (steps.length === 0) return null
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('signin.steps')}>
      <h3 className="section-title flex items-baseline justify-between gap-2">
        {t('signin.steps')}
        <span className="text-xs font-normal text-muted">{t('signin.masked')}</span>
      </h3>
      <ol className="overflow-hidden rounded-md border border-line">
        {steps.map((step) => (
          <li key={`${step.at} ${step.url}`} className="border-b border-line last:border-0">
            <Step step={step} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function Step({ step }: { readonly step: FlowStep }) {
  const t = useT()
  const failed = step.problem !== ''
  return (
    <details>
      <summary
        className={cx(
          'grid min-h-7 cursor-pointer grid-cols-[16px_76px_minmax(0,1fr)_56px] items-center gap-2 px-3 phone:min-h-9',
          failed && 'bg-[color-mix(in_srgb,var(--failed)_6%,var(--surface))]',
        )}
      >
        <StatusIcon
          status={failed ? 'failed' : 'succeeded'}
          label={failed ? t('signin.step_failed') : t('signin.step_ok')}
        />
        <span className="font-mono text-sm font-medium">{step.stage}</span>
        <span className={cx('truncate text-sm', failed ? 'text-failed' : 'text-muted')}>
          {step.status === 0 ? t('signin.no_answer') : step.status} · {visible(hostOf(step.url))}
        </span>
        <span className="text-right text-sm text-muted tabular-nums">{duration(step.ms)}</span>
      </summary>
      <div className="grid grid-cols-1 gap-2 px-3 pt-1 pb-3 text-xs">
        <p className="text-muted">{dateTime(step.at)}</p>
        <code className="font-mono break-all">
          {step.method} {visible(step.url)}
        </code>
        <Body name={t('signin.asked')} text={step.sent} />
        <Body name={t('signin.answered')} text={step.body} />
      </div>
    </details>
  )
}

function Body({ name, text }: { readonly name: string; readonly text: string }) {
  if (!text) return null
  return (
    <div>
      <p className="text-muted">{name}</p>
      <code className="font-mono break-all whitespace-pre-wrap">{visible(text)}</code>
    </div>
  )
}

const hostOf = (url: string): string => url.replace(/^https?:\/\//, '')
