import { describe, expect, it, vi } from 'vitest'

describe('the theme', () => {
  /** What the system prefers: the module looks at it when it is loaded, once for all tests. */
  const listeners: (() => void)[] = []
  const system = {
    matches: false,
    addEventListener: (_: string, listener: () => void) => listeners.push(listener),
  }
  const prefers = (dark: boolean) => {
    system.matches = dark
    for (const listener of listeners) listener()
  }
  const shown = () => document.documentElement.dataset.theme

  it('follows the system while that is the choice', async () => {
    vi.spyOn(window, 'matchMedia').mockReturnValue(system as unknown as MediaQueryList)
    const { applyTheme, startTheme } = await import('./theme')
    listeners.length = 0
    prefers(false)
    startTheme()
    expect(shown()).toBe('light')
    prefers(true)
    expect(shown()).toBe('dark')
    applyTheme('light')
    prefers(true)
    expect(shown()).toBe('light')
  })
})
