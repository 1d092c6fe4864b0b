/** What a tool answered, block by block: text, pictures, sound, resources. Rendered inert: nothing in it runs or links. */

import { isRef } from '@/api/run-types'
import { useT } from '@/i18n'
import { bytes, CodeBlock } from '@/ui'
import { ValueView } from './ValueView'

interface Block {
  readonly type?: unknown
  readonly text?: unknown
  readonly data?: unknown
  readonly mimeType?: unknown
  readonly uri?: unknown
  readonly name?: unknown
  readonly resource?: {
    readonly uri?: unknown
    readonly text?: unknown
    readonly mimeType?: unknown
    readonly blob?: unknown
  }
}

const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/
const AUDIO = /^audio\/(mpeg|mp3|wav|x-wav|ogg|webm|mp4|aac|flac)$/

/** A structured answer first, since the blocks then only repeat it as text. */
export function Content({ content, structured }: { content: unknown; structured: unknown }) {
  const t = useT()
  if (structured !== undefined && structured !== null) {
    const others = Array.isArray(content)
      ? content.filter((block) => (block as Block | null)?.type !== 'text')
      : []
    return (
      <div className="grid gap-1">
        <ValueView value={structured} shape="json" label={t('runs.call_out')} maxHeight={240} />
        <Blocks blocks={others} />
      </div>
    )
  }
  if (isRef(content) || !Array.isArray(content)) {
    return <ValueView value={content} shape="json" label={t('runs.call_out')} maxHeight={240} />
  }
  if (content.length === 0) return <p className="text-muted">{t('runs.step_nothing')}</p>
  return <Blocks blocks={content} />
}

function Blocks({ blocks }: { blocks: readonly unknown[] }) {
  return (
    <>
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place in the answer
        <OneBlock key={at} block={block as Block} />
      ))}
    </>
  )
}

function OneBlock({ block }: { block: Block }) {
  const t = useT()
  const mime = typeof block.mimeType === 'string' ? block.mimeType : ''
  if (block.type === 'text' && typeof block.text === 'string') {
    return <CodeBlock code={block.text} small maxHeight={240} label={t('runs.call_out')} />
  }
  if (block.type === 'image' && typeof block.data === 'string' && IMAGE.test(mime)) {
    return (
      <img
        className="max-h-60 max-w-full rounded-md border border-line bg-well object-contain"
        src={`data:${mime};base64,${block.data}`}
        alt={t('runs.content_image', { type: mime })}
      />
    )
  }
  if (block.type === 'audio' && typeof block.data === 'string' && AUDIO.test(mime)) {
    return (
      // biome-ignore lint/a11y/useMediaCaption: a tool's sound comes without captions
      <audio
        controls
        className="max-w-full"
        aria-label={t('runs.content_audio')}
        src={`data:${mime};base64,${block.data}`}
      />
    )
  }
  if (block.type === 'resource' && typeof block.resource === 'object' && block.resource !== null) {
    const { uri, text, blob } = block.resource
    return (
      <div className="grid gap-1">
        <p className="text-xs text-muted break-all">{t('runs.content_file', { uri: String(uri ?? '') })}</p>
        {typeof text === 'string' ? <CodeBlock code={text} small maxHeight={240} /> : null}
        {typeof blob === 'string' ? (
          <p className="text-xs text-muted">
            {t('runs.content_binary', {
              type: String(block.resource.mimeType ?? ''),
              size: bytes(Math.floor(blob.length * 0.75)),
            })}
          </p>
        ) : null}
      </div>
    )
  }
  if (block.type === 'resource_link') {
    return (
      <p className="font-mono text-xs break-all">
        {t('runs.content_link', { uri: String(block.uri ?? '') })}
      </p>
    )
  }
  return <ValueView value={block} shape="json" label={t('runs.call_out')} maxHeight={240} />
}
