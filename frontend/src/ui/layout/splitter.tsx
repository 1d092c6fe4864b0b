/** A bar between two panels: dragged, or moved with the arrow keys; sizes are remembered in the browser. */
import { type KeyboardEvent, type PointerEvent, useCallback, useState } from 'react'
import { useT } from '@/i18n'

export interface Limits {
  readonly min: number
  readonly max: number
}

const clamp = (size: number, { min, max }: Limits) => Math.round(Math.min(Math.max(size, min), max))

/** A height in px, and on a high screen a third of it, for what is looked at beside something larger. */
export const aThirdAtLeast = (px: number): number => Math.max(px, Math.round(window.innerHeight / 3))

/** A size in px that survives a reload. `name` is unique on the installation's pages. */
export function useStoredSize(
  name: string,
  initial: number,
  limits: Limits,
): [number, (size: number) => void] {
  const key = `size:${name}`
  const [size, setSize] = useState(() => {
    const stored = Number(localStorage.getItem(key))
    return clamp(stored > 0 ? stored : initial, limits)
  })
  const { min, max } = limits
  const set = useCallback(
    (next: number) => {
      const kept = clamp(next, { min, max })
      setSize(kept)
      localStorage.setItem(key, String(kept))
    },
    [key, min, max],
  )
  return [size, set]
}

/** A flag that survives a reload. */
export function useStoredFlag(name: string, initial: boolean): [boolean, (on: boolean) => void] {
  const key = `flag:${name}`
  const [on, setOn] = useState(() => {
    const stored = localStorage.getItem(key)
    return stored === null ? initial : stored === '1'
  })
  const set = useCallback(
    (next: boolean) => {
      setOn(next)
      localStorage.setItem(key, next ? '1' : '0')
    },
    [key],
  )
  return [on, set]
}

export interface SplitterProps extends Limits {
  /** The panel it resizes, by its name: read aloud. */
  readonly panel: string
  /** `vertical` is an upright bar between left and right. */
  readonly orientation: 'vertical' | 'horizontal'
  readonly size: number
  readonly onSize: (size: number) => void
  /** Set where the sized panel lies right of or below the bar. */
  readonly after?: boolean
  /** Double click and Enter go back to this. */
  readonly initial: number
}

const STEP = 10
const LEAP = 50

export function Splitter({
  panel,
  orientation,
  size,
  onSize,
  after = false,
  initial,
  min,
  max,
}: SplitterProps) {
  const t = useT()
  const [dragging, setDragging] = useState(false)
  const upright = orientation === 'vertical'
  const sign = after ? -1 : 1

  const start = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return
    event.preventDefault()
    const bar = event.currentTarget
    const from = upright ? event.clientX : event.clientY
    const before = size
    bar.setPointerCapture(event.pointerId)
    bar.focus({ preventScroll: true })
    setDragging(true)
    const move = (moved: globalThis.PointerEvent) =>
      onSize(before + sign * ((upright ? moved.clientX : moved.clientY) - from))
    const end = () => {
      setDragging(false)
      bar.removeEventListener('pointermove', move)
      bar.removeEventListener('pointerup', end)
      bar.removeEventListener('pointercancel', end)
    }
    bar.addEventListener('pointermove', move)
    bar.addEventListener('pointerup', end)
    bar.addEventListener('pointercancel', end)
  }

  const key = (event: KeyboardEvent) => {
    const step = event.shiftKey ? LEAP : STEP
    const grow = upright ? 'ArrowRight' : 'ArrowDown'
    const shrink = upright ? 'ArrowLeft' : 'ArrowUp'
    const next =
      event.key === grow
        ? size + sign * step
        : event.key === shrink
          ? size - sign * step
          : event.key === 'Home'
            ? min
            : event.key === 'End'
              ? max
              : event.key === 'Enter'
                ? initial
                : null
    if (next === null) return
    event.preventDefault()
    event.stopPropagation()
    onSize(next)
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be focused and has a value is a widget, hr is not
    <div
      role="separator"
      tabIndex={0}
      className="splitter"
      aria-label={t('common.resize', { panel })}
      aria-orientation={orientation}
      aria-valuenow={size}
      aria-valuemin={min}
      aria-valuemax={max}
      data-dragging={dragging}
      onPointerDown={start}
      onDoubleClick={() => onSize(initial)}
      onKeyDown={key}
    />
  )
}
