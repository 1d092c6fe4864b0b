/** Which files are asked for (`x-accept`, as HTML's `accept`): whether one fits, and what it is in words. */
import { listOf, type Translate } from '@/i18n'

const parts = (accept: string): string[] =>
  accept
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((text) => text !== '')

/** Whether a file is of a kind that is asked for; any is where nothing is asked. */
export function accepts(accept: string, { type, name }: { type: string; name: string }): boolean {
  const accepted = parts(accept)
  const kind = type.split(';')[0]?.trim().toLowerCase() ?? ''
  return (
    accepted.length === 0 ||
    accepted.some((text) => {
      if (text.startsWith('.')) return name.toLowerCase().endsWith(text)
      if (text === '*/*' || text === kind) return true
      return text.endsWith('/*') && kind.startsWith(text.slice(0, -1))
    })
  )
}

/** What the start node's editor offers. */
export const KINDS = {
  images: 'image/*',
  texts: 'text/*,.md,.csv,.json,.xml,.yaml,.yml,.log',
} as const

/** `pictures`, `texts`, or the list as it stands; empty for any. */
export function acceptWords(accept: string, t: Translate): string {
  if (parts(accept).length === 0) return ''
  if (accept === KINDS.images) return t('forms.files_images')
  if (accept === KINDS.texts) return t('forms.files_texts')
  return listOf(parts(accept))
}
