/**
 * Tooltips: one layer for the whole page, so that a button costs nothing for having one.
 *
 * Anything with `data-tip` shows it after a short rest of the pointer, or at once on keyboard focus; Escape hides it.
 * A tooltip repeats a name or explains a state; it never holds the only copy of something a person needs.
 */
import { cloneElement, type ReactElement, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Keys } from './kbd'

interface Shown {
  readonly anchor: HTMLElement
  readonly text: string
  readonly keys: string | undefined
}

const REST_MS = 400

/** Put once at the root of the page. */
export function TooltipLayer() {
  const [shown, setShown] = useState<Shown | null>(null)
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    let timer = 0
    const hide = () => {
      window.clearTimeout(timer)
      setShown(null)
    }
    const at = (target: EventTarget | null): Shown | null => {
      const anchor = target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null
      const text = anchor?.dataset.tip
      return anchor && text ? { anchor, text, keys: anchor.dataset.keys } : null
    }
    const over = (event: PointerEvent) => {
      if (event.pointerType === 'touch') return
      const next = at(event.target)
      window.clearTimeout(timer)
      if (!next) return setShown(null)
      timer = window.setTimeout(() => setShown(next), REST_MS)
    }
    const focus = (event: FocusEvent) => {
      if (event.target instanceof Element && event.target.matches(':focus-visible'))
        setShown(at(event.target))
    }
    const key = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide()
    }
    document.addEventListener('pointerover', over)
    document.addEventListener('pointerdown', hide)
    document.addEventListener('focusin', focus)
    document.addEventListener('focusout', hide)
    document.addEventListener('keydown', key)
    document.addEventListener('scroll', hide, true)
    return () => {
      hide()
      document.removeEventListener('pointerover', over)
      document.removeEventListener('pointerdown', hide)
      document.removeEventListener('focusin', focus)
      document.removeEventListener('focusout', hide)
      document.removeEventListener('keydown', key)
      document.removeEventListener('scroll', hide, true)
    }
  }, [])

  useLayoutEffect(() => {
    const tip = box.current
    if (!tip || !shown) return
    // again in front of everything, also of a dialog that was opened since
    tip.hidePopover?.()
    tip.showPopover?.()
    const near = shown.anchor.getBoundingClientRect()
    const { width, height } = tip.getBoundingClientRect()
    const below = near.bottom + 6 + height < window.innerHeight
    const left = Math.min(Math.max(4, near.left + near.width / 2 - width / 2), window.innerWidth - width - 4)
    tip.style.left = `${left}px`
    tip.style.top = `${below ? near.bottom + 6 : near.top - height - 6}px`
  }, [shown])

  if (!shown?.anchor.isConnected) return null
  return (
    <div ref={box} className="tip" role="tooltip" popover="manual">
      {shown.text}
      {shown.keys ? <Keys keys={shown.keys} /> : null}
    </div>
  )
}

/** Gives a tooltip to its one child, which must pass `data-*` on to an element. */
export function Tooltip({
  text,
  keys,
  children,
}: {
  readonly text: string | undefined
  readonly keys?: string
  readonly children: ReactElement
}) {
  return cloneElement(children, { 'data-tip': text, 'data-keys': keys } as object)
}
