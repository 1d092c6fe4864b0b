/** Of which workflow the runs are that a list shows. */

import { useQuery } from '@tanstack/react-query'
import { send } from '@/api/client'
import type { Page } from '@/api/run-types'
import { useT } from '@/i18n'
import { Select } from '@/ui'

interface WorkflowName {
  readonly id: string
  readonly name: string
}

export function WorkflowChoice({ value, onChange }: { value: string; onChange: (workflow: string) => void }) {
  const t = useT()
  const { data } = useQuery({
    queryKey: ['workflow', 'names'],
    queryFn: async () => (await send<Page<WorkflowName>>('GET', '/api/workflows?limit=200')).results,
  })
  const names = data ?? []
  return (
    <Select
      aria-label={t('runs.filter_workflow')}
      value={value}
      onChange={onChange}
      className="ml-auto w-52 phone:w-auto phone:min-w-0 phone:flex-1"
      options={[
        { value: '', label: t('runs.any_workflow') },
        ...names.map(({ id, name }) => ({ value: id, label: name })),
        ...(value && !names.some(({ id }) => id === value) ? [{ value, label: value }] : []),
      ]}
    />
  )
}
