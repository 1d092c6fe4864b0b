/** Which program started the runs that a list shows; by name, also those whose token is gone. */
import { useState } from 'react'
import { asChoices, useCallerSearch } from '@/api/choices'
import { useT } from '@/i18n'
import { visible } from '@/ui'
import { SearchSelect } from '@/ui/floating/search-select'

export function CallerChoice({ value, onChange }: { value: string; onChange: (caller: string) => void }) {
  const t = useT()
  const [open, setOpen] = useState(false)
  const results = useCallerSearch(open)
  return (
    <SearchSelect
      aria-label={t('runs.filter_caller')}
      value={value}
      shown={value ? visible(value) : t('runs.any_caller')}
      nothing={t('runs.any_caller')}
      onChange={onChange}
      onOpenChange={setOpen}
      choices={asChoices(results, ({ name }) => ({ value: name, label: visible(name) }))}
      className="w-44 phone:w-auto phone:min-w-0 phone:flex-1 phone:basis-2/5"
    />
  )
}
