/** How a server answered the team's runs over time: calls, errors and latency, drawn and in a table. */
import { useQuery } from '@tanstack/react-query'
import { type CSSProperties, type ReactNode, useState } from 'react'
import { asApiError } from '@/api/client'
import type { Server } from '@/api/servers'
import { currentLanguage, useT } from '@/i18n'
import { type ServerCalls, type Span, serverCallsQuery } from '@/registry/queries'
import { dateTime, duration, LoadFailed, number, percent, Segmented, Skeleton } from '@/ui'

type Step = ServerCalls['results'][number]

/** When a step begins: hours by this clock, days as they are counted, in UTC. */
function stepName(at: string, span: Span): string {
  const parts: Intl.DateTimeFormatOptions =
    span === 'day'
      ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
      : { day: 'numeric', month: 'short', timeZone: 'UTC' }
  return new Intl.DateTimeFormat(currentLanguage() === 'zh' ? 'zh-CN' : 'en-GB', parts).format(new Date(at))
}

const HOURS = 24
const DAYS = 30

const latency = (ms: number | null): string => (ms === null ? '–' : duration(ms))

interface FigureProps {
  readonly name: string
  readonly first?: boolean
  readonly children: ReactNode
}

function Figure({ name, first = false, children }: FigureProps) {
  return (
    <div className="min-w-0 px-3 py-2" style={first ? {} : { borderLeft: '1px solid var(--line)' }}>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-semibold tabular-nums">{children}</dd>
    </div>
  )
}

function Totals({ total }: { readonly total: ServerCalls['total'] }) {
  const t = useT()
  const wrong = total.errors + total.failed
  return (
    <dl className="grid grid-cols-3 rounded-md border border-line">
      <Figure name={t('registry.calls')} first>
        {number(total.calls)}
      </Figure>
      <Figure name={t('registry.calls_errors')}>
        {number(wrong)}{' '}
        {wrong > 0 ? <span className="text-xs text-muted">{percent(wrong / total.calls)}</span> : null}
      </Figure>
      <Figure name={t('registry.calls_latency')}>
        {latency(total.p50_ms)}{' '}
        {total.p95_ms === null ? null : (
          <span className="text-xs whitespace-nowrap text-muted">
            {t('registry.calls_p95', { latency: duration(total.p95_ms) })}
          </span>
        )}
      </Figure>
    </dl>
  )
}

interface PlotProps {
  readonly caption: string
  readonly steps: readonly Step[]
  readonly span: Span
  /** What stands at the top of the plot. */
  readonly top: string
  readonly keys: readonly { readonly name: string; readonly mark: CSSProperties }[]
  readonly children: ReactNode
}

/** How wide the time before anything was counted is, in steps: the columns of a new server are as narrow as of any. */
const emptyBefore = (steps: readonly Step[], span: Span): number =>
  Math.max(0, (span === 'day' ? HOURS : DAYS) - steps.length)

/** A plot with a column for each step of the whole time, a hundred high. */
function Plot({ caption, steps, span, top, keys, children }: PlotProps) {
  const [first, last] = [steps[0], steps.at(-1)]
  const before = emptyBefore(steps, span)
  const share = before / (before + steps.length)
  return (
    <figure className="min-w-0 rounded-md border border-line px-3 py-2">
      <figcaption className="flex flex-wrap items-baseline gap-x-3 text-sm">
        <span className="mr-auto font-semibold">{caption}</span>
        {keys.map(({ name, mark }) => (
          <span key={name} className="flex items-center gap-1 text-xs text-muted">
            <i aria-hidden className="inline-block w-3" style={mark} />
            {name}
          </span>
        ))}
      </figcaption>
      <p className="text-right text-xs text-muted tabular-nums" aria-hidden>
        {top}
      </p>
      <svg
        viewBox={`${-before} 0 ${before + steps.length} 100`}
        preserveAspectRatio="none"
        aria-hidden
        className="block w-full border-t border-b border-line"
        style={{ height: 80 }}
      >
        {children}
      </svg>
      <p
        className="flex justify-between text-xs text-muted tabular-nums"
        style={{ paddingLeft: share < 0.7 ? `${share * 100}%` : 0 }}
        aria-hidden
      >
        <span>{first && share < 0.7 ? stepName(first.at, span) : ''}</span>
        <span>{last ? stepName(last.at, span) : ''}</span>
      </p>
    </figure>
  )
}

const GAP = 0.2

