/** How wide the screen of a test is: jsdom has no width, and matches no media query. */
import { vi } from 'vitest'

const WIDTHS = { phone: 390, narrow: 900 } as const

/** The page is as wide as a phone, or as a window beside another one, until the test ends. */
export function onScreen(screen: keyof typeof WIDTHS): void {
  const width = WIDTHS[screen]
  vi.spyOn(window, 'matchMedia').mockImplementation((media) => {
    const most = /max-width: (\d+)px/.exec(media)?.[1]
    const matches = most !== undefined && width <= Number(most)
    return { media, matches, addEventListener() {}, removeEventListener() {} } as unknown as MediaQueryList
  })
}
