/** One block of an answer on the screen. Inert: a picture is only ever an image, a page only ever its text. */
import { Download, ExternalLink, FileText, Link, Maximize2, Minimize2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { FileValue } from '@/api/files'
import { FileRow } from '@/files'
import { useT } from '@/i18n'
import { bytes, CodeBlock, CopyButton, IconButton, JsonTree, Skeleton, toast, visible } from '@/ui'
import { addressOf, hostOf } from '@/ui/address'
import { fileOf, type Shown, shownOf, sizeOf, withBytes } from './blocks'
import { LongText } from './LongText'
import { saveBytes, saveText, useAddress, useFileData } from './use-bytes'

type Data = Extract<Shown, { data: string }>
type Of<K extends Shown['kind']> = Extract<Shown, { kind: K }>

export interface BlockProps {
  readonly block: unknown
  /** Of what a text is, for those who hear it. */
  readonly label: string
  readonly maxHeight?: number
}

export function Block(props: BlockProps) {
  const file = fileOf(props.block)
  return file ? <Kept {...props} file={file} /> : <Whole {...props} />
}

/** A block whose bytes lie in a file: fetched and shown like one that holds them, or named where it is large or gone. */
function Kept({ file, block, ...rest }: BlockProps & { file: FileValue }) {
  const data = useFileData(file)
  if (data === null) return <FileRow file={file} />
  return data === undefined ? <Skeleton rows={1} /> : <Whole block={withBytes(block, data)} {...rest} />
}

function Whole({ block, label, maxHeight = 320 }: BlockProps) {
  const shown = shownOf(block)
  switch (shown.kind) {
    case 'text':
      return <LongText text={shown.text} label={label} maxHeight={maxHeight} />
    case 'picture':
      return <Picture of={shown} />
    case 'sound':
    case 'film':
      return <Player of={shown} />
    case 'file':
      return <DataFile of={shown} />
    case 'words':
      return <Words of={shown} maxHeight={maxHeight} />
    case 'link':
      return <LinkCard of={shown} />
    default:
      return <Unknown of={shown} />
  }
}

/** What a block is about and what can be done with it, in one line below it. */
function Caption({ facts, children }: { facts: readonly string[]; children: ReactNode }) {
  return (
    <figcaption className="result-caption">
      <span className="result-facts">{visible(facts.filter(Boolean).join(' · '))}</span>
      {children}
    </figcaption>
  )
}

function SaveButton({ of }: { of: Data }) {
  const t = useT()
  const keep = () => {
    if (!saveBytes(of)) toast.error(t('results.unreadable', { name: of.name }))
  }
  return (
    <IconButton size="small" label={t('results.download', { name: visible(of.name) })} onClick={keep}>
      <Download />
    </IconButton>
  )
}

function Picture({ of }: { of: Data }) {
  const t = useT()
  const address = useAddress(of)
  const [large, setLarge] = useState(false)
  const [pixels, setPixels] = useState('')
  const [broken, setBroken] = useState(false)
  if (broken) return <DataFile of={of} remark={t('results.not_drawn')} />
  const Size = large ? Minimize2 : Maximize2
  return (
    <figure className="result-figure">
      <div className="result-plate" data-large={large || undefined}>
        {address ? (
          <img
            src={address}
            alt={t('results.picture', { name: visible(of.name) })}
            onError={() => setBroken(true)}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setPixels(naturalWidth > 0 ? `${naturalWidth} × ${naturalHeight}` : '')
            }
          />
        ) : null}
      </div>
      <Caption facts={[of.uri, of.mime, pixels, bytes(sizeOf(of.data))]}>
        <IconButton
          size="small"
          label={t(large ? 'results.smaller' : 'results.larger')}
          aria-pressed={large}
          onClick={() => setLarge(!large)}
        >
          <Size />
        </IconButton>
        <SaveButton of={of} />
      </Caption>
    </figure>
  )
}

