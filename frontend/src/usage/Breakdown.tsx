/** Who and what it was used by: workflows, members, models, servers, the most first. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { asApiError } from '@/api/client'
import { type UsageBy, type UsageRow, usageQuery } from '@/api/usage'
import { useT } from '@/i18n'
import { compact, cost, EmptyState, LoadFailed, number, Skeleton, TabPanel, Tabs } from '@/ui'
import { type Label, LOOKS, type Measure, totalOf } from './measures'

const SIDES = ['workflow', 'member', 'model', 'server'] as const
type Side = (typeof SIDES)[number]

interface Column {
  readonly label: Label
  readonly of: (row: UsageRow) => number
  readonly full: (value: number) => string
  readonly show: (value: number) => string
}

const RUNS: Column = { label: 'usage.runs', of: (row) => row.runs, full: number, show: compact }
const FAILED: Column = { label: 'usage.failed', of: (row) => row.failed, full: number, show: compact }
const ROUNDS: Column = { label: 'usage.rounds', of: (row) => row.rounds, full: number, show: compact }
const INPUT: Column = { label: 'usage.input', of: (row) => row.input_tokens, full: number, show: compact }
const OUTPUT: Column = { label: 'usage.output', of: (row) => row.output_tokens, full: number, show: compact }
const TOKENS: Column = {
  label: 'usage.tokens',
  of: (row) => row.input_tokens + row.output_tokens,
  full: number,
  show: compact,
}
const COST: Column = { label: 'usage.cost', of: (row) => row.cost, full: cost, show: cost }
const CALLS: Column = { label: 'usage.tool_calls', of: (row) => row.tool_calls, full: number, show: compact }

const COLUMNS: Readonly<Record<Side, readonly Column[]>> = {
  workflow: [RUNS, FAILED, TOKENS, COST, CALLS],
  member: [RUNS, FAILED, TOKENS, COST, CALLS],
  model: [ROUNDS, INPUT, OUTPUT, COST],
  server: [CALLS],
}

/** What a side is ordered by: what is looked at where it has that, else what it has most of. */
function orderOf(side: Side, measure: Measure): Measure {
  if (side === 'server') return 'tool_calls'
  return side === 'model' && measure !== 'cost' ? 'tokens' : measure
}

export function Breakdown({
  from,
  to,
  measure,
}: {
  readonly from: string
  readonly to: string
  readonly measure: Measure
}) {
  const t = useT()
  const [side, setSide] = useState<Side>('workflow')
  return (
    <section className="usage-panel" aria-label={t('usage.by')}>
      <Tabs
        id="usage"
        label={t('usage.by')}
        value={side}
        onChange={setSide}
        items={SIDES.map((value) => ({ value, label: t(`usage.by_${value}`) }))}
      />
      <TabPanel id="usage" value={side}>
        <Rows side={side} from={from} to={to} order={orderOf(side, measure)} />
      </TabPanel>
    </section>
  )
}

function Rows({
  side,
  from,
  to,
  order,
}: {
  readonly side: Side
  readonly from: string
  readonly to: string
  readonly order: Measure
}) {
  const t = useT()
  const query = useQuery(usageQuery(from, to, side satisfies UsageBy))
  if (query.error) return <LoadFailed error={asApiError(query.error)} onRetry={query.refetch} />
  if (!query.data || query.data.by !== side) return <Skeleton rows={4} row={36} />
  const rows = [...query.data.results].sort((a, b) => totalOf(order, b) - totalOf(order, a))
  if (!rows.length) return <EmptyState title={t('usage.none')} text={t(`usage.none_${side}`)} />
  const most = Math.max(1e-9, ...rows.map((row) => totalOf(order, row)))
  return (
    <div>
      <table className="table usage-table">
        <thead>
          <tr>
            <th>{t(`usage.by_${side}`)}</th>
            <th className="usage-share">
              <span className="sr-only">{t(LOOKS[order].label)}</span>
            </th>
            {COLUMNS[side].map((column) => (
              <th key={column.label} className="usage-number">
                {t(column.label)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <td>
                <Name side={side} row={row} />
              </td>
              <td className="usage-share" aria-hidden>
                <span className="usage-meter" data-tone="running">
                  <i style={{ width: `${(totalOf(order, row) / most) * 100}%` }} />
                </span>
              </td>
              {COLUMNS[side].map((column) => (
                <td
                  key={column.label}
                  className="usage-number"
                  data-label={t(column.label)}
                  data-none={!column.of(row)}
                  title={column.full(column.of(row))}
                >
                  {column.of(row) ? column.show(column.of(row)) : ''}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Name({ side, row }: { readonly side: Side; readonly row: UsageRow }) {
  const t = useT()
  if (row.name === null) return <span className="text-muted">{t(`usage.gone_${side}`)}</span>
  if (side === 'workflow')
    return (
      <Link href={`/workflows/${row.key}`} className="font-medium hover:underline">
        {row.name}
      </Link>
    )
  return <span className={side === 'model' ? 'font-mono text-xs' : 'font-medium'}>{row.name}</span>
}
