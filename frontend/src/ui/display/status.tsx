/** States as everyone sees them: always an icon or a word beside the colour. */
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Clock,
  Hand,
  type LucideIcon,
  RotateCw,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { type Key, useT } from '@/i18n'
import { cx } from '@/ui/cx'

export type Status =
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'waiting'
  | 'retrying'
  | 'person'
  | 'client'
  | 'idle'
  | 'queued'
  | 'skipped'
  | 'cancelled'
  | 'paused'

export type Tone = 'running' | 'ok' | 'failed' | 'waiting' | 'person' | 'idle' | 'accent'

/** The one colour of each state. */
export const toneOf: Readonly<Record<Status, Tone>> = {
  running: 'running',
  succeeded: 'ok',
  failed: 'failed',
  waiting: 'waiting',
  retrying: 'waiting',
  person: 'person',
  client: 'waiting',
  idle: 'idle',
  queued: 'idle',
  skipped: 'idle',
  cancelled: 'idle',
  paused: 'idle',
}

const ICONS: Readonly<Record<Exclude<Status, 'running'>, LucideIcon>> = {
  succeeded: CircleCheck,
  failed: CircleX,
  waiting: Clock,
  retrying: RotateCw,
  person: Hand,
  client: Clock,
  idle: CircleDashed,
  queued: CircleDashed,
  skipped: CircleDashed,
  cancelled: Ban,
  paused: CirclePause,
}

const WORDS = {
  running: 'common.state_running',
  succeeded: 'common.state_succeeded',
  failed: 'common.state_failed',
  waiting: 'common.state_waiting',
  retrying: 'common.state_retrying',
  person: 'common.state_person',
  client: 'common.state_client',
  idle: 'common.state_idle',
  queued: 'common.state_queued',
  skipped: 'common.state_skipped',
  cancelled: 'common.state_cancelled',
  paused: 'common.state_paused',
} as const satisfies Record<Status, Key>

/** The icon alone; running is the one thing that pulses. Give it a word beside, or a `label`. */
export function StatusIcon({ status, label, size = 14 }: { status: Status; label?: string; size?: number }) {
  const hidden = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true }
  if (status === 'running') return <span {...hidden} className="dot dot-pulse" data-tone="running" />
  const Icon = ICONS[status]
  return (
    <Icon
      {...hidden}
      data-tone={toneOf[status]}
      width={size}
      height={size}
      strokeWidth={1.75}
      className="shrink-0"
    />
  )
}

/** Icon and word. `children` replaces the word. */
export function StatusWord({
  status,
  children,
  className,
}: {
  status: Status
  children?: ReactNode
  className?: string
}) {
  const t = useT()
  return (
    <span className={cx('status', className)} data-tone={toneOf[status]}>
      <StatusIcon status={status} />
      {children ?? t(WORDS[status])}
    </span>
  )
}

/** The word of a state, for titles and labels. */
export function useStatusWord(): (status: Status) => string {
  const t = useT()
  return (status) => t(WORDS[status])
}

export type RiskLevel = 'LOW' | 'MEDIUM' | 'HIGH'
const RISKS = {
  LOW: 'common.risk_low',
  MEDIUM: 'common.risk_medium',
  HIGH: 'common.risk_high',
} as const satisfies Record<RiskLevel, Key>

/** A level of risk. Only HIGH is coloured. */
export function RiskBadge({ level, reasons }: { level: RiskLevel; reasons?: readonly string[] }) {
  const t = useT()
  const word = t(RISKS[level])
  return (
    <span
      className="chip min-w-15 justify-center"
      data-tone={level === 'HIGH' ? 'failed' : undefined}
      data-tip={reasons?.join(' · ') || undefined}
    >
      {level === 'HIGH' ? <CircleAlert aria-hidden /> : null}
      <span className="sr-only">{t('common.risk_label', { level: word })}</span>
      <span aria-hidden>{word}</span>
    </span>
  )
}

/** A small label. A tone colours it; then it must say the state in words. */
export function Chip({
  tone,
  mono,
  tip,
  children,
}: {
  readonly tone?: Tone | undefined
  readonly mono?: boolean
  readonly tip?: string | undefined
  readonly children: ReactNode
}) {
  return (
    <span className={cx('chip', mono && 'chip-mono')} data-tone={tone} data-tip={tip}>
      {children}
    </span>
  )
}
