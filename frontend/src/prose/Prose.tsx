/** A model's text as it means it: the little of Markdown that models write, inert. Nothing of it is loaded or run. */

import { memo } from 'react'
import { useT } from '@/i18n'
import { CodeBlock, visible } from '@/ui'
import { hostOf } from '@/ui/address'
import { type Block, blocksOf, type Inline } from './markdown'
import './prose.css'

/** Longer texts are data; they are shown as they are. */
const MOST = 40_000

export const Prose = memo(function Prose({ text }: { text: string }) {
  if (text.length > MOST) return <p className="talk-plain">{visible(text)}</p>
  return (
    <div className="prose">
      {blocksOf(visible(text)).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place in the text
        <BlockView key={index} block={block} />
      ))}
    </div>
  )
})

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading':
      return (
        <p className="prose-heading" data-level={Math.min(block.level, 3)}>
          <Line inline={block.inline} />
        </p>
      )
    case 'code':
      return <CodeBlock code={block.text} small maxHeight={320} />
    case 'rule':
      return <hr />
    case 'list':
      return (
        <ul>
          {block.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place in the list
            <li key={index} data-depth={item.depth}>
              <span aria-hidden>{/\d/.test(item.mark) ? item.mark : '•'}</span>
              <span>
                <Line inline={item.inline} />
              </span>
            </li>
          ))}
        </ul>
      )
    case 'paragraph':
    case 'quote':
      return (
        <p className={block.kind === 'quote' ? 'prose-quote' : undefined}>
          {block.lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
            <span key={index}>
              {index > 0 ? <br /> : null}
              <Line inline={line} />
            </span>
          ))}
        </p>
      )
  }
}

function Line({ inline }: { inline: readonly Inline[] }) {
  return inline.map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place
    <Piece key={index} piece={piece} />
  ))
}

function Piece({ piece }: { piece: Inline }) {
  const t = useT()
  switch (piece.kind) {
    case 'code':
      return <code>{piece.text}</code>
    case 'strong':
      return <strong>{piece.text}</strong>
    case 'em':
      return <em>{piece.text}</em>
    case 'link': {
      const host = hostOf(piece.href)
      return (
        <a href={piece.href} target="_blank" rel="noopener noreferrer nofollow" data-tip={piece.href}>
          {piece.text.includes(host) ? piece.text : t('talk.link_to', { text: piece.text, host })}
        </a>
      )
    }
    default:
      return piece.text
  }
}
