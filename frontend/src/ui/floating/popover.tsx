/** What floats beside a control: popovers and menus. Both lie in the browser's top layer, in place in the document. */
import {
  cloneElement,
  isValidElement,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent as PressEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Keys } from '@/ui/controls/kbd'
import { cx } from '@/ui/cx'
import { type Align, type Box, place, type Side } from './floating'

interface LayerProps {
  readonly anchor: () => Box
  /** A press inside it does not close the layer: the control that opened it. */
  readonly owner: RefObject<HTMLElement | null>
  readonly onClose: () => void
  readonly side?: Side
  readonly align?: Align
  readonly className?: string
  readonly role: 'dialog' | 'menu'
  readonly label: string | undefined
  readonly onKeyDown?: (event: KeyboardEvent<HTMLDivElement>) => void
  readonly first: (layer: HTMLElement) => HTMLElement | null
  readonly children: ReactNode
}

/** The floating box itself: placed, focused, closed by Escape and by a press elsewhere. */
function Layer({
  anchor,
  owner,
  onClose,
  side,
  align,
  className,
  role,
  label,
  onKeyDown,
  first,
  children,
}: LayerProps) {
  const box = useRef<HTMLDivElement>(null)
  const latest = useRef({ anchor, onClose, first })
  latest.current = { anchor, onClose, first }

  useLayoutEffect(() => {
    const layer = box.current
    if (!layer) return
    const before = document.activeElement
    layer.showPopover?.()
    const put = () => {
      const { left, top } = place(
        latest.current.anchor(),
        layer.getBoundingClientRect(),
        { width: window.innerWidth, height: window.innerHeight },
        side,
        align,
      )
      layer.style.left = `${left}px`
      layer.style.top = `${top}px`
    }
    put()
    ;(latest.current.first(layer) ?? layer).focus({ preventScroll: true })
    const resized = new ResizeObserver(put)
    resized.observe(layer)
    window.addEventListener('resize', put)
    window.addEventListener('scroll', put, true)
    return () => {
      resized.disconnect()
      window.removeEventListener('resize', put)
      window.removeEventListener('scroll', put, true)
      const inside = layer.contains(document.activeElement) || document.activeElement === document.body
      if (inside && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [side, align])

  useEffect(() => {
    const pressed = (event: PointerEvent) => {
      const target = event.target
      if (!(target instanceof Node)) return
      if (box.current?.contains(target) || owner.current?.contains(target)) return
      latest.current.onClose()
    }
    document.addEventListener('pointerdown', pressed, true)
    return () => document.removeEventListener('pointerdown', pressed, true)
  }, [owner])

  const keyed = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      onClose()
      return
    }
    onKeyDown?.(event)
  }
  return (
    // biome-ignore lint/a11y: its role is a dialog's or a menu's, given by who uses it; presses in it are not for what lies around it
    <div
      ref={box}
      popover="manual"
      role={role}
      aria-label={label}
      tabIndex={-1}
      className={cx('pop', className)}
      onKeyDown={keyed}
      onClick={(event) => event.stopPropagation()}
      onContextMenu={(event) => event.stopPropagation()}
    >
      {children}
    </div>
  )
}

/** The trigger with what makes it one. It stands in a box that has no box, whose first child is the anchor. */
function asTrigger(
  trigger: ReactNode,
  open: boolean,
  popup: 'dialog' | 'menu',
  onPress: () => void,
): ReactNode {
  if (!isValidElement(trigger)) return trigger
  const element = trigger as ReactElement<{ onClick?: (event: MouseEvent) => void }>
  return cloneElement(element, {
    'aria-haspopup': popup,
    'aria-expanded': open,
    'data-state': open ? 'open' : 'closed',
    onClick: (event: MouseEvent) => {
      element.props.onClick?.(event)
      if (!event.defaultPrevented) onPress()
    },
  } as object)
}

const anchorOf = (wrap: RefObject<HTMLElement | null>) => (): Box =>
  (wrap.current?.firstElementChild ?? document.body).getBoundingClientRect()

export interface PopoverProps {
  /** One element: a Button. */
  readonly trigger: ReactNode
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  readonly side?: Side
  readonly align?: Align
  readonly label?: string
  readonly className?: string
  readonly children: ReactNode
}

const FOCUSABLE = 'input:not(:disabled), textarea, select, button:not(:disabled), a[href], [tabindex="0"]'

export function Popover({
  trigger,
  open,
  onOpenChange,
  side,
  align,
  label,
  className,
  children,
}: PopoverProps) {
  const [own, setOwn] = useState(false)
  const shown = open ?? own
  const wrap = useRef<HTMLSpanElement>(null)
  const set = (next: boolean) => {
    setOwn(next)
    onOpenChange?.(next)
  }
  return (
    <span ref={wrap} className="contents">
      {asTrigger(trigger, shown, 'dialog', () => set(!shown))}
      {shown ? (
        <Layer
          anchor={anchorOf(wrap)}
          owner={wrap}
          onClose={() => set(false)}
          {...(side ? { side } : {})}
          {...(align ? { align } : {})}
          {...(className ? { className } : {})}
          role="dialog"
          label={label}
          first={(layer) => layer.querySelector<HTMLElement>(FOCUSABLE)}
        >
          {children}
        </Layer>
      ) : null}
    </span>
  )
}

export type MenuEntry =
  | {
      readonly kind?: 'item'
      readonly label: string
      readonly icon?: ReactNode
      readonly keys?: string
      readonly danger?: boolean
      readonly disabled?: boolean
      readonly onSelect: () => void
    }
  | { readonly kind: 'separator' }
  | { readonly kind: 'label'; readonly label: string }

const itemsOf = (menu: Element): HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role="menuitem"]:not([aria-disabled="true"])'),
]

