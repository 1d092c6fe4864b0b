/** Triggers that went off by themselves lately, and why: whoever relies on them learns it where they begin. */
import type { Trigger } from '@/api/triggers'
import { useT } from '@/i18n'
import { KindIcon, useOffReason } from '@/triggers/parts'
import { RelativeTime, visible } from '@/ui'
import { LinkedRow, Part } from './parts'

export function WentOff({ triggers }: { readonly triggers: readonly Trigger[] }) {
  const t = useT()
  const reason = useOffReason()
  return (
    <Part title={t('triggers.went_off')} all={{ href: '/triggers', label: t('workflows.busy_triggers') }}>
      <ul>
        {triggers.map((trigger) => (
          <LinkedRow
            key={trigger.id}
            icon={<KindIcon kind={trigger.kind} />}
            name={trigger.name}
            href={`/triggers/${trigger.id}`}
            about={
              <span className="grid min-w-0 text-xs text-muted">
                <span className="break-words">{reason(trigger)}</span>
                <span className="truncate">
                  {visible(trigger.workflow_name)}
                  {trigger.off_at ? (
                    <>
                      {' · '}
                      <RelativeTime value={trigger.off_at} />
                    </>
                  ) : null}
                </span>
              </span>
            }
          />
        ))}
      </ul>
    </Part>
  )
}
