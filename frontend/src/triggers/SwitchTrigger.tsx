/** Switching a trigger on, saying in whose name its runs go; and off. */
import { useState } from 'react'
import { asApiError, failureOf } from '@/api/client'
import { useMe } from '@/api/queries'
import { type Trigger, useChangeTrigger } from '@/api/triggers'
import { useT } from '@/i18n'
import { Confirm, ErrorBox, Switch, toast } from '@/ui'
import { actsAsVisitor, useBlocked } from './parts'

/** The question before a trigger acts as the person signed in: it is switched on, or taken over. */
export function SwitchOn({ trigger, onClose }: { readonly trigger: Trigger; readonly onClose: () => void }) {
  const t = useT()
  const { email } = useMe()
  const change = useChangeTrigger(trigger.id)
  const { name, enabled } = trigger
  return (
    <Confirm
      open
      onOpenChange={(open) => open || onClose()}
      title={enabled ? t('triggers.take_over_title', { name }) : t('triggers.switch_on_title', { name })}
      action={enabled ? t('triggers.take_over') : t('triggers.switch_on')}
      busy={change.isPending}
      onConfirm={() => change.mutate({ enabled: true }, { onSuccess: onClose })}
    >
      <div className="grid gap-3">
        <p>
          {actsAsVisitor(trigger) ? t('triggers.switch_on_chat') : t('triggers.switch_on_text', { email })}
        </p>
        {change.error ? <ErrorBox error={asApiError(change.error)} /> : null}
      </div>
    </Confirm>
  )
}

export function SwitchTrigger({ trigger }: { readonly trigger: Trigger }) {
  const t = useT()
  const blocked = useBlocked(trigger.kind)
  const change = useChangeTrigger(trigger.id)
  const [asking, setAsking] = useState(false)
  const { name } = trigger
  const switchTo = (on: boolean) => {
    if (on) return setAsking(true)
    change.mutate(
      { enabled: false },
      {
        onSuccess: () => toast.ok(t('triggers.switched_off', { name })),
        onError: (thrown) => toast.error(failureOf(thrown)),
      },
    )
  }
  return (
    <>
      <span data-tip={blocked}>
        <Switch
          aria-label={t('triggers.switch_of', { name })}
          checked={trigger.enabled}
          disabled={blocked !== undefined || change.isPending}
          onChange={switchTo}
        />
      </span>
      {asking ? <SwitchOn trigger={trigger} onClose={() => setAsking(false)} /> : null}
    </>
  )
}
