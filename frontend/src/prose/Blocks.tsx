/** The blocks of a text, drawn the same wherever one is read; how code and links look is told by who shows them. */
import type { ReactNode } from 'react'
import type { Block, Inline } from './markdown'

export type LinkPiece = Extract<Inline, { kind: 'link' }>

/** What differs from place to place. */
export interface ProseParts {
  readonly code: (text: string) => ReactNode
  readonly link: (piece: LinkPiece) => ReactNode
}

interface BlocksProps {
  readonly blocks: readonly Block[]
  readonly parts: ProseParts
}

export function Blocks({ blocks, parts }: BlocksProps) {
  return blocks.map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place in the text
    <BlockView key={index} block={block} parts={parts} />
  ))
}

function BlockView({ block, parts }: { readonly block: Block; readonly parts: ProseParts }) {
  switch (block.kind) {
    case 'heading':
      return (
        <p className="prose-heading" data-level={Math.min(block.level, 3)}>
          <Line inline={block.inline} parts={parts} />
        </p>
      )
    case 'code':
      return parts.code(block.text)
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
                <Line inline={item.inline} parts={parts} />
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
              <Line inline={line} parts={parts} />
            </span>
          ))}
        </p>
      )
  }
}

function Line({ inline, parts }: { readonly inline: readonly Inline[]; readonly parts: ProseParts }) {
  return inline.map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place
    <Piece key={index} piece={piece} parts={parts} />
  ))
}

function Piece({ piece, parts }: { readonly piece: Inline; readonly parts: ProseParts }) {
  switch (piece.kind) {
    case 'code':
      return <code>{piece.text}</code>
    case 'strong':
      return <strong>{piece.text}</strong>
    case 'em':
      return <em>{piece.text}</em>
    case 'link':
      return parts.link(piece)
    default:
      return piece.text
  }
}
