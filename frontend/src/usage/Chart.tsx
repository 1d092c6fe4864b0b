/** Bars per day, stacked; the day under the pointer or the arrow keys is told above, and all of it stands in a table. */
import { type PointerEvent, useState } from 'react'
import type { Amounts } from '@/api/usage'
import { currentLanguage, type Translate, useT } from '@/i18n'
import { cx } from '@/ui'
import { ceiling, LOOKS, type Measure, totalOf } from './measures'

export interface Day {
  readonly day: string
  readonly amounts: Amounts
}

/** 21 Nov; the weekday too where there is room. */
export function dayName(day: string, long = false): string {
  return new Intl.DateTimeFormat(currentLanguage() === 'zh' ? 'zh-CN' : 'en-GB', {
    day: 'numeric',
    month: 'short',
    ...(long ? { weekday: 'short' } : {}),
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`))
}

const GAP = 0.22

export function Chart({ days, measure }: { readonly days: readonly Day[]; readonly measure: Measure }) {
  const t = useT()
  const [position, setAt] = useState<number | null>(null)
  const look = LOOKS[measure]
  const most = Math.max(...days.map((day) => totalOf(measure, day.amounts)))
  const top = ceiling(most, measure !== 'cost')
  const shown = position === null ? undefined : days[position]
  const message = days[position ?? days.length - 1]
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const place = Math.floor(((event.clientX - box.left) / box.width) * days.length)
    setAt(Math.min(days.length - 1, Math.max(0, place)))
  }
  return (
    <figure className="usage-chart">
      <figcaption className="usage-readout">
        {shown ? (
          <span>{sentence(t, shown, measure)}</span>
        ) : (
          look.parts.length > 1 &&
          look.parts.map((part) => (
            <span key={part.name} className="usage-key" data-tone={part.tone}>
              {t(part.name)}
            </span>
          ))
        )}
      </figcaption>
      <div className="usage-plot">
        <div className="usage-scale" aria-hidden>
          <span>{look.short(top)}</span>
          <span>{top / 2 === Math.floor(top / 2) || measure === 'cost' ? look.short(top / 2) : ''}</span>
          <span>0</span>
        </div>
        <div className="usage-bars">
          <input
            type="range"
            className="sr-only"
            min={0}
            max={days.length - 1}
            value={position ?? days.length - 1}
            aria-label={t('usage.chart_of', {
              what: t(look.label),
              from: dayName(days[0]?.day ?? ''),
              to: dayName(days.at(-1)?.day ?? ''),
            })}
            aria-valuetext={message ? sentence(t, message, measure) : undefined}
            onChange={(event) => setAt(Number(event.target.value))}
            onFocus={() => setAt((now) => now ?? days.length - 1)}
            onBlur={() => setAt(null)}
          />
          <svg
            viewBox={`0 0 ${days.length} 100`}
            preserveAspectRatio="none"
            aria-hidden
            onPointerMove={point}
            onPointerDown={point}
            onPointerLeave={() => setAt(null)}
          >
            {[0, 50, 100].map((y) => (
              <line key={y} x1={0} x2={days.length} y1={y} y2={y} className="usage-line" />
            ))}
            {days.map((day, index) => (
              <Bar key={day.day} x={index} day={day} measure={measure} top={top} on={index === position} />
            ))}
          </svg>
        </div>
      </div>
      <div className="usage-days" aria-hidden>
        <span>{dayName(days[0]?.day ?? '')}</span>
        <span>{dayName(days[Math.floor(days.length / 2)]?.day ?? '')}</span>
        <span>{dayName(days.at(-1)?.day ?? '')}</span>
      </div>
    </figure>
  )
}

function Bar({
  x,
  day,
  measure,
  top,
  on,
}: {
  readonly x: number
  readonly day: Day
  readonly measure: Measure
  readonly top: number
  readonly on: boolean
}) {
  let under = 0
  return (
    <g className={cx('usage-bar', on && 'usage-on')}>
      <rect x={x} y={0} width={1} height={100} className="usage-hit" />
      {LOOKS[measure].parts.map((part) => {
        const height = (part.of(day.amounts) / top) * 100
        if (height <= 0) return null
        under += height
        return (
          <rect
            key={part.name}
            data-tone={part.tone}
            x={x + GAP / 2}
            y={100 - under}
            width={1 - GAP}
            height={height}
          />
        )
      })}
    </g>
  )
}

function sentence(t: Translate, { day, amounts }: Day, measure: Measure): string {
  const look = LOOKS[measure]
  const parts = look.parts.map((part) => ({ part, value: part.of(amounts) }))
  const messages =
    look.parts.length === 1
      ? [`${look.full(totalOf(measure, amounts))} ${t(look.label)}`]
      : parts
          .filter(({ value }, index) => value > 0 || index === 0)
          .map(({ part, value }) => `${look.full(value)} ${t(part.name)}`)
  return `${dayName(day, true)}: ${messages.join(' · ')}`
}
