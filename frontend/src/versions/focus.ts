/** Arrow keys in a list of buttons: up and down, Home and End. */
import type { KeyboardEvent } from 'react'

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

export function moveFocus(event: KeyboardEvent<HTMLElement>, rows: string): void {
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(rows)]
  const current = all.indexOf(document.activeElement as HTMLElement)
  const next =
    event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : current + (STEPS[event.key] ?? 0)
  if (current < 0 || next === current || !all[next]) return
  event.preventDefault()
  all[next].focus()
}
