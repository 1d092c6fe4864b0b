/** The field for the next message, its files, and what the run before it does meanwhile. */
import { Paperclip, SendHorizontal, Square, X } from 'lucide-react'
import { type KeyboardEvent, useId, useRef } from 'react'
import type { Message } from '@/api/chat'
import { type ApiError, failureOf } from '@/api/client'
import { useRunControl } from '@/api/runs'
import { sentencesOf, useT } from '@/i18n'
import { RunProvider, useNow, useRunInfo } from '@/live/run-store'
import { Button, Chip, cost, duration, ErrorBox, IconButton, StatusWord, toast, visible } from '@/ui'
import { type Attached, useAttached } from './attached'
import { useUnsent } from './unsent'

export interface ComposerProps {
  /** Under which what is typed is kept. */
  readonly place: string
  /** The run that goes on. */
  readonly going: string | null
  readonly busy: boolean
  readonly blocked: string | undefined
  readonly error: ApiError | null
  readonly onSend: (message: Message) => Promise<boolean>
}

const MOST_ROWS = 8

export function Composer(props: ComposerProps) {
  const { place, going, busy, blocked, error, onSend } = props
  const t = useT()
  const [text, setText] = useUnsent(place)
  const { attached, add, remove, clear, sending } = useAttached()
  const picker = useRef<HTMLInputElement>(null)
  const blockedId = useId()
  const why = blocked ?? (sending ? t('forms.file_wait') : undefined)
  const submit = async () => {
    if (!text.trim() || busy || why !== undefined) return
    const files = attached.flatMap(({ file }) => (file ? [file.$file] : []))
    const sent = await onSend({ text, ...(files.length > 0 ? { files } : {}) })
    if (!sent) return
    setText('')
    clear()
  }
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void submit()
  }
  return (
    <form
      className="chat-composer"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {error ? <SendError error={error} /> : null}
      {blocked === undefined ? null : (
        <p id={blockedId} className="field-hint">
          {blocked}
        </p>
      )}
      <div className="chat-box">
        <Files attached={attached} onRemove={remove} />
        <textarea
          className="chat-field"
          aria-label={t('chat.message')}
          aria-describedby={blocked === undefined ? undefined : blockedId}
          readOnly={blocked !== undefined}
          placeholder={t(going ? 'chat.next_message' : 'chat.message')}
          rows={Math.min(MOST_ROWS, text.split('\n').length)}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={key}
        />
        <div className="chat-foot">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={({ target }) => {
              add([...(target.files ?? [])])
              target.value = ''
            }}
          />
          <IconButton label={t('chat.attach')} blocked={blocked} onClick={() => picker.current?.click()}>
            <Paperclip />
          </IconButton>
          {going ? (
            <RunProvider run={going}>
              <Going />
            </RunProvider>
          ) : null}
          <span className="flex-1" />
          {going ? <Stop run={going} /> : null}
          <Button
            type="submit"
            variant="primary"
            icon={<SendHorizontal aria-hidden />}
            busy={busy}
            blocked={why}
            disabled={!text.trim()}
            aria-label={t('chat.send')}
          >
            <span className="phone:hidden">{t('chat.send')}</span>
          </Button>
        </div>
      </div>
    </form>
  )
}

function SendError({ error }: { readonly error: ApiError }) {
  return (
    <ErrorBox error={error}>
      {Object.entries(error.fields).map(([name, texts]) => (
        <p key={name} className="text-sm">
          <code className="font-mono text-xs">{visible(name)}</code> {visible(sentencesOf(texts))}
        </p>
      ))}
    </ErrorBox>
  )
}

interface FilesProps {
  readonly attached: readonly Attached[]
  readonly onRemove: (id: number) => void
}

function Files({ attached, onRemove }: FilesProps) {
  const t = useT()
  if (attached.length === 0) return null
  return (
    <ul className="chat-files">
      {attached.map(({ id, name, share, error }) => (
        <li key={id}>
          <Chip>
            <span className="max-w-40 truncate">{visible(name)}</span>
            {error ? <span className="text-failed">{visible(error)}</span> : null}
            {!error && share < 1 ? <span className="tabular-nums">{Math.round(share * 100)}%</span> : null}
          </Chip>
          <IconButton
            label={t('chat.detach', { name: visible(name) })}
            size="small"
            onClick={() => onRemove(id)}
          >
            <X />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}

/** The run that goes on, in a few words. */
function Going() {
  const t = useT()
  const info = useRunInfo()
  const now = useNow(info !== null && !info.ended)
  if (!info || info.ended) return null
  const tokens = info.usage.input_tokens + info.usage.output_tokens
  const facts = [
    info.startedAt === null ? '' : duration(Math.max(0, now - info.startedAt)),
    tokens > 0 ? t('chat.tokens', { n: tokens }) : '',
    info.usage.cost > 0 ? cost(info.usage.cost) : '',
  ].filter(Boolean)
  return (
    <span className="flex min-w-0 items-center gap-2 text-xs text-muted tabular-nums">
      <StatusWord status={info.status} />
      <span className="truncate phone:hidden">{facts.join(' · ')}</span>
    </span>
  )
}

function Stop({ run }: { readonly run: string }) {
  const t = useT()
  const control = useRunControl(run)
  const stop = () => control.mutate('cancel', { onError: (thrown) => toast.error(failureOf(thrown)) })
  return (
    <Button
      variant="danger"
      icon={<Square aria-hidden />}
      tip={t('chat.stop_tip')}
      busy={control.isPending}
      onClick={stop}
      aria-label={t('chat.stop')}
    >
      <span className="phone:hidden">{t('chat.stop')}</span>
    </Button>
  )
}
