/** What a person would approve, on the card itself: each argument of the call, or the words of a plan. */

import { isRef } from '@/api/run-types'
import { useT } from '@/i18n'
import { visible } from '@/ui'

/** Characters and arguments that a card shows whole. */
const ROOM = 280
const ROWS = 6

export type CallArguments = readonly (readonly [name: string, value: string])[]

/** What is asked about, by argument; a text has no names. Null where it is stored elsewhere. */
export function argumentsOf(value: unknown): CallArguments | null {
  if (value === null || value === undefined) return []
  if (holdsRef(value)) return null
  if (typeof value === 'string') return value === '' ? [] : [['', value]]
  if (typeof value !== 'object' || Array.isArray(value)) return [['', JSON.stringify(value)]]
  return Object.entries(value).map(([name, entry]) => [
    name,
    typeof entry === 'string' ? entry : JSON.stringify(entry),
  ])
}

/** Whether a card has room for all of it; else it scrolls. */
function fitsCard(shown: CallArguments): boolean {
  if (shown.length > ROWS) return false
  const breaks = shown.reduce((sum, [, value]) => sum + value.split('\n').length - 1, 0)
  return breaks <= ROWS && shown.reduce((sum, pair) => sum + pair.join('').length, 0) <= ROOM
}

function holdsRef(value: unknown): boolean {
  if (isRef(value)) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRef)
}

export function RequestedCall({ requested, call }: { requested: CallArguments; call: boolean }) {
  const t = useT()
  if (requested.length === 0)
    return call ? <p className="text-xs text-muted">{t('canvas.no_arguments')}</p> : null
  const whole = fitsCard(requested)
  return (
    <ul className="card-args nowheel" aria-label={t('canvas.arguments')} tabIndex={whole ? undefined : 0}>
      {requested.map(([name, value]) => (
        <li key={name}>
          {name ? (
            <>
              <span>{visible(name)}</span>{' '}
            </>
          ) : null}
          {visible(whole ? value : value.slice(0, 2000))}
        </li>
      ))}
    </ul>
  )
}
