/** Gives a file: chosen, dropped or pasted; sent with its progress; then shown, and taken out again. */
import { useQueryClient } from '@tanstack/react-query'
import { FileUp, TriangleAlert, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { asApiError } from '@/api/client'
import { type FileValue, fileQuery, isFileValue, isTooLarge, mostMegabytes, uploadFile } from '@/api/files'
import { sentencesOf, useT } from '@/i18n'
import { Button, bytes, cx, IconButton } from '@/ui'
import { accepts, acceptWords } from './accept'
import { FileRow } from './FileRow'
import { uploadBegan, uploadEnded } from './uploads'

export interface FileInputProps {
  readonly id: string
  readonly name: string
  readonly value: unknown
  /** As HTML's `accept`; empty = any. */
  readonly accept: string
  readonly disabled: boolean
  readonly invalid: boolean
  readonly describedBy: string | undefined
  readonly onChange: (value: FileValue | undefined) => void
}

interface Sending {
  readonly name: string
  readonly share: number
}

export function FileInput(props: FileInputProps) {
  const { id, name, value, accept, disabled, invalid, describedBy, onChange } = props
  const t = useT()
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const { sending, problem, give, stop } = useUpload(id, accept, onChange)
  const choose = () => input.current?.click()
  const empty = value === undefined || value === null
  const about = [acceptWords(accept, t), t('forms.file_most', { n: mostMegabytes() })]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a place to drop or paste; the keyboard's way is the button inside
    <div
      className="file-input"
      data-over={over}
      data-bad={invalid || problem !== null}
      onDragOver={(event) => {
        if (disabled || !event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        event.stopPropagation()
        event.dataTransfer.dropEffect = 'copy'
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (disabled || !event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        event.stopPropagation()
        give(event.dataTransfer.files[0])
      }}
      onPaste={(event) => {
        const [file] = event.clipboardData.files
        if (disabled || !file) return
        event.preventDefault()
        give(file)
      }}
    >
      <input
        ref={input}
        id={id}
        type="file"
        className="sr-only"
        tabIndex={-1}
        accept={accept || undefined}
        disabled={disabled || sending !== null}
        aria-label={name || undefined}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        onChange={(event) => {
          const [file] = event.target.files ?? []
          event.target.value = '' // the same file can be chosen again
          give(file)
        }}
      />
      {sending ? (
        <SendingRow sending={sending} onStop={stop} />
      ) : empty ? (
        <div className={cx('file-zone', over && 'file-over')}>
          {disabled ? (
            <span className="text-muted">{t('forms.file_none')}</span>
          ) : (
            <>
              <Button size="small" icon={<FileUp aria-hidden />} onClick={choose}>
                {t('forms.file_choose')}
              </Button>
              <span className="file-about">
                <span>{t('forms.file_or_drop')}</span>
                <span>{about.filter(Boolean).join(' · ')}</span>
              </span>
            </>
          )}
        </div>
      ) : (
        <FileRow
          file={isFileValue(value) ? value : { $file: '', name: JSON.stringify(value).slice(0, 80) }}
          actions={
            disabled ? null : (
              <>
                <IconButton size="small" label={t('forms.file_replace')} onClick={choose}>
                  <FileUp aria-hidden />
                </IconButton>
                <IconButton
                  size="small"
                  label={t('forms.file_remove', { field: name })}
                  onClick={() => onChange(undefined)}
                >
                  <X aria-hidden />
                </IconButton>
              </>
            )
          }
        />
      )}
      {problem ? (
        <p className="field-error" role="alert">
          <TriangleAlert aria-hidden />
          <span>{problem}</span>
        </p>
      ) : null}
    </div>
  )
}

function SendingRow({ sending, onStop }: { sending: Sending; onStop: () => void }) {
  const t = useT()
  const percent = Math.round(sending.share * 100)
  return (
    <div className="file-row">
      <span className="file-words">
        <span className="file-name">{sending.name}</span>
        <span className="file-about" role="status">
          {percent < 100 ? t('forms.file_sending', { percent }) : t('forms.file_keeping')}
        </span>
        <progress className="file-progress" aria-label={sending.name} max={100} value={percent} />
      </span>
      <span className="file-actions">
        <IconButton size="small" label={t('forms.file_stop')} onClick={onStop}>
          <X aria-hidden />
        </IconButton>
      </span>
    </div>
  )
}

/** One upload at a time; what is under way ends with the field. */
function useUpload(id: string, accept: string, onChange: (value: FileValue) => void) {
  const t = useT()
  const client = useQueryClient()
  const [sending, setSending] = useState<Sending | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const under = useRef<AbortController | null>(null)
  const stop = () => under.current?.abort()
  useEffect(() => () => under.current?.abort(), [])

  const tooLarge = (file: File) => t('forms.file_too_large', { size: bytes(file.size), n: mostMegabytes() })
  const refuse = (file: File): string | null => {
    if (file.size > mostMegabytes() * 1024 * 1024) return tooLarge(file)
    return accepts(accept, file) ? null : t('forms.file_kind', { wanted: acceptWords(accept, t) })
  }
  const give = async (file: File | undefined) => {
    if (!file || under.current) return
    const refusal = refuse(file)
    setProblem(refusal)
    if (refusal !== null) return
    const controller = new AbortController()
    under.current = controller
    uploadBegan(id)
    const show = (share: number) => setSending({ name: file.name, share })
    show(0)
    try {
      const kept = await uploadFile(file, show, controller.signal)
      client.setQueryData(fileQuery(kept.$file).queryKey, file)
      if (!controller.signal.aborted) onChange(kept)
    } catch (thrown) {
      if (!controller.signal.aborted) {
        const error = asApiError(thrown)
        setProblem(isTooLarge(error) ? tooLarge(file) : sentencesOf([error.message, error.hint]))
      }
    } finally {
      under.current = null
      uploadEnded(id)
      setSending(null)
    }
  }
  return { sending, problem, give, stop }
}