function moveIn(event: KeyboardEvent<HTMLDivElement>, onClose: () => void): void {
  const items = itemsOf(event.currentTarget)
  const now = items.indexOf(document.activeElement as HTMLElement)
  const focusItem = (to: number) => {
    event.preventDefault()
    event.stopPropagation()
    items[(to + items.length) % items.length]?.focus()
  }
  if (event.key === 'ArrowDown') focusItem(now + 1)
  else if (event.key === 'ArrowUp') focusItem(now < 0 ? -1 : now - 1)
  else if (event.key === 'Home') focusItem(0)
  else if (event.key === 'End') focusItem(-1)
  else if (event.key === 'Tab') {
    event.preventDefault()
    onClose()
  } else if (
    event.key.length === 1 &&
    event.key !== ' ' &&
    !event.ctrlKey &&
    !event.metaKey &&
    !event.altKey
  ) {
    const typed = event.key.toLowerCase()
    const begins = (item: HTMLElement) => item.textContent?.trim().toLowerCase().startsWith(typed) ?? false
    const next = [...items.slice(now + 1), ...items.slice(0, now + 1)].find(begins)
    next?.focus()
  }
}

interface MenuLayerProps extends Pick<LayerProps, 'anchor' | 'owner' | 'onClose' | 'align'> {
  readonly items: readonly MenuEntry[]
  readonly label: string | undefined
}

/** A key for each entry that stays the same when others come before it: focus and a press under way stay with it. */
function keysFor(items: readonly MenuEntry[]): readonly string[] {
  const counts = new Map<string, number>() // two things may be called alike
  return items.map((item) => {
    const name = item.kind === 'separator' ? 'separator' : `${item.kind ?? 'item'} ${item.label}`
    const count = counts.get(name) ?? 0
    counts.set(name, count + 1)
    return `${name} ${count}`
  })
}

function MenuLayer({ items, label, ...layer }: MenuLayerProps) {
  const keys = keysFor(items)
  return (
    <Layer
      {...layer}
      role="menu"
      label={label}
      className="menu"
      onKeyDown={(event) => moveIn(event, layer.onClose)}
      first={(menu) => itemsOf(menu)[0] ?? null}
    >
      {items.map((item, index) => {
        if (item.kind === 'separator') {
          return <hr key={keys[index]} className="menu-separator" />
        }
        if (item.kind === 'label') {
          return (
            <div key={keys[index]} className="menu-label" role="presentation">
              {item.label}
            </div>
          )
        }
        return (
          <button
            key={keys[index]}
            type="button"
            role="menuitem"
            tabIndex={-1}
            className="menu-item"
            aria-disabled={item.disabled || undefined}
            data-danger={item.danger ?? false}
            onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
            onClick={() => {
              if (item.disabled) return
              layer.onClose()
              item.onSelect()
            }}
          >
            {item.icon}
            {item.label}
            {item.keys ? (
              <span className="ml-auto pl-4">
                <Keys keys={item.keys} />
              </span>
            ) : null}
          </button>
        )
      })}
    </Layer>
  )
}

