/** What the list and the page of a trigger are put together from: its icon, its words, its last delivery, who may what. */
import { CalendarClock, MessageSquareText, PanelTop, Webhook, Zap } from 'lucide-react'
import { reaches, useMe } from '@/api/queries'
import type { Delivery, DeliveryOutcome, Trigger, TriggerConfig, TriggerKind } from '@/api/triggers'
import { type Key, listOf, useT } from '@/i18n'
import { statusOfStanding } from '@/live/run-status'
import { RelativeTime, type Status, StatusWord } from '@/ui'

const ICONS = {
  webhook: Webhook,
  schedule: CalendarClock,
  event: Zap,
  chat: MessageSquareText,
  page: PanelTop,
}

export const KINDS: readonly TriggerKind[] = ['webhook', 'schedule', 'event', 'chat', 'page']

/** What a webhook, a schedule, an event, a chat, a page is called. */
export const kindKey = (kind: TriggerKind) => `triggers.${kind}` as const

export function KindIcon({ kind }: { readonly kind: TriggerKind }) {
  const Icon = ICONS[kind]
  return <Icon size={16} strokeWidth={1.75} className="flex-none text-muted" aria-hidden />
}

/** Whether only admins make and change it: strangers come in. */
export const ofAdmins = (kind: TriggerKind): boolean => kind === 'webhook' || kind === 'page'

/** Whether the runs of a kind go in the name of whoever asks for them; of pages `access` decides. */
export const ofVisitors = (kind: TriggerKind, access: unknown): boolean =>
  kind === 'chat' || (kind === 'page' && access === 'members')

export const actsAsVisitor = (trigger: Trigger): boolean =>
  ofVisitors(trigger.kind, configuration(trigger).access)

/** Whether it has an address that is shown once. */
export const hasAddress = (trigger: Trigger): boolean =>
  trigger.kind === 'webhook' || (trigger.kind === 'page' && configuration(trigger).access === 'link')

/** Whether what came can be delivered again: what members write or send is theirs, and a chat goes on from what was said. */
export const canReplay = (trigger: Trigger): boolean =>
  !actsAsVisitor(trigger) && configuration(trigger).show !== 'chat'

/** Why the person signed in may not change triggers of a kind; undefined if they may. */
export function useBlocked(kind: TriggerKind): string | undefined {
  const t = useT()
  const { role } = useMe().team
  if (ofAdmins(kind)) return reaches(role, 'admin') ? undefined : t('triggers.admins_only')
  return reaches(role, 'editor') ? undefined : t('triggers.editors_only')
}

export const configuration = (trigger: Trigger): TriggerConfig => (trigger.config ?? {}) as TriggerConfig

/** When a schedule is due, in one line. */
export function useWhen(): (config: TriggerConfig) => string {
  const t = useT()
  return (config) => {
    if (config.cron) return String(config.cron)
    if (typeof config.every_s === 'number') return everyText(config.every_s, t)
    // a moment is written as it is typed: 2027-01-31 18:00
    return Array.isArray(config.at) ? listOf(config.at).replaceAll(/(\d)T(\d)/g, '$1 $2') : ''
  }
}

function everyText(seconds: number, t: ReturnType<typeof useT>): string {
  const sizes = [
    [86_400, 'triggers.days'],
    [3600, 'triggers.hours'],
    [60, 'triggers.minutes'],
    [1, 'triggers.seconds'],
  ] as const
  const [size, unit] = sizes.find(([length]) => seconds % length === 0) ?? [1, 'triggers.seconds']
  return `${t('triggers.every_n')} ${seconds / size} ${t(unit)}`
}

/** What is special about a trigger, in one line: its proof, its times, what happens. */
export function useSummary(): (trigger: Trigger) => string {
  const t = useT()
  const when = useWhen()
  return (trigger) => {
    const config = configuration(trigger)
    if (trigger.kind === 'schedule') return `${when(config)}, ${String(config.timezone)}`
    if (trigger.kind === 'chat') return t('triggers.acts_writer')
    if (trigger.kind === 'page') return pageSummary(trigger, t)
    if (trigger.kind === 'event') return t(`triggers.${String(config.on)}` as 'triggers.run_failed')
    const verify = (config.verify ?? {}) as TriggerConfig
    const end = trigger.address_end ? ` · …${trigger.address_end}` : ''
    return `${t(`triggers.proof_${String(verify.kind)}` as 'triggers.proof_none')}${end}`
  }
}

function pageSummary(trigger: Trigger, t: ReturnType<typeof useT>): string {
  const { show, access } = configuration(trigger)
  const end = trigger.address_end ? ` · …${trigger.address_end}` : ''
  const shown = t(show === 'chat' ? 'triggers.page_chat' : 'triggers.page_form')
  return `${shown}, ${t(access === 'members' ? 'triggers.page_members' : 'triggers.page_link')}${end}`
}

const OFF: Readonly<Record<NonNullable<Trigger['off_reason']>, Key>> = {
  left: 'triggers.off_left',
  role: 'triggers.off_role',
  failures: 'triggers.off_failures',
  restored: 'triggers.off_restored',
}

/** Why a trigger went off by itself; empty if it did not. */
export function useOffReason(): (trigger: Trigger) => string {
  const t = useT() as (key: Key) => string
  return ({ enabled, off_reason }) => (!enabled && off_reason ? t(OFF[off_reason]) : '')
}

const STATUS: Readonly<Record<DeliveryOutcome, Status>> = {
  started: 'succeeded',
  same: 'idle',
  skipped: 'skipped',
  missed: 'skipped',
  refused: 'failed',
  failed: 'failed',
}

type Outcome = Pick<Delivery, 'outcome' | 'run_state' | 'waits_for_person' | 'waits_for_client'>

/** Whether a delivery went wrong, or its run did. */
export const isBad = ({ outcome, run_state }: Pick<Outcome, 'outcome' | 'run_state'>): boolean =>
  STATUS[outcome] === 'failed' || run_state === 'ERROR'

/** What came of a delivery: its run's state where it has one, else why there is none. */
export function OutcomeWord({ delivery }: { readonly delivery: Outcome }) {
  const t = useT()
  const { outcome, run_state } = delivery
  if (run_state && outcome !== 'same')
    return <StatusWord status={statusOfStanding({ ...delivery, state: run_state })} />
  return <StatusWord status={STATUS[outcome]}>{t(`triggers.${outcome}`)}</StatusWord>
}

/** The last delivery: what came of it, and when. */
export function LastDelivery({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  if (!trigger.last) return <span className="text-muted">{t('triggers.never')}</span>
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <OutcomeWord delivery={trigger.last} />
      <span className="text-xs text-muted">
        <RelativeTime value={trigger.last.at} />
      </span>
    </span>
  )
}
