/** How wide the screen of a test is: jsdom has no width, and matches no media query. */
import { vi } from 'vitest'

const WIDTHS = { phone: 390, narrow: 900, wide: 1440 } as const

/** The page is as wide as a phone, or as a window beside another one, until the test ends; `resize` makes it as wide as another. */
export function onScreen(screen: keyof typeof WIDTHS): { resize: (next: keyof typeof WIDTHS) => void } {
  let width: number = WIDTHS[screen]
  const listeners = new Set<() => void>()
  vi.spyOn(window, 'matchMedia').mockImplementation((media) => {
    const most = /max-width: (\d+)px/.exec(media)?.[1]
    const matches = most !== undefined && width <= Number(most)
    return {
      media,
      matches,
      addEventListener: (_: string, listener: () => void) => listeners.add(listener),
      removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
    } as unknown as MediaQueryList
  })
  return {
    resize: (next) => {
      width = WIDTHS[next]
      for (const listener of [...listeners]) listener()
    },
  }
}
