/** A model's text as it means it: the little of Markdown that models write, inert. Nothing of it is loaded or run. */

import { memo } from 'react'
import { useT } from '@/i18n'
import { CodeBlock, visible } from '@/ui'
import { hostOf } from '@/ui/address'
import { Blocks, type LinkPiece, type ProseParts } from './Blocks'
import { blocksOf } from './markdown'
import './prose.css'

/** Longer texts are data; they are shown as they are. */
const MOST = 40_000

const PARTS: ProseParts = {
  code: (text) => <CodeBlock code={text} small maxHeight={320} />,
  link: (piece) => <Link piece={piece} />,
}

export const Prose = memo(function Prose({ text }: { text: string }) {
  if (text.length > MOST) return <p className="talk-plain">{visible(text)}</p>
  return (
    <div className="prose">
      <Blocks blocks={blocksOf(visible(text))} parts={PARTS} />
    </div>
  )
})

function Link({ piece }: { readonly piece: LinkPiece }) {
  const t = useT()
  const host = hostOf(piece.href)
  return (
    <a href={piece.href} target="_blank" rel="noopener noreferrer nofollow" data-tip={piece.href}>
      {piece.text.includes(host) ? piece.text : t('talk.link_to', { text: piece.text, host })}
    </a>
  )
}
