/**
 * Any JSON value as one line of text, and back: what people type into a box that takes anything.
 *
 * Numbers, true, false, null, lists and objects are written as JSON; everything else is text as it stands. A text that
 * would read as one of those is shown in quotes.
 */
export function toText(value: unknown, long = false): string {
  // Where nothing was written yet there is nothing: quotes would stand before what people type next.
  if (value === undefined || value === '') return ''
  if (typeof value !== 'string') return JSON.stringify(value, null, long ? 2 : 0)
  return fromText(value) === value ? value : JSON.stringify(value)
}

/** The value a text means; undefined for an empty one. */
export function fromText(text: string): unknown {
  const plain = text.trim()
  if (plain === '') return undefined
  const json =
    /^(?:-?\d|"|\[|(?:true|false|null)$)/.test(plain) || (plain.startsWith('{') && !plain.startsWith('{{'))
  if (!json) return text
  try {
    return JSON.parse(plain)
  } catch {
    return text
  }
}
