/** What a tool gave back, block by block: text, pictures, sound, files. All inert: nothing of it is ever markup. */
import { useT } from '@/i18n'
import { bytes, CodeBlock, JsonTree } from '@/ui'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Kinds of pictures a browser draws without running anything in them. */
const PICTURES = /^image\/(png|jpeg|gif|webp|avif|bmp)$/
const SOUNDS = /^audio\/[\w.+-]+$/

function Media({ kind, data, mime }: { kind: 'image' | 'audio'; data: string; mime: string }) {
  const t = useT()
  const size = bytes(Math.floor((data.length * 3) / 4))
  const source = `data:${mime};base64,${data}`
  if (kind === 'image' && PICTURES.test(mime)) {
    return (
      <figure className="m-0 grid justify-items-start gap-1">
        <img
          src={source}
          alt={t('registry.image_alt')}
          className="max-h-80 max-w-full rounded-md border border-line"
        />
        <figcaption className="text-xs text-muted">
          {mime} · {size}
        </figcaption>
      </figure>
    )
  }
  if (kind === 'audio' && SOUNDS.test(mime)) {
    return (
      // biome-ignore lint/a11y/useMediaCaption: a tool's sound comes without captions
      <audio controls src={source} className="w-full" />
    )
  }
  return (
    <p className="text-sm text-muted">
      {mime} · {size}
    </p>
  )
}

function Resource({ resource }: { resource: Record<string, unknown> }) {
  const uri = String(resource.uri ?? '')
  const mime = String(resource.mimeType ?? '')
  if (typeof resource.text === 'string') {
    return (
      <div className="grid grid-cols-1 gap-1">
        <p className="font-mono text-xs text-muted">{uri}</p>
        <CodeBlock code={resource.text} maxHeight={320} label={uri} />
      </div>
    )
  }
  if (typeof resource.blob === 'string') {
    return (
      <div className="grid grid-cols-1 gap-1">
        <p className="font-mono text-xs text-muted">{uri}</p>
        <Media kind="image" data={resource.blob} mime={mime} />
      </div>
    )
  }
  return <p className="font-mono text-xs text-muted">{uri}</p>
}

function Block({ block }: { block: unknown }) {
  const t = useT()
  if (!isObject(block)) return <CodeBlock code={String(block)} />
  if (block.type === 'text')
    return <CodeBlock code={String(block.text ?? '')} maxHeight={360} label={t('registry.text_block')} />
  if ((block.type === 'image' || block.type === 'audio') && typeof block.data === 'string') {
    return <Media kind={block.type} data={block.data} mime={String(block.mimeType ?? '')} />
  }
  if (block.type === 'resource' && isObject(block.resource)) return <Resource resource={block.resource} />
  if (block.type === 'resource_link') return <p className="font-mono text-xs">{String(block.uri ?? '')}</p>
  return (
    <div className="well px-0 py-1">
      <JsonTree value={block} />
    </div>
  )
}

export function Content({ content, structured }: { content: readonly unknown[]; structured: unknown }) {
  const t = useT()
  return (
    <div className="grid grid-cols-1 content-start gap-2">
      {content.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place in the answer
        <Block key={index} block={block} />
      ))}
      {structured !== null && structured !== undefined ? (
        <section className="grid grid-cols-1 gap-1">
          <h3 className="section-title">{t('registry.structured')}</h3>
          <div className="well max-h-80 overflow-auto px-0 py-1">
            <JsonTree value={structured} open={3} />
          </div>
        </section>
      ) : null}
      {content.length === 0 && (structured === null || structured === undefined) ? (
        <p className="text-muted">{t('registry.empty_answer')}</p>
      ) : null}
    </div>
  )
}
