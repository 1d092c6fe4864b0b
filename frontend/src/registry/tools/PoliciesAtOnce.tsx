/** The policy of all tools that read, that write or that are of high risk, set in one confirmed step. */
import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/client'
import { type Server, type ToolName, toolNamesQuery } from '@/api/servers'
import { useT } from '@/i18n'
import { type PoliciesRequest, useSetPolicies } from '@/registry/mutations'
import { Button, Confirm, ErrorBox, Segmented, Skeleton } from '@/ui'

type Which = PoliciesRequest['which']
type Policy = PoliciesRequest['policy']

/** The kinds as the API has them: what does not only read counts as a write, and high risk may be either. */
const isOf = (tool: ToolName, which: Which): boolean =>
  which === 'high_risk' ? tool.risk.level === 'HIGH' : (tool.effect === 'read') === (which === 'read')

function Choice({ server, onClose }: { readonly server: Server; readonly onClose: () => void }) {
  const t = useT()
  const [which, setWhich] = useState<Which>('read')
  const [policy, setPolicy] = useState<Policy>('ask')
  const { data: tools, error } = useQuery(toolNamesQuery(server.id))
  const set = useSetPolicies(server.id)
  const count = (kind: Which) => (tools ?? []).filter((tool) => isOf(tool, kind)).length
  const meant = (tools ?? []).filter((tool) => isOf(tool, which))
  const moved = meant.filter((tool) => tool.policy !== policy).length
  const meaning = {
    auto: t('registry.policy_auto_means'),
    allow: t('registry.policy_allow_means'),
    ask: t('registry.policy_ask_means'),
    deny: t('registry.policy_deny_means'),
  }[policy]
  const failed = error ?? set.error
  return (
    <Confirm
      open
      danger={policy === 'allow' && which !== 'read'}
      onOpenChange={(open) => open || onClose()}
      title={t('registry.policies_title', { name: server.name })}
      action={t('registry.policies_set', { n: moved })}
      disabled={moved === 0}
      busy={set.isPending}
      onConfirm={() => set.mutate({ which, policy }, { onSuccess: onClose })}
    >
      {tools ? (
        <div className="grid justify-items-start gap-3">
          <Segmented<Which>
            label={t('registry.policies_which')}
            value={which}
            onChange={setWhich}
            options={[
              { value: 'read', label: t('registry.policies_read', { n: count('read') }) },
              { value: 'write', label: t('registry.policies_write', { n: count('write') }) },
              { value: 'high_risk', label: t('registry.policies_high', { n: count('high_risk') }) },
            ]}
          />
          <Segmented<Policy>
            label={t('registry.policies_policy')}
            value={policy}
            onChange={setPolicy}
            options={[
              { value: 'auto', label: t('registry.policy_auto') },
              { value: 'allow', label: t('registry.policy_allow') },
              { value: 'ask', label: t('registry.policy_ask') },
              { value: 'deny', label: t('registry.policy_deny') },
            ]}
          />
          <p role="status">
            {meaning}. {t('registry.policies_moved', { n: moved, total: meant.length })}
          </p>
          <p className="text-sm text-muted">{t('registry.policies_hint')}</p>
        </div>
      ) : failed ? null : (
        <Skeleton rows={3} />
      )}
      {failed ? <ErrorBox error={asApiError(failed)} /> : null}
    </Confirm>
  )
}

export function PoliciesAtOnce({ server }: { readonly server: Server }) {
  const t = useT()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button icon={<ShieldCheck />} onClick={() => setOpen(true)}>
        {t('registry.policies')}
      </Button>
      {open ? <Choice server={server} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
