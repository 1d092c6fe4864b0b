/** Of which workflow the runs are that a list shows. */

import { useState } from 'react'
import { asChoices, useWorkflowNames, useWorkflowSearch } from '@/api/choices'
import { useT } from '@/i18n'
import { SearchSelect } from '@/ui/floating/search-select'

export function WorkflowChoice({ value, onChange }: { value: string; onChange: (workflow: string) => void }) {
  const t = useT()
  const [open, setOpen] = useState(false)
  const results = useWorkflowSearch(open)
  const name = useWorkflowNames(value ? [value] : []).get(value)
  return (
    <SearchSelect
      aria-label={t('runs.filter_workflow')}
      value={value}
      shown={value ? (name ?? value) : t('runs.any_workflow')}
      nothing={t('runs.any_workflow')}
      onChange={onChange}
      onOpenChange={setOpen}
      choices={asChoices(results, ({ id, name }) => ({ value: id, label: name }))}
      className="ml-auto w-52 phone:w-auto phone:min-w-0 phone:order-last phone:flex-auto phone:basis-full"
    />
  )
}
