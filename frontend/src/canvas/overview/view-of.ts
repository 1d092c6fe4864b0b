/** The view in which one card is seen whole. Pure. */
import type { Rect } from '@/graph/types'

/** How near a card has to be for its question to be read and answered. */
export const READABLE = 0.6
/** At which it is shown where it was too far away. */
const NEAR = 0.9
/** What lies over the rim of the canvas: buttons above, the bar below. */
const RIM = { left: 16, right: 16, top: 48, bottom: 56 }

/** The view in which a card is seen whole beside what lies over the rim; null where it is seen already. */
export function viewOf(
  rect: Rect,
  view: { readonly x: number; readonly y: number; readonly zoom: number },
  size: { readonly width: number; readonly height: number },
  readable: boolean,
): { x: number; y: number; zoom: number } | null {
  const width = size.width - RIM.left - RIM.right
  const height = size.height - RIM.top - RIM.bottom
  const left = rect.x * view.zoom + view.x
  const top = rect.y * view.zoom + view.y
  const fits = (start: number, length: number, from: number, room: number) =>
    start >= from && start + length * view.zoom <= from + room
  const inside = fits(left, rect.width, RIM.left, width) && fits(top, rect.height, RIM.top, height)
  if (inside && (!readable || view.zoom >= READABLE)) return null
  const target = readable && view.zoom < READABLE ? NEAR : view.zoom
  const most = Math.min(target, width / rect.width, height / rect.height)
  const zoom = readable ? Math.max(READABLE, most) : Math.min(view.zoom, Math.max(most, 0.1))
  // what is larger than the room is shown from its end: there stand the buttons
  const y = Math.min(
    RIM.top + height / 2 - (rect.y + rect.height / 2) * zoom,
    RIM.top + height - (rect.y + rect.height) * zoom,
  )
  const x = RIM.left + width / 2 - (rect.x + rect.width / 2) * zoom
  const there = Math.abs(x - view.x) < 1 && Math.abs(y - view.y) < 1 && Math.abs(zoom - view.zoom) < 0.01
  return there ? null : { x, y, zoom }
}
