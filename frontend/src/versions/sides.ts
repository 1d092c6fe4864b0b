/** What is compared, as the address says it: `6..7`, `6..draft`, `r44..draft` (a kept draft), `run_…..draft`. */

export type Side =
  | { readonly kind: 'draft' }
  | { readonly kind: 'version'; readonly number: number }
  | { readonly kind: 'revision'; readonly number: number }
  | { readonly kind: 'run'; readonly id: string }

export const DRAFT: Side = { kind: 'draft' }

export interface Pair {
  readonly before: Side
  readonly after: Side
}

/** One side; null for what is none. */
export function readSide(text: string): Side | null {
  if (text === 'draft') return DRAFT
  const [, mark, digits] = /^(r?)(\d{1,9})$/.exec(text) ?? []
  if (digits !== undefined) return { kind: mark ? 'revision' : 'version', number: Number(digits) }
  return /^run_\w{1,40}$/.test(text) ? { kind: 'run', id: text } : null
}

export function writeSide(side: Side): string {
  if (side.kind === 'draft') return 'draft'
  if (side.kind === 'run') return side.id
  return side.kind === 'version' ? String(side.number) : `r${side.number}`
}

/** Both sides; null for an address that names no two. */
export function readPair(text: string): Pair | null {
  const [first, second, ...more] = text.split('..')
  const [before, after] = [readSide(first ?? ''), readSide(second ?? '')]
  return before && after && more.length === 0 ? { before, after } : null
}

export const writePair = ({ before, after }: Pair): string => `${writeSide(before)}..${writeSide(after)}`

export const sameSide = (left: Side, right: Side): boolean => writeSide(left) === writeSide(right)
