/** While someone types in a panel nothing in it moves: what is to be said of the fields comes when one is left. */
import { type FocusEvent, useEffect, useMemo, useRef, useState } from 'react'

const WRITES =
  'textarea, input:not([type="checkbox"], [type="radio"], [type="button"]), [contenteditable="true"]'

/** A field that was left: what is wrong with it may be said. */
function markLeft(field: Element): void {
  field.closest('.field')?.setAttribute('data-left', '')
}

/** Whether someone writes in a field of the panel, and what the panel has to listen to. */
export function useTyping() {
  const [typing, setTyping] = useState(false)
  const pressed = useRef(false)
  const waiting = useRef<(() => void) | null>(null)
  useEffect(() => {
    const down = () => {
      pressed.current = true
    }
    // After the click: what was pressed is still where it was when the finger goes up.
    const up = () => {
      pressed.current = false
      window.setTimeout(() => {
        waiting.current?.()
        waiting.current = null
      })
    }
    window.addEventListener('pointerdown', down, true)
    window.addEventListener('pointerup', up, true)
    window.addEventListener('pointercancel', up, true)
    return () => {
      window.removeEventListener('pointerdown', down, true)
      window.removeEventListener('pointerup', up, true)
      window.removeEventListener('pointercancel', up, true)
    }
  }, [])
  const handlers = useMemo(
    () => ({
      onFocus: (event: FocusEvent<HTMLElement>) => {
        if (event.target.matches(WRITES)) setTyping(true)
      },
      onBlur: (event: FocusEvent<HTMLElement>) => {
        const { target, currentTarget, relatedTarget } = event
        const field = target.closest('.field')
        if (relatedTarget instanceof Node && field?.contains(relatedTarget)) return
        const leave = () => {
          markLeft(target.isConnected || !field ? target : field)
          const now = document.activeElement
          if (!now || !currentTarget.contains(now) || !now.matches(WRITES)) setTyping(false)
        }
        if (pressed.current) {
          const before = waiting.current
          waiting.current = () => {
            before?.()
            leave()
          }
        } else leave()
      },
    }),
    [],
  )
  return { typing, handlers }
}

/** The value as it was when `held` began, for as long as that lasts. */
export function useHeld<T>(value: T, held: boolean): T {
  const [kept, setKept] = useState(value)
  if (!held && !Object.is(kept, value)) setKept(value)
  return held ? kept : value
}
