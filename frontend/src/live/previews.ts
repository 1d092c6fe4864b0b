/**
 * Text that streams ahead of the log. Pieces come as they are said and may be lost or late; what is stored has the last
 * word. The newest pieces of each round and channel are kept and laid behind the stored text where the two overlap and
 * agree, so a page that was opened in the middle soon streams as smoothly as one that was there before.
 */

import type { TextPreview } from '@/api/run-types'
import { codePoints, unitIndex } from './fold'

interface Piece {
  /** Where it begins, in code points. */
  readonly start: number
  readonly text: string
  /** In code points. */
  readonly length: number
}

export interface StreamKey {
  readonly step: string
  readonly call: string | null
  readonly attempt: number
  readonly channel: 'text' | 'reasoning'
}

const keyOf = ({ call, attempt, channel }: Omit<StreamKey, 'step'>) => `${call ?? ''} ${attempt} ${channel}`

/** Steps whose text is held at most: what comes for others is in the log a second later. */
const MOST_STEPS = 500
/** Pieces held of one text: each begins behind a hole. */
const MOST_PIECES = 4

export class Previews {
  private readonly steps = new Map<string, Map<string, readonly Piece[]>>()

  take({ step, call = '', attempt = 1, channel = 'text', offset, delta }: TextPreview): void {
    const pieces = this.steps.get(step) ?? new Map<string, readonly Piece[]>()
    if (!this.steps.has(step)) {
      if (this.steps.size >= MOST_STEPS) return
      this.steps.set(step, pieces)
    }
    const key = keyOf({ call, attempt, channel: channel === 'reasoning' ? 'reasoning' : 'text' })
    pieces.set(key, joined(pieces.get(key) ?? [], offset, delta))
  }

  /** `stored` with what is known to follow on it. */
  after(streamKey: StreamKey, stored: string): string {
    const pieces = this.steps.get(streamKey.step)?.get(keyOf(streamKey)) ?? []
    return pieces.reduce(extended, stored)
  }

  /** The steps whose text is held. */
  held(): Iterable<string> {
    return this.steps.keys()
  }

  forget(step: string): void {
    this.steps.delete(step)
  }
}

/** `text` with what a piece knows to follow. Two that differ are of different tries; the log tells which one counts. */
function extended(text: string, piece: Piece): string {
  const known = codePoints(text)
  const overlaps = piece.start < known || piece.start === 0
  if (!overlaps || piece.start + piece.length <= known) return text
  const from = unitIndex(text, piece.start) ?? 0
  const cut = unitIndex(piece.text, known - piece.start) ?? 0
  return text.slice(from) === piece.text.slice(0, cut) ? text + piece.text.slice(cut) : text
}

function joined(pieces: readonly Piece[], offset: number, delta: string): readonly Piece[] {
  const fresh = { start: offset, text: delta, length: codePoints(delta) }
  if (offset === 0) return [fresh] // the round begins, or begins again
  const last = pieces.at(-1)
  if (!last || offset !== last.start + last.length) return [...pieces, fresh].slice(-MOST_PIECES)
  const longer = { start: last.start, text: last.text + delta, length: last.length + fresh.length }
  return [...pieces.slice(0, -1), longer]
}
