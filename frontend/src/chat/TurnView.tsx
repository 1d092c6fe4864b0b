/** A message with its versions, and what was answered: text, folded calls, questions, what can be done with it. */
import { ChevronLeft, ChevronRight, FileText, Pencil, RefreshCw } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Link } from 'wouter'
import { type Message, type Turn, useChangeConversation } from '@/api/chat'
import { useT } from '@/i18n'
import { RunProvider } from '@/live/run-store'
import { Prose } from '@/prose/Prose'
import { Button, Chip, CopyButton, clock, cost, duration, ErrorBox, IconButton, visible } from '@/ui'
import { Calls } from './Calls'
import { ChatQuestion } from './ChatQuestion'
import { LiveAnswer } from './LiveAnswer'

export interface TurnProps {
  readonly turn: Turn
  readonly conversation: string
  readonly last: boolean
  readonly blocked: string | undefined
  readonly send: (message: Message) => Promise<boolean>
}

export function TurnView(props: TurnProps) {
  const { turn } = props
  const t = useT()
  const [editing, setEditing] = useState(false)
  if (turn.run === null) return <p className="text-sm text-muted">{t('chat.deleted')}</p>
  const going = turn.answer === null && !['SUCCESS', 'ERROR', 'CANCELLED'].includes(turn.run.state)
  return (
    <article className="chat-turn" aria-label={t('chat.turn_of', { when: clock(turn.created_at) })}>
      {editing ? (
        <EditMessage {...props} onClose={() => setEditing(false)} />
      ) : (
        <Mine {...props} onEdit={() => setEditing(true)} />
      )}
      <div className="chat-answer">
        {going ? (
          <RunProvider run={turn.run.id}>
            <LiveAnswer
              run={turn.run.id}
              queued={turn.run.state === 'QUEUED'}
              asks={turn.questions.some(({ state }) => state === 'open')}
            />
          </RunProvider>
        ) : (
          <Answered {...props} />
        )}
        {turn.questions.map((question) => (
          <ChatQuestion key={question.id} question={question} />
        ))}
      </div>
    </article>
  )
}

/** The message as it was written, its files, its versions. */
function Mine({ turn, conversation, blocked, onEdit }: TurnProps & { readonly onEdit: () => void }) {
  const t = useT()
  const change = useChangeConversation(conversation)
  const { versions } = turn
  const at = versions.indexOf(turn.id)
  const show = (index: number) => {
    const shown = versions[index]
    if (shown !== undefined) change.mutate({ shown })
  }
  return (
    <div className="chat-mine">
      <p className="chat-bubble">{visible(turn.text)}</p>
      {turn.files.length > 0 ? (
        <ul className="chat-files">
          {turn.files.map((file) => (
            <li key={file.id}>
              <Chip>
                <FileText aria-hidden />
                {visible(file.name)}
              </Chip>
            </li>
          ))}
        </ul>
      ) : null}
      <div className="chat-tools">
        {versions.length > 1 ? (
          <span className="chat-versions">
            <IconButton
              label={t('chat.version_before')}
              size="small"
              disabled={at <= 0 || change.isPending}
              onClick={() => show(at - 1)}
            >
              <ChevronLeft />
            </IconButton>
            <span className="tabular-nums">{t('chat.version_of', { at: at + 1, n: versions.length })}</span>
            <IconButton
              label={t('chat.version_after')}
              size="small"
              disabled={at >= versions.length - 1 || change.isPending}
              onClick={() => show(at + 1)}
            >
              <ChevronRight />
            </IconButton>
          </span>
        ) : null}
        <IconButton label={t('chat.edit')} size="small" blocked={blocked} onClick={onEdit}>
          <Pencil />
        </IconButton>
      </div>
    </div>
  )
}

function EditMessage({ turn, send, onClose }: TurnProps & { readonly onClose: () => void }) {
  const t = useT()
  const [text, setText] = useState(turn.text)
  const [busy, setBusy] = useState(false)
  const submit = async () => {
    if (!text.trim() || busy) return
    setBusy(true)
    const sent = await send({ text, replaces: turn.id })
    setBusy(false)
    if (sent) onClose()
  }
  const key = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      event.preventDefault()
      onClose()
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void submit()
    }
  }
  return (
    <form
      className="chat-edit"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <textarea
        className="chat-field"
        aria-label={t('chat.edit')}
        rows={Math.min(8, text.split('\n').length + 1)}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: it was asked for by a press
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={key}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button type="submit" variant="primary" busy={busy} disabled={!text.trim()}>
          {t('chat.send')}
        </Button>
      </div>
    </form>
  )
}

/** What was answered, once it is whole. */
function Answered({ turn, blocked, send }: TurnProps) {
  const t = useT()
  const [busy, setBusy] = useState(false)
  const run = turn.run
  const again = async () => {
    setBusy(true)
    await send({ replaces: turn.id })
    setBusy(false)
  }
  return (
    <>
      <Calls calls={turn.calls} />
      {turn.answer ? <Prose text={turn.answer} /> : null}
      {run?.state === 'CANCELLED' ? <p className="text-sm text-muted">{t('chat.stopped')}</p> : null}
      {run?.error ? <ErrorBox error={run.error} /> : null}
      {run?.state === 'SUCCESS' && !turn.answer ? (
        <p className="text-sm text-muted">{t('chat.nothing_said')}</p>
      ) : null}
      <div className="chat-tools">
        {turn.answer ? <CopyButton text={turn.answer} /> : null}
        <Button
          variant="quiet"
          size="small"
          icon={<RefreshCw aria-hidden />}
          busy={busy}
          blocked={blocked}
          onClick={() => void again()}
        >
          {t('chat.again')}
        </Button>
        <span className="flex-1" />
        <RunLine turn={turn} />
      </div>
    </>
  )
}

/** When it was answered, how long it took, what it used, and the way to its run. */
function RunLine({ turn: { run } }: { readonly turn: Turn }) {
  const t = useT()
  if (run === null || run.finished_at === null) return null
  const tokens = run.usage.input_tokens + run.usage.output_tokens
  const took = run.started_at ? Date.parse(run.finished_at) - Date.parse(run.started_at) : null
  const facts = [
    clock(run.finished_at),
    took === null ? '' : duration(took),
    tokens > 0 ? t('chat.tokens', { n: tokens }) : '',
    run.usage.cost > 0 ? cost(run.usage.cost) : '',
  ].filter(Boolean)
  return (
    <span className="tabular-nums">
      {facts.join(' · ')} ·{' '}
      <Link href={`/runs/${run.id}`} className="link">
        {t('chat.run')}
      </Link>
    </span>
  )
}
