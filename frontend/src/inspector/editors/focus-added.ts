/** A row that was just added to a list takes the focus. */
import { useEffect, useRef } from 'react'

/** What was just added to a list of rows takes the focus: its first field, with what stands there marked. */
export function useFocusAdded(rows: number) {
  const stack = useRef<HTMLDivElement>(null)
  const before = useRef(Number.POSITIVE_INFINITY)
  useEffect(() => {
    if (rows <= before.current) return
    before.current = Number.POSITIVE_INFINITY
    const field = stack.current?.children[rows - 1]?.querySelector<HTMLElement>('input, [role="textbox"]')
    field?.focus()
    if (field instanceof HTMLInputElement) field.select()
  }, [rows])
  const adding = () => {
    before.current = rows
  }
  return { stack, adding }
}
