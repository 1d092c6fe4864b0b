/** The settings of an event: what happens, and of which workflows. */
import { X } from 'lucide-react'
import { useWorkflowNames } from '@/api/choices'
import { useT } from '@/i18n'
import { Field, IconButton, Select } from '@/ui'
import { type Draft, EVENTS, OF_WORKFLOWS } from './draft'
import type { FormPart } from './fields'
import { WorkflowChoice } from './WorkflowChoice'

export function EventFields({ draft, change, errorOf }: FormPart) {
  const t = useT()
  const { on, workflows } = draft
  const names = useWorkflowNames(workflows)
  return (
    <>
      <Select<Draft['on']>
        label={t('triggers.happens')}
        value={on}
        onChange={(next) => change({ on: next })}
        options={EVENTS.map((value) => ({ value, label: t(`triggers.${value}`) }))}
        error={errorOf('config.on')}
      />
      {OF_WORKFLOWS.includes(on) ? (
        <Field label={t('triggers.of_which')} error={errorOf('config.workflows')}>
          {() => (
            <div className="grid grid-cols-1 gap-2">
              {workflows.length === 0 ? <p className="text-sm text-muted">{t('triggers.of_all')}</p> : null}
              {workflows.map((id) => (
                <span key={id} className="flex items-center gap-2">
                  <span className="min-w-0 truncate">{names.get(id) ?? id}</span>
                  <IconButton
                    size="small"
                    label={t('triggers.remove_workflow', { name: names.get(id) ?? id })}
                    onClick={() => change({ workflows: workflows.filter((kept) => kept !== id) })}
                  >
                    <X />
                  </IconButton>
                </span>
              ))}
              <WorkflowChoice
                aria-label={t('triggers.add_workflow')}
                value=""
                empty={t('triggers.add_workflow')}
                onChange={(id) => id && !workflows.includes(id) && change({ workflows: [...workflows, id] })}
              />
            </div>
          )}
        </Field>
      ) : null}
    </>
  )
}
