/** Triggers of one kind of a workflow: each with how it stands, and the way to make another. */
import { Plus } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { reaches, useMe } from '@/api/queries'
import type { Trigger } from '@/api/triggers'
import { type Key, useT } from '@/i18n'
import { Button, EmptyState, RelativeTime, StatusWord, visible } from '@/ui'
import type { TriggerDoor as Door, DoorProps } from './doors'
import { DoorPage } from './parts'

export interface TriggerDoorProps extends DoorProps {
  readonly door: Door
  readonly triggers: readonly Trigger[]
}

export function TriggerDoor({ door, workflow, triggers }: TriggerDoorProps) {
  const t = useT()
  const say = t as (key: Key) => string
  const [, navigate] = useLocation()
  const { role } = useMe().team
  const needed = door.id === 'webhook' || door.id === 'page' ? 'admin' : 'editor'
  const blocked = reaches(role, needed)
    ? undefined
    : t(needed === 'admin' ? 'triggers.admins_only' : 'triggers.editors_only')
  const add = (
    <Button
      icon={<Plus aria-hidden />}
      blocked={blocked}
      onClick={() => navigate(`/triggers?workflow=${workflow.id}&new=${door.id}`)}
    >
      {t('triggers.new_of', { kind: say(door.title) })}
    </Button>
  )
  return (
    <DoorPage>
      <header className="share-head">
        <h2 className="text-lg font-semibold">{say(door.title)}</h2>
        {triggers.length > 0 ? add : null}
      </header>
      <p className="text-sm text-muted">{say(`triggers.${door.id}_text`)}</p>
      {triggers.length === 0 ? (
        <EmptyState flush title={t('share.no_triggers')} actions={add} />
      ) : (
        <ul className="share-triggers">
          {triggers.map((trigger) => (
            <TriggerRow key={trigger.id} trigger={trigger} />
          ))}
        </ul>
      )}
    </DoorPage>
  )
}

function TriggerRow({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  return (
    <li>
      <span className="min-w-0">
        <Link href={`/triggers/${trigger.id}`} className="link block truncate font-medium">
          {visible(trigger.name)}
        </Link>
        <span className="block text-xs text-muted">
          {trigger.last ? <RelativeTime value={trigger.last.at} /> : t('triggers.never')}
        </span>
      </span>
      {trigger.kind === 'chat' && trigger.enabled ? (
        <Link href={`/chat/${trigger.id}`} className="link text-sm">
          {t('share.open_chat')}
        </Link>
      ) : null}
      <StatusWord status={trigger.enabled ? 'succeeded' : 'idle'}>
        {t(trigger.enabled ? 'share.trigger_on' : 'share.trigger_off')}
      </StatusWord>
    </li>
  )
}