/** A menu under a button. */
export function Menu({
  trigger,
  items,
  align = 'end',
  label,
}: {
  readonly trigger: ReactNode
  readonly items: readonly MenuEntry[]
  readonly align?: 'start' | 'end'
  readonly label?: string
}) {
  const [open, setOpen] = useState(false)
  const wrap = useRef<HTMLSpanElement>(null)
  return (
    <span ref={wrap} className="contents">
      {asTrigger(trigger, open, 'menu', () => setOpen(!open))}
      {open ? (
        <MenuLayer
          anchor={anchorOf(wrap)}
          owner={wrap}
          onClose={() => setOpen(false)}
          align={align}
          items={items}
          label={label}
        />
      ) : null}
    </span>
  )
}

const PRESS_MS = 500
const SLIP = 8

/** The finger that asked for a menu may lie on an entry of it: that it is lifted chooses nothing. */
function ignoreLift(): void {
  const over = new AbortController()
  const listening = { capture: true, passive: false, signal: over.signal }
  const lifted = (event: Event) => {
    event.preventDefault()
    over.abort()
  }
  window.addEventListener('touchend', lifted, listening)
  window.addEventListener('touchcancel', lifted, listening)
}

/**
 * A finger that rests asks for the menu as the right button does. Some browsers ask by themselves: whichever of the two
 * comes first is heard.
 */
function useLongPress() {
  const timer = useRef(0)
  const from = useRef({ x: 0, y: 0 })
  const stop = () => window.clearTimeout(timer.current)
  useEffect(() => () => window.clearTimeout(timer.current), [])
  const down = (event: PressEvent) => {
    stop()
    if (event.pointerType !== 'touch' || !event.isPrimary) return
    const { clientX, clientY, target } = event
    from.current = { x: clientX, y: clientY }
    timer.current = window.setTimeout(() => {
      const menu = new window.MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY })
      target.dispatchEvent(menu)
      if (menu.defaultPrevented) ignoreLift()
    }, PRESS_MS)
  }
  const move = (event: PressEvent) => {
    if (Math.hypot(event.clientX - from.current.x, event.clientY - from.current.y) > SLIP) stop()
  }
  return {
    stop,
    handlers: {
      onPointerDownCapture: down,
      onPointerMoveCapture: move,
      onPointerUpCapture: stop,
      onPointerCancelCapture: stop,
    },
  }
}

/** The menu of the right mouse button, of a long press, and of the menu key, over `children`. */
export function ContextMenu({
  items,
  children,
}: {
  /** What it offers, asked when it opens, or a promise of it; nothing = the browser's own menu. */
  readonly items: () => readonly MenuEntry[] | Promise<readonly MenuEntry[]>
  readonly children: ReactNode
}) {
  const [opened, setOpened] = useState<{ at: Box; items: readonly MenuEntry[] } | null>(null)
  const nobody = useRef<HTMLElement>(null)
  const press = useLongPress()
  const onContextMenu = (event: MouseEvent) => {
    press.stop()
    if (event.defaultPrevented) return
    const at = { left: event.clientX, top: event.clientY, width: 0, height: 0 }
    const open = (offered: readonly MenuEntry[]) => {
      if (offered.length > 0) setOpened({ at, items: offered })
    }
    const offered = items()
    if ('then' in offered) {
      event.preventDefault()
      offered.then(open, () => {})
    } else if (offered.length > 0) {
      event.preventDefault()
      open(offered)
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the menu is one more way; all it offers has keys and the palette
    <div className="contents" onContextMenu={onContextMenu} {...press.handlers}>
      {children}
      {opened ? (
        <MenuLayer
          // a press at another place is another menu
          key={`${opened.at.left},${opened.at.top}`}
          anchor={() => opened.at}
          owner={nobody}
          onClose={() => setOpened(null)}
          items={opened.items}
          label={undefined}
        />
      ) : null}
    </div>
  )
}