function CallsPlot({ steps, span }: { readonly steps: readonly Step[]; readonly span: Span }) {
  const t = useT()
  const most = Math.max(1, ...steps.map((step) => step.calls))
  return (
    <Plot
      caption={t('registry.calls')}
      steps={steps}
      span={span}
      top={number(most)}
      keys={[{ name: t('registry.calls_errors'), mark: { height: 8, background: 'var(--failed)' } }]}
    >
      {steps.map((step, index) => {
        const wrong = ((step.errors + step.failed) / most) * 100
        const all = (step.calls / most) * 100
        const place = { x: index + GAP / 2, width: 1 - GAP }
        return (
          <g key={step.at}>
            <rect {...place} y={100 - all} height={all - wrong} fill="var(--idle)" />
            <rect {...place} y={100 - wrong} height={wrong} fill="var(--failed)" />
          </g>
        )
      })}
    </Plot>
  )
}

function LatencyPlot({ steps, span }: { readonly steps: readonly Step[]; readonly span: Span }) {
  const t = useT()
  const most = Math.max(1, ...steps.map((step) => step.p95_ms ?? 0))
  const line = (index: number, ms: number | null, stroke: string, dashes?: string) =>
    ms === null ? null : (
      <line
        x1={index + GAP / 2}
        x2={index + 1 - GAP / 2}
        y1={98 - (ms / most) * 96}
        y2={98 - (ms / most) * 96}
        vectorEffect="non-scaling-stroke"
        strokeWidth={2}
        strokeDasharray={dashes}
        stroke={stroke}
      />
    )
  return (
    <Plot
      caption={t('registry.calls_latency')}
      steps={steps}
      span={span}
      top={duration(most)}
      keys={[
        { name: 'p50', mark: { borderTop: '2px solid var(--fg)' } },
        { name: 'p95', mark: { borderTop: '2px dotted var(--muted)' } },
      ]}
    >
      {steps.map((step, index) => (
        <g key={step.at}>
          {line(index, step.p95_ms, 'var(--muted)', '3 2')}
          {line(index, step.p50_ms, 'var(--fg)')}
        </g>
      ))}
    </Plot>
  )
}

function StepTable({ steps, span }: { readonly steps: readonly Step[]; readonly span: Span }) {
  const t = useT()
  const heads = [
    span === 'day' ? t('registry.calls_hour') : t('registry.calls_day'),
    t('registry.calls'),
    t('registry.calls_tool_errors'),
    t('registry.calls_failed'),
    'p50',
    'p95',
  ]
  return (
    <details className="text-sm">
      <summary className="cursor-pointer text-muted" style={{ minHeight: 24 }}>
        {t('registry.calls_table')}
      </summary>
      <div className="max-h-60 overflow-auto">
        <table className="table w-full tabular-nums">
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.toReversed().map((step) => (
              <tr key={step.at}>
                <th scope="row" className="font-normal">
                  {stepName(step.at, span)}
                </th>
                <td>{number(step.calls)}</td>
                <td>{number(step.errors)}</td>
                <td>{number(step.failed)}</td>
                <td>{latency(step.p50_ms)}</td>
                <td>{latency(step.p95_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

function Drawn({ report, span }: { readonly report: ServerCalls; readonly span: Span }) {
  const t = useT()
  if (report.total.calls === 0)
    return (
      <p className="text-sm text-muted">
        {span === 'day' ? t('registry.calls_none_day') : t('registry.calls_none_month')}
      </p>
    )
  return (
    <>
      <Totals total={report.total} />
      <div className="grid grid-cols-2 gap-2 phone:grid-cols-1">
        <CallsPlot steps={report.results} span={span} />
        <LatencyPlot steps={report.results} span={span} />
      </div>
      {report.since && report.results.length < (span === 'day' ? HOURS : DAYS) ? (
        <p className="text-xs text-muted">{t('registry.calls_since', { date: dateTime(report.since) })}</p>
      ) : null}
      <StepTable steps={report.results} span={span} />
    </>
  )
}

export function Calls({ server }: { readonly server: Server }) {
  const t = useT()
  const [span, setSpan] = useState<Span>('day')
  const { data, error, refetch } = useQuery(serverCallsQuery(server.id, span))
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('registry.calls_title')}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="section-title">{t('registry.calls_title')}</h3>
        <Segmented<Span>
          small
          label={t('registry.calls_span')}
          value={span}
          onChange={setSpan}
          options={[
            { value: 'day', label: t('registry.calls_span_day') },
            { value: 'month', label: t('registry.calls_span_month') },
          ]}
        />
      </div>
      {error ? (
        <LoadFailed error={asApiError(error)} onRetry={refetch} />
      ) : data ? (
        <Drawn report={data} span={data.span} />
      ) : (
        <Skeleton rows={3} />
      )}
    </section>
  )
}
