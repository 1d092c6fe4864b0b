/** What a stage of a connection test found, in one line. Pure. */
import { listOf, type Translate } from '@/i18n'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const LONGEST = 300

const plain = (value: unknown): string => {
  if (Array.isArray(value)) return listOf(value.map(plain).filter(Boolean))
  if (isObject(value)) return JSON.stringify(value)
  return value === null || value === undefined ? '' : String(value)
}

/** The stages' own findings by their keys; whatever else a detail holds as `key value`. */
export function stageText(detail: unknown, t: Translate): string {
  if (!isObject(detail)) return plain(detail).slice(0, LONGEST)
  const parts = Object.entries(detail).map(([key, value]) => {
    if (key === 'addresses' || key === 'path' || key === 'url' || key === 'message') return plain(value)
    if (key === 'count' && typeof value === 'number') return t('registry.tool_count', { n: value })
    if (key === 'proxy') return value ? t('registry.through_proxy') : ''
    return plain(value) === '' ? '' : `${key} ${plain(value)}`
  })
  return parts.filter(Boolean).join(' · ').slice(0, LONGEST)
}
