/** What a stranger's text hides, made visible: a reader must see all that a model or a program would read. */

/**
 * Characters that are not seen or that turn the order of what is around them: controls, directions, tags, fillers, rows
 * of variation selectors. Joiners stay, which scripts and emoji need, as do tabs and line breaks.
 */
const HIDDEN =
  /(?![\n\r\t\u200c\u200d])[\p{Cc}\p{Cf}\u115f\u1160\u3164\uffa0]|[\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0f]{2,}/gu

const named = (found: string): string =>
  Array.from(
    found,
    (letter) => `⟨U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  ).join('')

/** The text with `⟨U+202E⟩` and the like in place of what it hides. */
export const visible = (text: string): string => text.replace(HIDDEN, named)
