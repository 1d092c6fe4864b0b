/** One trigger: its settings, its next times, its last deliveries, and what can be done with it; live. */
import { useQuery } from '@tanstack/react-query'
import { Ellipsis, MessageSquareText, Pencil, RotateCw, Trash2, UserCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type ApiError, asApiError } from '@/api/client'
import { useMay, useMe } from '@/api/queries'
import {
  type NewTrigger,
  type Trigger,
  triggerQuery,
  useDeleteTrigger,
  useRotateTrigger,
} from '@/api/triggers'
import { sentenceGap, useT } from '@/i18n'
import {
  Button,
  Callout,
  Confirm,
  dateTime,
  EmptyState,
  ErrorBox,
  IconButton,
  LoadFailed,
  Menu,
  type MenuEntry,
  PageBar,
  Skeleton,
  visible,
} from '@/ui'
import { Address } from './Address'
import { Deliveries } from './Deliveries'
import { actsAsVisitor, hasAddress, useBlocked, useOffReason } from './parts'
import { NextTimes, SettingsFacts } from './SettingsFacts'
import { SwitchOn, SwitchTrigger } from './SwitchTrigger'
import { isChatPage, Talks } from './Talks'
import { EditTriggerForm } from './TriggerForm'
import { TryButton } from './TryTrigger'
import './triggers.css'

export function TriggerPage({ id }: { readonly id: string }) {
  const t = useT()
  const { data: trigger, error, refetch } = useQuery(triggerQuery(id))
  if (trigger) return <Shown key={trigger.id} trigger={trigger} />
  return (
    <>
      <PageBar title={t('triggers.title')} />
      <div className="min-h-0 flex-1 overflow-auto bg-surface">
        {error ? (
          <NotShown error={asApiError(error)} onRetry={() => void refetch()} />
        ) : (
          <Skeleton rows={6} />
        )}
      </div>
    </>
  )
}

/** A link may be older than the trigger it leads to: then asking again is of no use. */
function NotShown({ error, onRetry }: { readonly error: ApiError; readonly onRetry: () => void }) {
  const t = useT()
  if (error.status === 404)
    return (
      <EmptyState
        title={t('triggers.gone')}
        text={t('triggers.gone_text')}
        actions={
          <Link href="/triggers" className="btn">
            {t('triggers.to_all')}
          </Link>
        }
      />
    )
  return (
    <div className="p-4">
      <LoadFailed error={error} title={t('triggers.load_one_failed')} onRetry={onRetry} />
    </div>
  )
}

