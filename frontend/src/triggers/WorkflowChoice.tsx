/** One of the team's workflows, searched by name. */
import { useState } from 'react'
import { asChoices, useWorkflowNames, useWorkflowSearch } from '@/api/choices'
import { SearchSelect, type SearchSelectProps } from '@/ui/floating/search-select'

type Props = Omit<SearchSelectProps, 'choices' | 'onOpenChange' | 'shown'> & {
  /** In the place of a name while none is chosen. */
  readonly empty: string
}

export function WorkflowChoice({ empty, ...props }: Props) {
  const [open, setOpen] = useState(false)
  const matches = useWorkflowSearch(open)
  const { value } = props
  const name = useWorkflowNames(value ? [value] : []).get(value)
  return (
    <SearchSelect
      {...props}
      shown={value ? (name ?? value) : empty}
      onOpenChange={setOpen}
      choices={asChoices(matches, ({ id, name }) => ({ value: id, label: name }))}
    />
  )
}
