/** A file: its picture where it is one, its name to download it by, and its size. Its bytes come with our headers. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FileText, Image, Music } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { asApiError } from '@/api/client'
import { save } from '@/api/download'
import { type FileValue, fileQuery, isFileValue } from '@/api/files'
import { useT } from '@/i18n'
import { bytes, cx, toast } from '@/ui'
import './files.css'

/** What a browser draws without running anything in it. */
const PICTURE = /^image\/(png|jpeg|gif|webp)$/
/** Larger pictures are fetched only when they are asked for. */
const AT_ONCE = 10 * 1024 * 1024

export interface FileRowProps {
  readonly file: FileValue
  /** Buttons at its end. */
  readonly actions?: ReactNode
  /** Without a frame, inside of a line. */
  readonly inline?: boolean
}

export function FileRow({ file, actions, inline = false }: FileRowProps) {
  const t = useT()
  const client = useQueryClient()
  const [large, setLarge] = useState(false)
  const picture = PICTURE.test(file.mime ?? '')
  const shown = usePicture(file, picture && (large || (file.size ?? 0) <= AT_ONCE))
  const name = file.name || file.$file
  const download = async () => {
    try {
      save(await client.fetchQuery(fileQuery(file.$file)), name)
    } catch (thrown) {
      toast.error({
        title: t('forms.file_gone', { name }),
        text: asApiError(thrown).message,
        reference: asApiError(thrown).reference,
      })
    }
  }
  const Icon = picture ? Image : file.mime?.startsWith('audio/') ? Music : FileText
  return (
    <span className={cx('file-row', inline && 'file-inline')}>
      {picture ? (
        <button
          type="button"
          className="file-thumb"
          aria-label={t(large ? 'forms.file_smaller' : 'forms.file_larger', { name })}
          aria-expanded={large}
          onClick={() => setLarge(!large)}
        >
          {shown ? <img src={shown} alt="" /> : <Icon aria-hidden />}
        </button>
      ) : (
        <span className="file-thumb">
          <Icon aria-hidden />
        </span>
      )}
      <span className="file-words">
        <button
          type="button"
          className="link file-name"
          data-tip={t('forms.file_download')}
          onClick={download}
        >
          {name}
        </button>
        <span className="file-about">
          {[file.mime, file.size === undefined ? '' : bytes(file.size)].filter(Boolean).join(' · ')}
        </span>
      </span>
      {actions ? <span className="file-actions">{actions}</span> : null}
      {large && shown ? <img className="file-large" src={shown} alt={name} /> : null}
    </span>
  )
}

/** A file inside of a tree; undefined for any other value. */
export const fileIn = (value: unknown): ReactNode | undefined =>
  isFileValue(value) ? <FileRow inline file={value} /> : undefined

/** An address of the picture's bytes that lasts as long as it is shown. */
function usePicture(file: FileValue, enabled: boolean): string | null {
  const { data } = useQuery({ ...fileQuery(file.$file), enabled })
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (!enabled || !data) return setAddress(null)
    const text = URL.createObjectURL(data)
    setAddress(text)
    return () => URL.revokeObjectURL(text)
  }, [data, enabled])
  return address
}
