/** Keys as people see them on their keyboard. */
import { Fragment, type ReactNode } from 'react'

/** Whether this is a Mac, where the main modifier is the command key. */
export const onMac = /Mac|iP(hone|ad)/.test(navigator.platform)

const MAC: Record<string, string> = { mod: '⌘', shift: '⇧', alt: '⌥', ctrl: '⌃' }
const OTHER: Record<string, string> = { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', ctrl: 'Ctrl' }
const NAMED: Record<string, string> = {
  enter: '↵',
  escape: 'Esc',
  delete: 'Del',
  backspace: '⌫',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  space: 'Space',
  tab: 'Tab',
}

/** `mod+shift+z` as the parts to print: ⌘ ⇧ Z, or Ctrl Shift Z. */
export function keyParts(keys: string, mac = onMac): string[] {
  const parts = keys === '+' ? ['+'] : keys.split('+')
  return parts.map((part) => (mac ? MAC : OTHER)[part] ?? NAMED[part] ?? part.toUpperCase())
}

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="kbd">{children}</kbd>
}

/** One combination, as in the action registry. */
export function Keys({ keys }: { keys: string }) {
  const parts = keyParts(keys)
  if (onMac) return <Kbd>{parts.join('')}</Kbd>
  return (
    <span className="inline-flex gap-0.5">
      {parts.map((part) => (
        <Fragment key={part}>
          <Kbd>{part}</Kbd>
        </Fragment>
      ))}
    </span>
  )
}
