/** Which language the page starts in: the one chosen last in this browser, else the browser's. */
import { type Language, setLanguage } from '@/i18n'

const KEY = 'language'

export function startLanguage(): Promise<void> {
  const stored = localStorage.getItem(KEY)
  const wanted = stored ?? (navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en')
  return setLanguage(wanted === 'zh' ? 'zh' : 'en')
}

export function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(KEY, language)
  return setLanguage(language)
}
