/** Times, durations, sizes and numbers as people read them, in the chosen language. */
import { currentLanguage, grouped, type Language, translate } from '@/i18n'

/** A formatter for each language, made when it is first used: making one costs as much as using it a hundred times. */
function lasting<T>(make: (language: Language) => T): () => T {
  const formats: { [L in Language]?: T } = {}
  return () => {
    const language = currentLanguage()
    formats[language] ??= make(language)
    return formats[language]
  }
}

const agoFormat = lasting((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))
const dateTimeFormat = lasting(
  (language) =>
    new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
      dateStyle: 'medium',
      timeStyle: 'medium',
    }),
)
const percentFormat = lasting((language) => new Intl.NumberFormat(language, { style: 'percent' }))
const compactFormat = lasting(
  (language) => new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }),
)

const UNITS = {
  en: { ms: 'ms', s: 's', m: 'm', h: 'h', d: 'd' },
  zh: { ms: '毫秒', s: '秒', m: '分', h: '小时', d: '天' },
} as const

/** 14 s, 14 秒. */
export const inSeconds = (seconds: number | string): string => `${seconds} ${UNITS[currentLanguage()].s}`

/** 6 ms · 1.2 s · 14 s · 2 m 04 s · 3 h 12 m · 2 d 5 h; in Chinese 2 分 04 秒. */
export function duration(ms: number): string {
  const { ms: milliseconds, s, m, h, d } = UNITS[currentLanguage()]
  if (ms < 1000) return `${ms < 1 ? 0 : Math.round(ms)} ${milliseconds}`
  if (ms < 9_950) return inSeconds((ms / 1000).toFixed(1))
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return inSeconds(seconds)
  const two = (value: number) => String(value).padStart(2, '0')
  if (seconds < 3600) return `${Math.floor(seconds / 60)} ${m} ${two(seconds % 60)} ${s}`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} ${h} ${two(minutes % 60)} ${m}`
  return `${Math.floor(minutes / 1440)} ${d} ${Math.floor((minutes % 1440) / 60)} ${h}`
}

/** Chinese after a number stands as everywhere else: 3 分钟前, 13.2 万. */
const apart = (text: string): string => text.replace(/(\d)(?=[一-龥])/, '$1 ')

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** "3 minutes ago", "in 29 days"; within a minute "just now". */
export function relativeTime(iso: string, now: number = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000
  if (Number.isNaN(seconds)) return ''
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) {
      return apart(agoFormat().format(Math.round(seconds / length), unit))
    }
  }
  return translate('common.just_now')
}

/** Date and time to the second, in local time. */
export function dateTime(iso: string): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return ''
  return dateTimeFormat().format(date)
}

/** The clock alone: 14:05:51, or 14:05:51.207. */
export function clock(iso: string, millis = false): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return ''
  const two = (value: number) => String(value).padStart(2, '0')
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  return millis ? `${time}.${String(date.getMilliseconds()).padStart(3, '0')}` : time
}

/** 2026-12-20, in local time. */
export function isoDate(iso: string): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return ''
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** A share as a whole percentage: 0.86 → 86%. */
export const percent = (share: number): string => percentFormat().format(share)

/** Grouped digits. */
export const number = (value: number): string => grouped(value, currentLanguage())

/** 1.2K, 3.4M, in Chinese 13.2 万: for tokens in narrow places. */
export const compact = (value: number): string => apart(compactFormat().format(value))

/** 640 B · 12 KB · 3.4 MB · 71.6 GB */
export function bytes(size: number): string {
  if (size < 1024) return `${size} B`
  if (size < 1024 * 1024) return `${Math.round(size / 1024)} KB`
  if (size < 1024 ** 3) return `${(size / 1024 ** 2).toFixed(1)} MB`
  return `${(size / 1024 ** 3).toFixed(1)} GB`
}

let currency = 'USD'

/** The currency of the team acted in, in which all costs are said from now on. */
export function setCurrency(code: string): void {
  currency = code
}

const SMALLEST = 0.0001

/** A sum in the team's currency, with enough digits to tell small ones apart. */
export function cost(sum: number): string {
  const digits = sum < 1 ? 4 : 2
  const format = new Intl.NumberFormat(currentLanguage(), {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return sum > 0 && sum < SMALLEST ? `< ${format.format(SMALLEST)}` : format.format(sum)
}
