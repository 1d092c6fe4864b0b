/** What a stranger's text hides, made visible: a reader must see all that a model or a program would read. */

/**
 * Characters that are not seen or that turn the order of what is around them: controls, directions, tags, fillers, rows
 * of variation selectors. Joiners stay, which scripts and emoji need, as do tabs and line breaks.
 */
const HIDDEN =
  /(?![\n\r\t\u200c\u200d])[\p{Cc}\p{Cf}\u115f\u1160\u3164\uffa0]|[\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0f]{2,}/gu

const named = (match: string): string =>
  Array.from(
    match,
    (letter) => `⟨U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  ).join('')

/** The text with `⟨U+202E⟩` and the like in place of what it hides. */
export const visible = (text: string): string => text.replace(HIDDEN, named)

const DIRECTIONS: Readonly<Record<string, string>> = {
  '\u200e': 'LRM',
  '\u200f': 'RLM',
  '\u061c': 'ALM',
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
}

/** A stretch of a text: as it stands, or `count` times the hidden character that `name` names. */
export interface Stretch {
  readonly text: string
  readonly name?: string
  readonly count?: number
}

/** The text in stretches, what it hides apart and by name: `U+202E RLO`. */
export function stretches(text: string): readonly Stretch[] {
  const matches: Stretch[] = []
  let index = 0
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > index) matches.push({ text: text.slice(index, match.index) })
    for (const letter of match[0]) {
      const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      const name = [`U+${code}`, DIRECTIONS[letter]].filter(Boolean).join(' ')
      const last = matches.at(-1)
      if (last?.name === name)
        matches[matches.length - 1] = { text: last.text + letter, name, count: (last.count ?? 1) + 1 }
      else matches.push({ text: letter, name, count: 1 })
    }
    index = match.index + match[0].length
  }
  if (index < text.length) matches.push({ text: text.slice(index) })
  return matches
}

/** How many characters of the text are not seen as they are. */
export const hiddenCount = (text: string): number =>
  stretches(text).reduce((sum, stretch) => sum + (stretch.count ?? 0), 0)

/** Whether something in it turns the order in which it is drawn. */
export const turns = (text: string): boolean => Array.from(text).some((letter) => letter in DIRECTIONS)

/** The text without what it hides. */
export const withoutHidden = (text: string): string => text.replace(HIDDEN, '')
