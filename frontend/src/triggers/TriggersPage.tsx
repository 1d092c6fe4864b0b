/** All triggers of the team or those of one workflow, newest first, live, on a narrow screen cards; or one of them. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useLocation, useParams, useSearch } from 'wouter'
import { useWorkflowNames } from '@/api/choices'
import { asApiError } from '@/api/client'
import { loadNextPage } from '@/api/next-page'
import { flatten } from '@/api/runs'
import { type Trigger, triggersQuery } from '@/api/triggers'
import { useT } from '@/i18n'
import { dateTime, EmptyState, LoadFailed, More, PageBar, Skeleton, visible } from '@/ui'
import { useNarrow, usePhone } from '@/ui/media'
import { KindCards, NewTriggerMenu, useNewTrigger } from './NewTrigger'
import { actsAsVisitor, KindIcon, kindKey, LastDelivery, useOffReason, useSummary } from './parts'
import { SwitchTrigger } from './SwitchTrigger'
import { TriggerPage } from './TriggerPage'
import { WorkflowChoice } from './WorkflowChoice'
import './triggers.css'

/** One file to load for both: what they share would else count as shared by many, and come with the first load. */
export default function TriggersPage() {
  const { id } = useParams<{ id?: string }>()
  return id ? <TriggerPage id={id} /> : <AllTriggers />
}

function AllTriggers() {
  const t = useT()
  const small = usePhone()
  const [, navigate] = useLocation()
  const asked = new URLSearchParams(useSearch())
  const workflow = asked.get('workflow') ?? ''
  const name = useWorkflowNames(workflow ? [workflow] : []).get(workflow)
  const query = useInfiniteQuery(triggersQuery(workflow))
  const triggers = flatten(query.data)
  const { make, dialogs } = useNewTrigger(workflow, asked.get('new'))
  return (
    <>
      <PageBar
        title={workflow ? t('triggers.of_workflow', { name: name ?? '…' }) : t('triggers.title')}
        crumbs={
          workflow
            ? [
                { label: t('triggers.title'), href: '/triggers' },
                { label: name ?? workflow, href: `/workflows/${workflow}` },
              ]
            : []
        }
      >
        {triggers.length > 0 && !small ? (
          <span className="text-xs text-muted tabular-nums">
            {t('triggers.on_n', {
              on: triggers.filter(({ enabled }) => enabled).length,
              n: triggers.length,
            })}
          </span>
        ) : null}
        <NewTriggerMenu onChoose={make} />
      </PageBar>
      <div className="flex min-h-11 flex-none flex-wrap items-center gap-2 border-b border-line bg-surface px-4 phone:min-h-14 phone:py-2">
        <WorkflowChoice
          aria-label={t('triggers.filter_workflow')}
          value={workflow}
          empty={t('triggers.any_workflow')}
          nothing={t('triggers.any_workflow')}
          onChange={(next) => navigate(next ? `/triggers?workflow=${next}` : '/triggers', { replace: true })}
          className="w-60 phone:w-full"
        />
      </div>
      <div className="min-h-0 flex-1 overflow-auto bg-surface">
        {query.error && !query.isFetchNextPageError ? (
          <div className="p-4">
            <LoadFailed
              error={asApiError(query.error)}
              title={t('triggers.load_failed')}
              onRetry={query.refetch}
            />
          </div>
        ) : null}
        {query.isPending ? <Skeleton rows={6} row={52} /> : null}
        {query.data && triggers.length === 0 ? (
          <>
            <EmptyState title={t('triggers.empty')} text={t('triggers.empty_text')} />
            <KindCards onChoose={make} />
          </>
        ) : null}
        {triggers.length > 0 ? <TriggerList triggers={triggers} /> : null}
        {query.hasNextPage ? (
          <More
            busy={query.isFetchingNextPage}
            failed={query.isFetchNextPageError}
            load={() => void loadNextPage(query)}
          />
        ) : null}
      </div>
      {dialogs}
    </>
  )
}

function TriggerList({ triggers }: { readonly triggers: readonly Trigger[] }) {
  const t = useT()
  const narrow = useNarrow()
  if (narrow) {
    return (
      <ul>
        {triggers.map((trigger) => (
          <TriggerCard key={trigger.id} trigger={trigger} />
        ))}
      </ul>
    )
  }
  return (
    <table className="table">
      <thead>
        <tr>
          <th className="w-16">{t('triggers.col_on')}</th>
          <th>{t('triggers.col_name')}</th>
          <th className="w-52 wall:w-[18%]">{t('triggers.col_workflow')}</th>
          <th className="w-56 wall:w-[16%]">{t('triggers.col_last')}</th>
          <th className="w-52 wall:w-[14%]">{t('triggers.col_next')}</th>
          <th className="w-52 wall:w-[18%]">{t('triggers.col_acts')}</th>
        </tr>
      </thead>
      <tbody>
        {triggers.map((trigger) => (
          <TriggerRow key={trigger.id} trigger={trigger} />
        ))}
      </tbody>
    </table>
  )
}

/** Its name, and below it of which kind it is; why it is off where it went off by itself. */
function TriggerName({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  const summary = useSummary()
  const why = useOffReason()(trigger)
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <KindIcon kind={trigger.kind} />
      <span className="min-w-0">
        <Link href={`/triggers/${trigger.id}`} className="block truncate font-medium hover:underline">
          {visible(trigger.name)}
        </Link>
        <span className="block truncate text-xs text-muted">
          {t(kindKey(trigger.kind))} · {visible(summary(trigger))}
        </span>
        {why ? <span className="block text-xs whitespace-normal text-waiting">{why}</span> : null}
      </span>
    </span>
  )
}

function NextTime({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  if (trigger.kind !== 'schedule' || !trigger.enabled) return null
  return trigger.next_at ? (
    <time dateTime={trigger.next_at}>{dateTime(trigger.next_at)}</time>
  ) : (
    <span>{t('triggers.no_next')}</span>
  )
}

function TriggerRow({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  return (
    <tr className="h-14">
      <td>
        <SwitchTrigger trigger={trigger} />
      </td>
      <td>
        <TriggerName trigger={trigger} />
      </td>
      <td className="truncate">
        <Link href={`/workflows/${trigger.workflow}`} className="hover:underline">
          {visible(trigger.workflow_name)}
        </Link>
      </td>
      <td>
        <LastDelivery trigger={trigger} />
      </td>
      <td className="text-muted tabular-nums">
        <NextTime trigger={trigger} />
      </td>
      <td className="truncate text-muted">
        {actsAsVisitor(trigger) ? t('triggers.acts_writer') : trigger.acts_as}
      </td>
    </tr>
  )
}

function TriggerCard({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  return (
    <li className="trigger-card">
      <TriggerName trigger={trigger} />
      <span className="trigger-more text-sm">
        <Link href={`/workflows/${trigger.workflow}`} className="block truncate hover:underline">
          {visible(trigger.workflow_name)}
        </Link>
        {trigger.acts_as ? (
          <span className="block truncate text-xs text-muted">
            {t('triggers.labelled', { label: t('triggers.col_acts') })}
            {trigger.acts_as}
          </span>
        ) : null}
      </span>
      <span className="trigger-more text-sm">
        <LastDelivery trigger={trigger} />
        {trigger.kind === 'schedule' && trigger.enabled ? (
          <span className="block text-xs text-muted">
            {t('triggers.labelled', { label: t('triggers.col_next') })}
            <NextTime trigger={trigger} />
          </span>
        ) : null}
      </span>
      <span className="switch-place">
        <SwitchTrigger trigger={trigger} />
      </span>
    </li>
  )
}
