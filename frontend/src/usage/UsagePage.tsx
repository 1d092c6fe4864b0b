/** What the team used, day by day and by whom; how busy the installation is, and how much it stores. */
import { useQuery } from '@tanstack/react-query'
import { ChartColumn, Table2 } from 'lucide-react'
import { useId, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { asApiError } from '@/api/client'
import { type Amounts, usageQuery } from '@/api/usage'
import { useT } from '@/i18n'
import { cx, IconButton, LoadFailed, PageBar, Segmented, Select, Skeleton, usePhone } from '@/ui'
import { Breakdown } from './Breakdown'
import { Chart, type Day, dayName } from './Chart'
import { LOOKS, lastDays, MEASURES, type Measure, totalOf } from './measures'
import { QueuePanel, StoragePanel } from './Now'
import './usage.css'

const PERIODS = ['7', '30', '90', '365'] as const
type Period = (typeof PERIODS)[number]
const isPeriod = (value: string | null): value is Period =>
  (PERIODS as readonly (string | null)[]).includes(value)

const NOTHING: Amounts = {
  runs: 0,
  failed: 0,
  cancelled: 0,
  rounds: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost: 0,
  tool_calls: 0,
}

export default function UsagePage() {
  const t = useT()
  const phone = usePhone()
  const asked = new URLSearchParams(useSearch()).get('days')
  const [, navigate] = useLocation()
  const period: Period = isPeriod(asked) ? asked : '30'
  const [measure, setMeasure] = useState<Measure>('runs')
  const names = lastDays(Number(period))
  const [from = '', to = ''] = [names[0], names.at(-1)]
  const query = useQuery(usageQuery(from, to, 'day'))
  const byDay = new Map(query.data?.results.map((row) => [row.key, row]))
  const days = names.map((day): Day => ({ day, amounts: byDay.get(day) ?? NOTHING }))
  const selectPeriod = (next: Period) =>
    navigate(next === '30' ? '/usage' : `/usage?days=${next}`, { replace: true })
  const periods = PERIODS.map((value) => ({ value, label: t('usage.last', { n: Number(value) }) }))
  return (
    <>
      <PageBar title={t('usage.title')}>
        {phone ? (
          <Select aria-label={t('usage.period')} value={period} onChange={selectPeriod} options={periods} />
        ) : (
          <Segmented label={t('usage.period')} value={period} onChange={selectPeriod} options={periods} />
        )}
      </PageBar>
      <div className="usage-page">
        <div className="usage-main">
          <section className="usage-panel" aria-label={t('usage.by_day')}>
            {query.error ? (
              <LoadFailed error={asApiError(query.error)} onRetry={query.refetch} />
            ) : query.data ? (
              <>
                <Measures total={query.data.total} value={measure} onChange={setMeasure} />
                <Days days={days} measure={measure} />
              </>
            ) : (
              <Skeleton rows={8} />
            )}
          </section>
          <Breakdown from={from} to={to} measure={measure} />
        </div>
        <div className="usage-side">
          <QueuePanel />
          <StoragePanel />
        </div>
      </div>
    </>
  )
}

/** The sums of the whole time; the chosen one is drawn below. */
function Measures({
  total,
  value,
  onChange,
}: {
  readonly total: Amounts
  readonly value: Measure
  readonly onChange: (measure: Measure) => void
}) {
  const t = useT()
  const name = useId()
  return (
    <fieldset className="usage-measures" aria-label={t('usage.what')}>
      {MEASURES.map((measure) => (
        <label key={measure} className={cx('usage-measure', measure === value && 'usage-chosen')}>
          <input
            type="radio"
            className="sr-only"
            name={name}
            value={measure}
            checked={measure === value}
            onChange={() => onChange(measure)}
          />
          <span className="usage-label">{t(LOOKS[measure].label)}</span>
          <strong>{LOOKS[measure].full(totalOf(measure, total))}</strong>
          <span className="usage-note">{noteOf(t, measure, total)}</span>
        </label>
      ))}
    </fieldset>
  )
}

function noteOf(t: ReturnType<typeof useT>, measure: Measure, total: Amounts): string {
  if (measure === 'runs') return t('usage.note_failed', { n: total.failed })
  if (measure === 'tokens') return t('usage.note_rounds', { n: total.rounds })
  return ''
}

function Days({ days, measure }: { readonly days: readonly Day[]; readonly measure: Measure }) {
  const t = useT()
  const [asTable, setAsTable] = useState(false)
  return (
    <div className="usage-drawn">
      <IconButton
        className="usage-switch"
        size="small"
        label={t(asTable ? 'usage.as_chart' : 'usage.as_table')}
        onClick={() => setAsTable(!asTable)}
      >
        {asTable ? <ChartColumn /> : <Table2 />}
      </IconButton>
      {asTable ? <DayTable days={days} measure={measure} /> : <Chart days={days} measure={measure} />}
    </div>
  )
}

function DayTable({ days, measure }: { readonly days: readonly Day[]; readonly measure: Measure }) {
  const t = useT()
  const look = LOOKS[measure]
  return (
    <div className="usage-day-table">
      <table className="table">
        <thead>
          <tr>
            <th>{t('usage.day')}</th>
            {look.parts.map((part) => (
              <th key={part.name} className="usage-number">
                {t(part.name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...days].reverse().map(({ day, amounts }) => (
            <tr key={day}>
              <td>{dayName(day, true)}</td>
              {look.parts.map((part) => (
                <td key={part.name} className="usage-number">
                  {look.full(part.of(amounts))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
