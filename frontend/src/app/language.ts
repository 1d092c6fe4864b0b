/** Which language the page starts in: the one chosen last in this browser, else the browser's. */

import { setLanguage } from '@/i18n'
import { storedLanguage } from '@/ui'

export function startLanguage(): Promise<void> {
  const preferred = storedLanguage() ?? (navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en')
  return setLanguage(preferred)
}
