/** The settings of a trigger to read, in whose name it runs, and a schedule's next times. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useWorkflowNames } from '@/api/choices'
import type { Trigger, TriggerConfig } from '@/api/triggers'
import { listOf, useT } from '@/i18n'
import { Chip, dateTime, RelativeTime, visible } from '@/ui'
import { typed } from './draft'
import { actsAsVisitor, configuration, KindIcon, kindKey, useWhen } from './parts'

type Fact = readonly [label: string, value: ReactNode]

const code = (text: unknown) => <code className="font-mono text-xs">{visible(String(text))}</code>

function useWebhookFacts(trigger: Trigger): readonly Fact[] {
  const t = useT()
  const config = configuration(trigger)
  const verify = (config.verify ?? {}) as TriggerConfig
  const answer = (config.answer ?? {}) as TriggerConfig
  return [
    [t('triggers.address'), t('triggers.address_end', { end: `…${trigger.address_end ?? ''}` })],
    [t('triggers.methods'), listOf((config.methods as string[] | undefined) ?? [])],
    [t('triggers.proof'), t(`triggers.proof_${String(verify.kind)}` as 'triggers.proof_none')],
    ...(verify.header ? [[t('triggers.header'), code(verify.header)] as const] : []),
    ...(verify.secret ? [[t('triggers.secret'), code(verify.secret)] as const] : []),
    ...(config.key ? [[t('triggers.key'), code(config.key)] as const] : []),
    [t('triggers.answer'), t(`triggers.answer_${String(answer.mode)}` as 'triggers.answer_custom')],
  ]
}

function useScheduleFacts(config: TriggerConfig): readonly Fact[] {
  const t = useT()
  const when = useWhen()
  return [
    [t('triggers.when'), config.cron ? code(config.cron) : when(config)],
    [t('triggers.timezone'), String(config.timezone)],
    [t('triggers.overlap'), t(`triggers.overlap_${String(config.overlap)}` as 'triggers.overlap_skip')],
    [t('triggers.missed_if'), t(`triggers.missed_${String(config.missed)}` as 'triggers.missed_last')],
  ]
}

function useEventFacts(config: TriggerConfig): readonly Fact[] {
  const t = useT()
  const ids = (config.workflows as string[] | undefined) ?? []
  const names = useWorkflowNames(ids)
  return [
    [t('triggers.happens'), t(`triggers.${String(config.on)}` as 'triggers.run_failed')],
    [
      t('triggers.of_which'),
      ids.length > 0 ? listOf(ids.map((id) => visible(names.get(id) ?? id))) : t('triggers.of_all'),
    ],
  ]
}

function usePageFacts(trigger: Trigger): readonly Fact[] {
  const t = useT()
  const { show, access, title, origins, cost_per_day, per_min } = configuration(trigger)
  const sites = (origins as string[] | undefined) ?? []
  const limit = (value: unknown, otherwise: 'triggers.page_default' | 'triggers.page_cost_default') =>
    typeof value === 'number' ? String(value) : t(otherwise)
  const end = t('triggers.address_end', { end: `…${trigger.address_end ?? ''}` })
  return [
    [t('triggers.page_show'), t(show === 'chat' ? 'triggers.page_chat' : 'triggers.page_form')],
    [t('triggers.page_access'), t(access === 'members' ? 'triggers.page_members' : 'triggers.page_link')],
    [t('triggers.address'), access === 'members' ? <MembersAddress key="address" id={trigger.id} /> : end],
    ...(title ? [[t('triggers.page_title'), visible(String(title))] as const] : []),
    [t('triggers.page_origins'), sites.length ? code(sites.join(' ')) : t('triggers.page_no_origins')],
    [t('triggers.page_cost'), limit(cost_per_day, 'triggers.page_cost_default')],
    [t('triggers.page_per_min'), limit(per_min, 'triggers.page_default')],
  ]
}

/** The address of a members' page, which is no secret. */
function MembersAddress({ id }: { readonly id: string }) {
  const address = `${window.location.origin}/p/${id}`
  return (
    <a className="link break-all" href={address} target="_blank" rel="noopener">
      {address}
    </a>
  )
}

function Inputs({ inputs }: { readonly inputs: unknown }) {
  const t = useT()
  const entries = Object.entries((inputs ?? {}) as Record<string, unknown>)
  if (!inputs) return t('triggers.by_name')
  if (entries.length === 0) return t('common.none')
  return (
    <ul className="grid gap-1">
      {entries.map(([name, value]) => (
        <li key={name}>
          {code(name)} <span className="text-muted">=</span> {code(typed(value))}
        </li>
      ))}
    </ul>
  )
}

export function SettingsFacts({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  const config = configuration(trigger)
  const webhook = useWebhookFacts(trigger)
  const schedule = useScheduleFacts(config)
  const event = useEventFacts(config)
  const page = usePageFacts(trigger)
  const chat: readonly Fact[] = config.greeting
    ? [[t('triggers.greeting'), visible(String(config.greeting))]]
    : []
  const facts: readonly Fact[] = [
    [
      t('triggers.kind'),
      <span key="kind" className="inline-flex items-baseline gap-2 [&>svg]:self-center">
        <KindIcon kind={trigger.kind} /> {t(kindKey(trigger.kind))}
        <Chip>{t(trigger.enabled ? 'triggers.on' : 'triggers.off')}</Chip>
      </span>,
    ],
    [
      t('triggers.workflow'),
      <Link key="workflow" className="link" href={`/workflows/${trigger.workflow}`}>
        {visible(trigger.workflow_name)}
      </Link>,
    ],
    ...{ webhook, schedule, event, chat, page }[trigger.kind],
    ...(trigger.kind === 'chat' || trigger.kind === 'page'
      ? []
      : [[t('triggers.inputs'), <Inputs key="inputs" inputs={config.inputs} />] as const]),
    [
      t('triggers.acts_as'),
      actsAsVisitor(trigger)
        ? t('triggers.acts_writer')
        : trigger.acts_as
          ? t('triggers.labelled', { label: trigger.acts_as }) + t('triggers.acts_text')
          : t('triggers.acts_nobody'),
    ],
    ...(trigger.created_by ? [[t('triggers.made_by'), trigger.created_by] as const] : []),
  ]
  return (
    <div className="grid grid-cols-1 gap-3">
      <h2 className="flex min-h-7 items-center font-semibold">{t('triggers.settings')}</h2>
      <dl className="trigger-facts text-sm">
        {facts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

export function NextTimes({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  return (
    <div className="grid grid-cols-1 gap-2">
      <h2 className="font-semibold">{t('triggers.next_times')}</h2>
      {trigger.next.length === 0 ? <p className="text-muted">{t('triggers.next_none')}</p> : null}
      <ol className="grid gap-1 text-sm tabular-nums" aria-label={t('triggers.next_times')}>
        {trigger.next.map((time) => (
          <li key={time} className="flex flex-wrap gap-x-3">
            <time dateTime={time}>{dateTime(time)}</time>
            <span className="text-muted">
              <RelativeTime value={time} />
            </span>
          </li>
        ))}
      </ol>
      {trigger.enabled || trigger.next.length === 0 ? null : (
        <p className="text-sm text-muted">{t('triggers.next_off')}</p>
      )}
    </div>
  )
}