function Shown({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  const mayReadTalks = useMay('admin')
  const all = { label: t('triggers.title'), href: '/triggers' }
  const crumbs = [all, { label: trigger.workflow_name, href: `/triggers?workflow=${trigger.workflow}` }]
  return (
    <>
      <PageBar title={visible(trigger.name)} crumbs={crumbs} back={all}>
        <SwitchTrigger trigger={trigger} />
        {trigger.kind === 'chat' ? <OpenChat trigger={trigger} /> : <TryButton trigger={trigger} />}
        <TriggerActions trigger={trigger} />
      </PageBar>
      <div className="min-h-0 flex-1 overflow-auto bg-surface">
        <div className="trigger-page">
          <section className="grid min-w-0 grid-cols-1 content-start gap-5">
            <OffNote trigger={trigger} />
            <SettingsFacts trigger={trigger} />
            {trigger.kind === 'schedule' ? <NextTimes trigger={trigger} /> : null}
            {mayReadTalks && isChatPage(trigger) ? <Talks trigger={trigger} /> : null}
          </section>
          <Deliveries trigger={trigger} />
        </div>
      </div>
    </>
  )
}

/** Why it is off, where it went off by itself, and what next. */
function OffNote({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  const why = useOffReason()(trigger)
  if (!why) return null
  return (
    <Callout tone="waiting">
      <p className="font-semibold">{why}</p>
      <p className="text-sm">
        {trigger.off_at ? t('triggers.off_since', { when: dateTime(trigger.off_at) }) : null}
        {sentenceGap()}
        {t('triggers.off_again')}
      </p>
    </Callout>
  )
}

/** The way to the page on which members write. */
function OpenChat({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  const [, navigate] = useLocation()
  return (
    <Button icon={<MessageSquareText aria-hidden />} onClick={() => navigate(`/chat/${trigger.id}`)}>
      {t('triggers.open_chat')}
    </Button>
  )
}

type Asking = 'edit' | 'over' | 'rotate' | 'delete'

/** The menu of what can be done with it, and the dialogs of each. */
function TriggerActions({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  const { email } = useMe()
  const blocked = useBlocked(trigger.kind)
  const [asking, setAsking] = useState<Asking | null>(null)
  const [addressed, setAddressed] = useState<NewTrigger | null>(null)
  const close = () => setAsking(null)
  const entry = (what: Asking, label: string, icon: ReactNode, danger = false): MenuEntry => ({
    label,
    icon,
    danger,
    disabled: blocked !== undefined,
    onSelect: () => setAsking(what),
  })
  const over = trigger.enabled && !actsAsVisitor(trigger) && trigger.acts_as !== email
  return (
    <>
      <Menu
        align="end"
        label={t('triggers.more')}
        trigger={
          <IconButton label={t('triggers.more')}>
            <Ellipsis />
          </IconButton>
        }
        items={[
          entry('edit', t('common.edit'), <Pencil />),
          ...(over ? [entry('over', t('triggers.take_over'), <UserCheck />)] : []),
          ...(hasAddress(trigger) ? [entry('rotate', t('triggers.rotate'), <RotateCw />)] : []),
          { kind: 'separator' },
          entry('delete', t('common.delete'), <Trash2 />, true),
        ]}
      />
      {asking === 'edit' ? <EditTriggerForm trigger={trigger} onClose={close} /> : null}
      {asking === 'over' ? <SwitchOn trigger={trigger} onClose={close} /> : null}
      {asking === 'rotate' ? <Rotate trigger={trigger} onClose={close} onCreated={setAddressed} /> : null}
      {asking === 'delete' ? <Delete trigger={trigger} onClose={close} /> : null}
      {addressed ? <Address trigger={addressed} onClose={() => setAddressed(null)} /> : null}
    </>
  )
}

function Rotate({
  trigger,
  onClose,
  onCreated,
}: {
  readonly trigger: Trigger
  readonly onClose: () => void
  readonly onCreated: (trigger: NewTrigger) => void
}) {
  const t = useT()
  const rotate = useRotateTrigger(trigger.id)
  const confirm = () =>
    rotate.mutate(undefined, {
      onSuccess: (addressed) => {
        onClose()
        onCreated(addressed)
      },
    })
  return (
    <Confirm
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={t('triggers.rotate_title', { name: trigger.name })}
      action={t('triggers.rotate')}
      busy={rotate.isPending}
      onConfirm={confirm}
    >
      <div className="grid gap-3">
        <p>{t('triggers.rotate_text')}</p>
        {rotate.error ? <ErrorBox error={asApiError(rotate.error)} /> : null}
      </div>
    </Confirm>
  )
}

function Delete({ trigger, onClose }: { readonly trigger: Trigger; readonly onClose: () => void }) {
  const t = useT()
  const [, navigate] = useLocation()
  const remove = useDeleteTrigger(trigger.id)
  return (
    <Confirm
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={t('triggers.delete_title', { name: trigger.name })}
      action={t('common.delete')}
      busy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => navigate('/triggers') })}
    >
      <div className="grid gap-3">
        <p>{t('triggers.delete_text')}</p>
        {remove.error ? <ErrorBox error={asApiError(remove.error)} /> : null}
      </div>
    </Confirm>
  )
}
