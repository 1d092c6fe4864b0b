/**
 * What a tool answered: its blocks in their order, then its structured content. One renderer for the log of a run, for
 * trying tools and for the inbox, whatever the size: an answer that is stored elsewhere is fetched and shown alike.
 */
import { isRef } from '@/api/run-types'
import { useT } from '@/i18n'
import { JsonTree } from '@/ui'
import { Block } from './Blocks'
import { repeats } from './blocks'
import { drawn } from './drawn'
import { Stored } from './Stored'
import './results.css'

export interface ContentProps {
  readonly content: unknown
  readonly structured?: unknown
  readonly maxHeight?: number
}

const isNothing = (value: unknown) => value === null || value === undefined

export function Content({ content, structured, maxHeight = 240 }: ContentProps) {
  const t = useT()
  if (isRef(structured)) {
    return (
      <Stored stored={structured} label={t('results.structured')}>
        {(value) => <Content content={content} structured={value} maxHeight={maxHeight} />}
      </Stored>
    )
  }
  if (isRef(content)) {
    return (
      <Stored stored={content} label={t('results.answer')}>
        {(value) => <Content content={value} structured={structured} maxHeight={maxHeight} />}
      </Stored>
    )
  }
  const all = Array.isArray(content) ? content : isNothing(content) ? [] : [content]
  const blocks = all.filter((block) => !repeatsStructured(block, structured))
  if (blocks.length === 0 && isNothing(structured)) {
    return <p className="text-muted">{t('results.empty')}</p>
  }
  return (
    <div className="result">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place in the answer
        <Block key={index} block={block} label={t('results.text')} maxHeight={maxHeight} />
      ))}
      {isNothing(structured) ? null : (
        <Structured value={structured} maxHeight={maxHeight} alsoText={blocks.length < all.length} />
      )}
    </div>
  )
}

function repeatsStructured(block: unknown, structured: unknown): boolean {
  if (isNothing(structured) || typeof block !== 'object' || block === null) return false
  const { type, text } = block as { type?: unknown; text?: unknown }
  return type === 'text' && typeof text === 'string' && repeats(text, structured)
}

function Structured({
  value,
  maxHeight,
  alsoText,
}: {
  value: unknown
  maxHeight: number
  alsoText: boolean
}) {
  const t = useT()
  return (
    <section className="grid grid-cols-1 gap-1" aria-label={t('results.structured')}>
      <div className="result-head">
        <h4 className="section-title">{t('results.structured')}</h4>
        {alsoText ? <span className="result-facts">{t('results.also_text')}</span> : null}
      </div>
      <div className="well result-tree" style={{ maxHeight }}>
        <JsonTree value={value} open={3} whole={drawn} />
      </div>
    </section>
  )
}
