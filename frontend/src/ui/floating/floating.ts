/** Where something that floats goes: beside its anchor, turned over where there is no room, always on the screen. */

export type Side = 'top' | 'right' | 'bottom' | 'left'
export type Align = 'start' | 'center' | 'end'

export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const GAP = 4
const EDGE = 8

const clamp = (value: number, max: number) => Math.max(EDGE, Math.min(value, max))

const OPPOSITE: Readonly<Record<Side, Side>> = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' }

function at(
  side: Side,
  align: Align,
  anchor: Box,
  size: Pick<Box, 'width' | 'height'>,
): { left: number; top: number } {
  const along = (start: number, length: number, own: number) =>
    align === 'start' ? start : align === 'end' ? start + length - own : start + length / 2 - own / 2
  if (side === 'top' || side === 'bottom') {
    return {
      left: along(anchor.left, anchor.width, size.width),
      top: side === 'bottom' ? anchor.top + anchor.height + GAP : anchor.top - size.height - GAP,
    }
  }
  return {
    left: side === 'right' ? anchor.left + anchor.width + GAP : anchor.left - size.width - GAP,
    top: along(anchor.top, anchor.height, size.height),
  }
}

/** The place for a box of `size` at `anchor`, in px of a screen of `screen`. */
export function place(
  anchor: Box,
  size: Pick<Box, 'width' | 'height'>,
  screen: Pick<Box, 'width' | 'height'>,
  side: Side = 'bottom',
  align: Align = 'start',
): { left: number; top: number } {
  const fits = ({ left, top }: { left: number; top: number }) =>
    side === 'top' || side === 'bottom'
      ? top >= EDGE && top + size.height <= screen.height - EDGE
      : left >= EDGE && left + size.width <= screen.width - EDGE
  const preferred = at(side, align, anchor, size)
  const turned = at(OPPOSITE[side], align, anchor, size)
  const { left, top } = fits(preferred) || !fits(turned) ? preferred : turned
  return {
    left: clamp(left, screen.width - size.width - EDGE),
    top: clamp(top, screen.height - size.height - EDGE),
  }
}
