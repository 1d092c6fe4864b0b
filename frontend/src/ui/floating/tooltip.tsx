/**
 * Tooltips: one layer for the whole page, so that a button costs nothing for having one.
 *
 * Anything with `data-tip` shows it after a short rest of the pointer, or at once on keyboard focus; Escape hides it.
 * A tooltip repeats a name or explains a state; it never holds the only copy of something a person needs. Text that
 * ends in "…" because there is no room shows the whole of itself, to a finger that rests on it as well.
 */
import { type Dispatch, type SetStateAction, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Keys } from '@/ui/controls/kbd'

interface Shown {
  readonly anchor: HTMLElement
  readonly text: string
  readonly keys: string | undefined
}

const REST_MS = 400
const HELD_MS = 500
/** Fewer than a list has: what a focused control says, not what a panel holds. */
const FEW = 12

/** Whether its text ends in "…" for want of room. */
function isCut(element: HTMLElement): boolean {
  if (element.scrollWidth <= element.clientWidth && element.scrollHeight <= element.clientHeight + 1)
    return false
  const { textOverflow, webkitLineClamp } = getComputedStyle(element)
  return (
    (textOverflow === 'ellipsis' && element.scrollWidth > element.clientWidth) ||
    (webkitLineClamp !== '' && webkitLineClamp !== 'none')
  )
}

/** The cut text at a place of the page, which may lie under a link over the whole row. */
function cutAt(x: number, y: number): HTMLElement | undefined {
  return document
    .elementsFromPoint(x, y)
    .slice(0, 6)
    .find((element): element is HTMLElement => element instanceof HTMLElement && isCut(element))
}

const wholeOf = (element: HTMLElement): Shown => ({
  anchor: element,
  text: element.textContent.trim(),
  keys: undefined,
})

/** What a place has to say by its `data-tip`. */
function tipOf(target: EventTarget | null): Shown | null {
  const anchor = target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null
  const text = anchor?.dataset.tip
  return anchor && text ? { anchor, text, keys: anchor.dataset.keys } : null
}

/** Listens to pointer and keyboard, and says what to show; gives what ends it. */
function listen(setShown: Dispatch<SetStateAction<Shown | null>>): () => void {
  let timer = 0
  const hide = () => {
    window.clearTimeout(timer)
    setShown(null)
  }
  const place = { x: 0, y: 0 }
  const pointed = (target: EventTarget | null): Shown | null => {
    const tip = tipOf(target)
    const cut = tip ? undefined : cutAt(place.x, place.y)
    return tip ?? (cut ? wholeOf(cut) : null)
  }
  const rest = (target: EventTarget | null, ms: number) => {
    window.clearTimeout(timer)
    timer = window.setTimeout(() => setShown(pointed(target)), ms)
  }
  const over = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return
    setShown((now) => (now?.anchor.contains(event.target as Node) ? now : null))
    rest(event.target, REST_MS)
  }
  const moved = (event: PointerEvent) => {
    // A finger that moves scrolls; a pointer that does is where it was last.
    if (event.pointerType === 'touch' && Math.hypot(event.clientX - place.x, event.clientY - place.y) < 8)
      return
    place.x = event.clientX
    place.y = event.clientY
    if (event.pointerType === 'touch') window.clearTimeout(timer)
  }
  const down = (event: PointerEvent) => {
    hide()
    place.x = event.clientX
    place.y = event.clientY
    if (event.pointerType === 'touch') rest(event.target, HELD_MS)
  }
  const up = (event: PointerEvent) => {
    if (event.pointerType === 'touch') window.clearTimeout(timer)
  }
  const focus = (event: FocusEvent) => {
    if (!(event.target instanceof HTMLElement) || !event.target.matches(':focus-visible')) return
    const parts = [event.target, ...event.target.querySelectorAll<HTMLElement>('*')]
    const cut = parts.length > FEW ? undefined : parts.find(isCut)
    setShown(tipOf(event.target) ?? (cut ? wholeOf(cut) : null))
  }
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') hide()
  }
  document.addEventListener('pointerover', over)
  document.addEventListener('pointermove', moved, { passive: true })
  document.addEventListener('pointerdown', down)
  document.addEventListener('pointerup', up)
  document.addEventListener('focusin', focus)
  document.addEventListener('focusout', hide)
  document.addEventListener('keydown', key)
  document.addEventListener('scroll', hide, true)
  return () => {
    hide()
    document.removeEventListener('pointerover', over)
    document.removeEventListener('pointermove', moved)
    document.removeEventListener('pointerdown', down)
    document.removeEventListener('pointerup', up)
    document.removeEventListener('focusin', focus)
    document.removeEventListener('focusout', hide)
    document.removeEventListener('keydown', key)
    document.removeEventListener('scroll', hide, true)
  }
}

/** Put once at the root of the page. */
export function TooltipLayer() {
  const [shown, setShown] = useState<Shown | null>(null)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => listen(setShown), [])

  useLayoutEffect(() => {
    const tip = box.current
    if (!tip || !shown) return
    // again in front of everything, also of a dialog that was opened since
    tip.hidePopover?.()
    tip.showPopover?.()
    const near = shown.anchor.getBoundingClientRect()
    const { width, height } = tip.getBoundingClientRect()
    // Beside a list whose rows are to be clicked one after the other, where there is room: it covers none of them.
    const list = shown.anchor.closest('[data-tip-side="right"]')?.getBoundingClientRect().right
    if (list !== undefined && list + 8 + width < window.innerWidth) {
      const middle = near.top + near.height / 2 - height / 2
      tip.style.left = `${list + 8}px`
      tip.style.top = `${Math.min(Math.max(4, middle), window.innerHeight - height - 4)}px`
      return
    }
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