function Player({ of }: { of: Data }) {
  const t = useT()
  const address = useAddress(of)
  const [broken, setBroken] = useState(false)
  if (broken) return <DataFile of={of} remark={t('results.not_played')} />
  const label = t(of.kind === 'film' ? 'results.film' : 'results.sound', { name: visible(of.name) })
  const shared = {
    controls: true,
    preload: 'metadata',
    src: address ?? undefined,
    'aria-label': label,
    onError: () => setBroken(address !== null),
  }
  return (
    <figure className="result-figure">
      {of.kind === 'film' ? (
        <video className="result-film" {...shared} />
      ) : (
        <audio className="result-sound" {...shared} />
      )}
      <Caption facts={[of.uri, of.mime, bytes(sizeOf(of.data))]}>
        <SaveButton of={of} />
      </Caption>
    </figure>
  )
}

function DataFile({ of, remark }: { of: Data; remark?: string }) {
  const t = useT()
  return (
    <div className="result-card">
      <FileText aria-hidden />
      <div className="result-words">
        <strong className="result-name">{visible(of.name)}</strong>
        <span className="result-facts">
          {visible([of.mime || t('results.no_type'), bytes(sizeOf(of.data))].join(' · '))}
        </span>
        {of.uri ? <span className="result-address">{visible(of.uri)}</span> : null}
        {remark ? <span className="result-facts">{remark}</span> : null}
      </div>
      <SaveButton of={of} />
    </div>
  )
}

function Words({ of, maxHeight }: { of: Of<'words'>; maxHeight: number }) {
  const t = useT()
  return (
    <figure className="result-figure">
      <LongText text={of.text} label={t('results.file', { name: visible(of.name) })} maxHeight={maxHeight} />
      <Caption facts={[of.uri, of.mime]}>
        <IconButton
          size="small"
          label={t('results.download', { name: visible(of.name) })}
          onClick={() => saveText(of.text, of.name)}
        >
          <Download />
        </IconButton>
      </Caption>
    </figure>
  )
}

function LinkCard({ of }: { of: Of<'link'> }) {
  const t = useT()
  const address = addressOf(of.uri)
  const title = of.title || of.name || of.uri
  const facts = [
    of.title && of.name !== of.title ? of.name : '',
    of.mime,
    of.size === null ? '' : bytes(of.size),
  ]
  return (
    <div className="result-card">
      <Link aria-hidden />
      <div className="result-words">
        {address ? (
          <a
            className="link result-name"
            href={address}
            target="_blank"
            rel="noopener noreferrer nofollow"
            data-tip={t('results.opens', { host: hostOf(address) })}
          >
            {visible(title)}
            <ExternalLink aria-hidden />
          </a>
        ) : (
          <strong className="result-name">{visible(title)}</strong>
        )}
        {of.description ? <p className="result-said">{visible(of.description)}</p> : null}
        {title === of.uri ? null : <span className="result-address">{visible(of.uri)}</span>}
        {facts.some(Boolean) ? (
          <span className="result-facts">{visible(facts.filter(Boolean).join(' · '))}</span>
        ) : null}
      </div>
      <CopyButton text={of.uri} label={t('results.copy_address')} />
    </div>
  )
}

function Unknown({ of }: { of: Of<'unknown'> }) {
  const t = useT()
  return (
    <figure className="result-figure">
      {typeof of.value === 'object' && of.value !== null ? (
        <section className="well result-tree" aria-label={t('results.unknown', { type: visible(of.type) })}>
          <JsonTree value={of.value} open={2} />
        </section>
      ) : (
        <CodeBlock small code={JSON.stringify(of.value) ?? ''} />
      )}
      <Caption facts={[of.type ? t('results.unknown', { type: of.type }) : t('results.unknown_nameless')]}>
        <CopyButton text={JSON.stringify(of.value, null, 2) ?? ''} />
      </Caption>
    </figure>
  )
}
