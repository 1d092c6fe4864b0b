/**
 * The little of Markdown that models write, read into plain pieces: headings, lists, code, quotes, emphasis, links. Pure.
 *
 * What is not understood stays text. There is no HTML, nothing is loaded, and a link is only a name and an address.
 */
import { addressOf } from '@/ui/address'

export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'em'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

export type Block =
  | { readonly kind: 'paragraph' | 'quote'; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: 'heading'; readonly level: number; readonly inline: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | {
      readonly kind: 'list'
      readonly items: readonly {
        readonly depth: number
        readonly mark: string
        readonly inline: readonly Inline[]
      }[]
    }
  | { readonly kind: 'rule' }

const FENCE = /^ {0,3}(```+|~~~+)\s*([\w+#.-]*)\s*$/
/** The end of code names no language. */
const FENCE_END = /^ {0,3}(```+|~~~+)\s*$/
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/
const QUOTE = /^ {0,3}>\s?(.*)$/
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/

/** The blocks of a text. An unclosed fence, as while it streams, is code to the end. */
export function blocksOf(source: string): Block[] {
  const blocks: Block[] = []
  const lines = source.split('\n')
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const fence = FENCE.exec(line)
    if (fence) {
      const close = closing(lines, index + 1, fence[1] ?? '```')
      blocks.push({ kind: 'code', text: lines.slice(index + 1, close).join('\n'), language: fence[2] ?? '' })
      index = close
    } else if (line.trim() !== '') oneLine(blocks, line, (lines[index - 1] ?? '').trim() !== '')
  }
  return blocks
}

function closing(lines: readonly string[], from: number, fence: string): number {
  const position = lines.findIndex(
    (line, index) => index >= from && line.trim().startsWith(fence) && FENCE_END.test(line),
  )
  return position < 0 ? lines.length : position
}

function oneLine(blocks: Block[], line: string, follows: boolean): void {
  const last = blocks.at(-1)
  const heading = HEADING.exec(line)
  const item = ITEM.exec(line)
  const quote = QUOTE.exec(line)
  if (RULE.test(line)) blocks.push({ kind: 'rule' })
  else if (heading) {
    blocks.push({ kind: 'heading', level: (heading[1] ?? '#').length, inline: inlineOf(heading[2] ?? '') })
  } else if (item) {
    const depth = Math.min(4, Math.floor((item[1] ?? '').replaceAll('\t', '    ').length / 2))
    const entry = { depth, mark: item[2] ?? '-', inline: inlineOf(item[3] ?? '') }
    if (last?.kind === 'list') replaceLast(blocks, { kind: 'list', items: [...last.items, entry] })
    else blocks.push({ kind: 'list', items: [entry] })
  } else if (quote) goOn(blocks, 'quote', quote[1] ?? '', follows)
  else goOn(blocks, 'paragraph', line, follows)
}

function goOn(blocks: Block[], kind: 'paragraph' | 'quote', line: string, follows: boolean): void {
  const last = blocks.at(-1)
  const inline = inlineOf(line)
  if (follows && last?.kind === kind) replaceLast(blocks, { kind, lines: [...last.lines, inline] })
  else blocks.push({ kind, lines: [inline] })
}

function replaceLast(blocks: Block[], block: Block): void {
  blocks[blocks.length - 1] = block
}

const INLINE =
  /`([^`\n]+)`|!?\[([^[\]\n]*)\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)?)(?:\s+"[^"\n]*")?\)|\*\*([^*\n]+)\*\*|(?<!\w)__(?!\s)([^_\n]+)__(?!\w)|(?<![*\w])\*([^*\s][^*\n]*)\*|(?<![_\w])_([^_\s][^_\n]*)_(?!\w)|(https?:\/\/[^\s<>"'`）】》，。；]+[^\s<>"'`）】》，。；.,;:!?)\]])/g

/** Longer lines are data, not prose. */
const MOST_LINE = 4000

/** The pieces of a line. */
export function inlineOf(line: string): Inline[] {
  if (line.length > MOST_LINE) return [{ kind: 'text', text: line }]
  const pieces: Inline[] = []
  let index = 0
  const plain = (to: number) => {
    if (to > index) pieces.push({ kind: 'text', text: line.slice(index, to) })
  }
  for (const match of line.matchAll(INLINE)) {
    plain(match.index)
    index = match.index + match[0].length
    pieces.push(piece(match))
  }
  plain(line.length)
  return pieces
}

function piece([whole, code, name, href, strong, strong2, em, em2, bare]: RegExpMatchArray): Inline {
  if (code !== undefined) return { kind: 'code', text: code }
  if (href !== undefined) {
    const safe = addressOf(href)
    return safe ? { kind: 'link', text: name || safe, href: safe } : { kind: 'text', text: whole }
  }
  if (bare !== undefined) {
    const safe = addressOf(bare)
    return safe ? { kind: 'link', text: bare, href: safe } : { kind: 'text', text: bare }
  }
  const bold = strong ?? strong2
  if (bold !== undefined) return { kind: 'strong', text: bold }
  return { kind: 'em', text: em ?? em2 ?? whole }
}
