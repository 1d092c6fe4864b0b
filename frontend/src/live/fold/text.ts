/** Streamed text by offsets, which the server counts in code points. */

const SURROGATE = /[\ud800-\udbff][\udc00-\udfff]/g

/** How many code points a text has. */
export function codePoints(text: string): number {
  return text.length - (text.match(SURROGATE)?.length ?? 0)
}

/** Where code point `offset` begins in UTF-16 units; null beyond the end. */
export function unitIndex(text: string, offset: number): number | null {
  if (text.search(SURROGATE) === -1) return offset <= text.length ? offset : null
  let index = 0
  for (let left = offset; left > 0; left--) {
    const point = text.codePointAt(index)
    if (point === undefined) return null
    index += point > 0xffff ? 2 : 1
  }
  return index
}

/**
 * `text` up to `offset` with `delta` after it: a round that is asked again begins again at 0, and what it said before
 * is gone. null when the text does not reach to `offset` (something in between is missing).
 */
export function replaceFrom(text: string, offset: number, delta: string): string | null {
  const from = unitIndex(text, offset)
  return from === null ? null : text.slice(0, from) + delta
}
