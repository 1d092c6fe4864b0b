/** A value on its way from the input tree into a field. */
import { type DragEvent, useState } from 'react'

import type { Path } from '@/forms/pointer'
import { reference } from './expression'

export const PATH_TYPE = 'application/x-patchbay-path'

/** Put the reference to `path` on a drag; other programs receive it as text. */
export function startDrag(transfer: DataTransfer, path: Path): void {
  transfer.effectAllowed = 'copy'
  transfer.setData(PATH_TYPE, JSON.stringify(path))
  transfer.setData('text/plain', reference(path))
}

/** Whether a drag carries a path; the data itself is readable on drop only. */
export function carriesPath(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes(PATH_TYPE) ?? false
}

/** The dropped expression, or undefined when the drag was something else. */
export function droppedReference(transfer: DataTransfer | null): string | undefined {
  const text = transfer?.getData(PATH_TYPE)
  if (!text) return undefined
  try {
    const path: unknown = JSON.parse(text)
    return Array.isArray(path) && path.every((key) => typeof key === 'string' || typeof key === 'number')
      ? reference(path)
      : undefined
  } catch {
    return undefined
  }
}

/** Takes a dropped value: `insert` gets its expression. `dragged` while one is held over the field. */
export function useValueDrop(enabled: boolean, insert: (text: string) => void) {
  const [dragged, setDragged] = useState(false)
  if (!enabled) return { dragged: false, handlers: {} }
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!carriesPath(event.dataTransfer)) return
      event.preventDefault()
      event.stopPropagation()
      event.dataTransfer.dropEffect = 'copy'
      setDragged(true)
    },
    onDragLeave: () => setDragged(false),
    onDrop: (event: DragEvent) => {
      setDragged(false)
      const text = droppedReference(event.dataTransfer)
      if (text === undefined || event.defaultPrevented) return
      event.preventDefault()
      event.stopPropagation()
      insert(text)
    },
  }
  return { dragged, handlers }
}
