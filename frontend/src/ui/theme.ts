/** How the page looks and speaks: theme and language, kept in the browser so that the sign-in page has them too. */
import { type Language, setLanguage } from '@/i18n'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'theme'
const dark = window.matchMedia('(prefers-color-scheme: dark)')

const storedTheme = (): Theme => {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

const listeners = new Set<() => void>()

const show = (theme: Theme) => {
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  for (const listener of listeners) listener()
}

/** Calls `listener` whenever the page shows a theme, for what is painted instead of styled; gives what ends it. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
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

const LANGUAGE_KEY = 'language'

/** The language chosen last in this browser. */
export function storedLanguage(): Language | null {
  const stored = localStorage.getItem(LANGUAGE_KEY)
  return stored === 'en' || stored === 'zh' ? stored : null
}

/** Speaks another language from now on, after a reload too. */
export function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(LANGUAGE_KEY, language)
  return setLanguage(language)
}
