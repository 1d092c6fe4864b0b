/** Text that a workflow says, with the little of Markdown that models write. Nothing of it is loaded or run. */
import { type Block, blocksOf, type Inline } from '@/prose/markdown'

/** Longer texts are data; they are shown as they are. */
const MOST = 40_000

export function Prose({ text }: { readonly text: string }) {
  if (text.length > MOST) return <p className="plain">{text}</p>
  return (
    <div className="prose">
      {blocksOf(text).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place in the text
        <BlockView key={index} block={block} />
      ))}
    </div>
  )
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      return (
        <p className="heading">
          <Line inline={block.inline} />
        </p>
      )
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      )
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
    default:
      return (
        <p className={block.kind === 'quote' ? 'quote' : undefined}>
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

function Line({ inline }: { readonly inline: readonly Inline[] }) {
  return inline.map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place
    <Piece key={index} piece={piece} />
  ))
}

function Piece({ piece }: { readonly piece: Inline }) {
  switch (piece.kind) {
    case 'code':
      return <code>{piece.text}</code>
    case 'strong':
      return <strong>{piece.text}</strong>
    case 'em':
      return <em>{piece.text}</em>
    case 'link':
      return (
        <a href={piece.href} target="_blank" rel="noopener noreferrer nofollow" title={piece.href}>
          {piece.text}
        </a>
      )
    default:
      return piece.text
  }
}
