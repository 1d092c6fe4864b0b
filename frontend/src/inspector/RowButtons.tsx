/** What stands at the end of an item of a list: move it up (not the first one), take it away. */
import { ArrowUp, X } from 'lucide-react'
import { moved, without } from '@/forms'
import { IconButton } from '@/ui'

export interface RowButtonsProps {
  list: readonly unknown[]
  index: number
  up: string
  remove: string
  onChange: (list: readonly unknown[]) => void
}

export function RowButtons({ list, index, up, remove, onChange }: RowButtonsProps) {
  return (
    <>
      {index > 0 ? (
        <IconButton size="small" label={up} onClick={() => onChange(moved(list, index, index - 1))}>
          <ArrowUp aria-hidden />
        </IconButton>
      ) : null}
      <IconButton size="small" label={remove} onClick={() => onChange(without(list, index))}>
        <X aria-hidden />
      </IconButton>
    </>
  )
}
