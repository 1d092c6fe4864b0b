/** What a stage of a provider's test found, in one line. Pure. */
import { listOf, type Translate } from '@/i18n'
import { duration } from '@/ui'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The finding of a stage that went well. */
export function factOf(detail: unknown, t: Translate): string {
  if (!isObject(detail)) return ''
  const parts: string[] = []
  if (Array.isArray(detail.addresses)) parts.push(listOf(detail.addresses))
  if (detail.proxy) parts.push(t('providers.through_proxy'))
  if (typeof detail.count === 'number') parts.push(t('providers.model_count', { n: detail.count }))
  if (typeof detail.text === 'string' && detail.text.trim()) parts.push(`“${detail.text.trim()}”`)
  if (isObject(detail.usage)) {
    const { input_tokens: input, output_tokens: result } = detail.usage
    if (input || result) parts.push(t('providers.tokens', { n: Number(input) + Number(result) }))
  }
  if (typeof detail.first_token_ms === 'number') {
    parts.push(t('providers.first_token', { time: duration(detail.first_token_ms) }))
  }
  if (Array.isArray(detail.calls)) {
    const calls = detail.calls.filter(isObject).map((call) => `${call.name}(${call.arguments})`)
    parts.push(listOf(calls))
  }
  return parts.join(' · ')
}

/** The beginning of what the endpoint answered, where a stage failed on it. */
export const rawOf = (detail: unknown): string =>
  isObject(detail) && typeof detail.raw === 'string' ? detail.raw : ''
