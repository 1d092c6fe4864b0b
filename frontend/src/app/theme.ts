/** Light, dark, or as the system has it; the last choice is kept in the browser, so the sign-in page has it too. */

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'theme'
const dark = window.matchMedia('(prefers-color-scheme: dark)')

export const storedTheme = (): Theme => {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

const show = (theme: Theme) => {
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}

export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  show(theme)
}

/** Shows the stored theme and follows the system's while that is the choice. */
export function startTheme(): void {
  show(storedTheme())
  dark.addEventListener('change', () => show(storedTheme()))
}
