/**
 * Everything a person can do, as one list: the keyboard, the command palette and the help read it.
 *
 * A feature registers its actions while it is on the page. Where two have the same keys, the one registered last whose
 * `when` holds is taken. Keys without a modifier do nothing while a person types or a dialog is open.
 */
import { useEffect, useRef } from 'react'
import { create } from 'zustand'
import { onMac } from './controls/kbd'

export interface Action {
  /** Unique: `canvas.undo`. */
  readonly id: string
  readonly title: string | (() => string)
  /** The heading in the help and the palette. */
  readonly group?: string | (() => string)
  /** `mod+z`, `shift+f`, `?`, `delete`; several if it has several. `mod` is ⌘ on a Mac, else Ctrl. */
  readonly keys?: string | readonly string[]
  readonly run: () => void
  /** Whether it can be done now. */
  readonly when?: () => boolean
  /** Also while typing; by default only combinations with `mod` or a function key are. */
  readonly whileTyping?: boolean
  /** Not offered in the palette: arrow keys and the like. */
  readonly hidden?: boolean
}

interface Registry {
  readonly actions: readonly Action[]
}

const useRegistry = create<Registry>(() => ({ actions: [] }))

/** Adds actions; call the result to take them away again. */
export function registerActions(actions: readonly Action[]): () => void {
  useRegistry.setState((state) => ({ actions: [...state.actions, ...actions] }))
  return () =>
    useRegistry.setState((state) => ({
      actions: state.actions.filter((action) => !actions.includes(action)),
    }))
}

/** Registers actions while the component is on the page; the newest closures are run. */
export function useActions(actions: readonly Action[]): void {
  const latest = useRef(actions)
  latest.current = actions
  const identity = actions.map((action) => `${action.id}:${[action.keys].flat().join()}`).join('|')
  // biome-ignore lint/correctness/useExhaustiveDependencies: registered again only when ids or keys change
  useEffect(() => {
    const find = (id: string) => latest.current.find((action) => action.id === id)
    return registerActions(
      latest.current.map((action) => ({
        ...action,
        title: () => textOf(find(action.id)?.title ?? ''),
        group: () => textOf(find(action.id)?.group ?? ''),
        run: () => find(action.id)?.run(),
        when: () => find(action.id)?.when?.() ?? true,
      })),
    )
  }, [identity])
}

/** All registered actions, for the palette and the help. */
export const useAllActions = (): readonly Action[] => useRegistry((state) => state.actions)

/** A title or group as text. */
export const textOf = (text: string | (() => string)): string => (typeof text === 'function' ? text() : text)

/** The combinations of an action, as a list. */
export const keysOf = (action: Action): readonly string[] =>
  action.keys === undefined ? [] : [action.keys].flat()

const SHIFTED = /^[^a-z0-9]$/

/** The combination of a key press, in the words of `Action.keys`. Shift is left out where it only made the character. */
export function comboOf(
  event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'>,
  mac = onMac,
): string {
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase()
  const mod = mac ? event.metaKey : event.ctrlKey
  const parts = []
  if (mod) parts.push('mod')
  if (mac && event.ctrlKey) parts.push('ctrl')
  if (event.altKey) parts.push('alt')
  if (event.shiftKey && !SHIFTED.test(key)) parts.push('shift')
  parts.push(key)
  return parts.join('+')
}

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches(
      'textarea, select, [role="textbox"], input:not([type="checkbox"], [type="radio"], [type="range"])',
    ))

/** Does what a key press asks for; true if something was done. */
function pressKeys(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return false
  const combo = comboOf(event)
  const free = combo.startsWith('mod+') || /^f\d+$/.test(combo)
  const busy = typing(event.target)
  const layered =
    document.querySelector('dialog[open], [role="dialog"], [role="alertdialog"], [role="menu"]') !== null
  const action = useRegistry
    .getState()
    .actions.findLast(
      (action) =>
        keysOf(action).includes(combo) &&
        (action.whileTyping || ((free || !busy) && !layered)) &&
        (!busy || action.whileTyping || !EDITING.has(combo)) &&
        (action.when?.() ?? true),
    )
  if (!action) return false
  event.preventDefault()
  action.run()
  return true
}

/** Combinations that belong to a text field while one has the focus. */
const EDITING = new Set(['mod+a', 'mod+c', 'mod+v', 'mod+x', 'mod+z', 'mod+shift+z', 'mod+y'])

/** Listens to the keyboard of the page; call once. Returns the way to stop. */
export function listenToKeys(): () => void {
  const listener = (event: KeyboardEvent) => {
    pressKeys(event)
  }
  window.addEventListener('keydown', listener)
  return () => window.removeEventListener('keydown', listener)
}
