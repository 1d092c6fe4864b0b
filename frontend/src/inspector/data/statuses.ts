/** Statuses as one line of text: neighbours as a range, so that a long list is read at a glance. */

const FIRST = 400
const LAST = 599
const PART = /^(\d{3})(?:[-–—~～](\d{3}))?$/

/** "404, 500–503": three and more that follow each other are a range; the order is kept. */
export function statusesText(statuses: number[]): string {
  const parts: string[] = []
  for (let at = 0; at < statuses.length; ) {
    let end = at
    while (statuses[end + 1] === (statuses[end] as number) + 1) end += 1
    const short = end - at < 2
    parts.push(short ? `${statuses[at]}` : `${statuses[at]}–${statuses[end]}`)
    at = short ? at + 1 : end + 1
  }
  return parts.join(', ')
}

/** The statuses that a text names, from 400 to 599; null where it says something else. */
export function statusesIn(text: string): number[] | null {
  const statuses: number[] = []
  const parts = text.replace(/\s*([-–—~～])\s*/g, '$1').split(/[\s,;，；、]+/)
  for (const part of parts.filter(Boolean)) {
    const [, from, to = from] = PART.exec(part) ?? []
    const [first, last] = [Number(from), Number(to)]
    if (!(first >= FIRST && last >= first && last <= LAST)) return null
    for (let status = first; status <= last; status += 1) statuses.push(status)
  }
  return statuses
}
