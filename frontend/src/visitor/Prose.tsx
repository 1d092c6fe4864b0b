/** Text that a workflow says, with the little of Markdown that models write. Nothing of it is loaded or run. */
import { Blocks, type ProseParts } from '@/prose/Blocks'
import { blocksOf } from '@/prose/markdown'

/** Longer texts are data; they are shown as they are. */
const MOST = 40_000

const PARTS: ProseParts = {
  code: (text) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  ),
  link: (piece) => (
    <a href={piece.href} target="_blank" rel="noopener noreferrer nofollow" title={piece.href}>
      {piece.text}
    </a>
  ),
}

export function Prose({ text }: { readonly text: string }) {
  if (text.length > MOST) return <p className="plain">{text}</p>
  return (
    <div className="prose">
      <Blocks blocks={blocksOf(text)} parts={PARTS} />
    </div>
  )
}
