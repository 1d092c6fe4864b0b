/** The doors of a workflow at a glance: which are open, which one is shown. */
import { Link } from 'wouter'
import { failureOf } from '@/api/client'
import { type OfferField, useChangeOffer } from '@/api/offer'
import { useMay } from '@/api/queries'
import type { Trigger } from '@/api/triggers'
import { type Key, useT } from '@/i18n'
import { Chip, Switch, toast } from '@/ui'
import { type DoorProps, type Door as DoorType, GROUPS } from './doors'

export interface DoorListProps extends DoorProps {
  readonly triggers: readonly Trigger[]
  readonly selected: string | undefined
}

export function DoorList({ workflow, triggers, selected }: DoorListProps) {
  const t = useT()
  const version = workflow.published_version
  return (
    <nav aria-label={t('share.doors')}>
      <p className="share-offered">
        <span className="font-medium">{t('share.offered_to')}</span>
        <span className="text-xs text-muted">
          {version === null
            ? t('share.nothing_published')
            : t('share.published', { version: String(version) })}
        </span>
      </p>
      {GROUPS.map(({ title, doors }) => (
        <section key={title} aria-label={(t as (key: Key) => string)(title)}>
          <h3 className="share-group">{(t as (key: Key) => string)(title)}</h3>
          <ul>
            {doors.map((door) => (
              <DoorRow
                key={door.id}
                door={door}
                workflow={workflow}
                triggers={triggers.filter(({ kind }) => kind === door.id)}
                current={door.id === selected}
              />
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

interface DoorRowProps extends DoorProps {
  readonly door: DoorType
  readonly triggers: readonly Trigger[]
  readonly current: boolean
}

function DoorRow({ door, workflow, triggers, current }: DoorRowProps) {
  const t = useT() as (key: Key) => string
  const Icon = door.icon
  return (
    <li className="share-door" data-current={current ? '' : undefined}>
      <Link
        href={`/workflows/${workflow.id}/share/${door.id}`}
        aria-current={current ? 'true' : undefined}
        className="share-door-link"
      >
        <Icon size={16} strokeWidth={1.75} className="mt-0.5 flex-none text-muted" aria-hidden />
        <span className="min-w-0">
          <span className="block font-medium">{t(door.title)}</span>
          <span className="block text-xs text-muted">{t(door.text)}</span>
        </span>
      </Link>
      {'trigger' in door ? (
        <TriggersOn triggers={triggers} />
      ) : door.field ? (
        <OfferSwitch workflow={workflow} field={door.field} label={t(door.title)} />
      ) : (
        <Chip>{t('share.always')}</Chip>
      )}
    </li>
  )
}

/** How many triggers of a kind there are, and whether any is on. */
function TriggersOn({ triggers }: Pick<DoorRowProps, 'triggers'>) {
  const t = useT()
  if (triggers.length === 0) return null
  const on = triggers.filter(({ enabled }) => enabled).length
  return <Chip>{on === 0 ? t('share.all_off') : t('share.on_n', { n: on })}</Chip>
}

export interface OfferSwitchProps extends DoorProps {
  readonly field: OfferField
  readonly label: string
}

function OfferSwitch({ workflow, field, label }: OfferSwitchProps) {
  const t = useT()
  const may = useMay('editor')
  const change = useChangeOffer(workflow.id)
  if (!may) return <Chip>{t(workflow[field] ? 'share.is_offered' : 'share.is_not_offered')}</Chip>
  return (
    <Switch
      aria-label={label}
      checked={workflow[field]}
      disabled={change.isPending}
      onChange={(on) =>
        change.mutate({ [field]: on }, { onError: (thrown: unknown) => void toast.error(failureOf(thrown)) })
      }
    />
  )
}
