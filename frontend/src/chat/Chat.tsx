/** One conversation: what was said, what is being said, and the field for what comes next. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { conversationQuery, type Message, type Turn, useWrite } from '@/api/chat'
import { type ApiError, asApiError, newRequestId } from '@/api/client'
import { loadNextPage } from '@/api/next-page'
import { useMay } from '@/api/queries'
import { TERMINAL } from '@/api/run-types'
import { useT } from '@/i18n'
import { liveSocket } from '@/live/page-socket'
import { Button, ErrorBox, Skeleton, visible } from '@/ui'
import { Announcer } from './Announcer'
import { Composer } from './Composer'
import { TurnView } from './TurnView'
import './chat.css'

export interface ChatProps {
  /** The trigger. */
  readonly trigger: string
  readonly greeting: string
  /** null = a new one. */
  readonly conversation: string | null
  readonly draft: boolean
  /** Why nothing can be written here. */
  readonly blocked?: string | undefined
  /** Is called before a message with the draft: what is on the screen is saved then. */
  readonly save?: (() => Promise<unknown>) | undefined
  readonly onConversation: (key: string) => void
  /** Hears of the run of each message. */
  readonly onRun?: ((run: string) => void) | undefined
}

/** The turns of a conversation, kept true while it is shown. */
export function useTurns(conversation: string | null) {
  const client = useQueryClient()
  const query = useInfiniteQuery({ ...conversationQuery(conversation ?? ''), enabled: conversation !== null })
  useEffect(() => {
    if (conversation === null) return
    const refresh = () => void client.invalidateQueries({ queryKey: ['conversation'] })
    return liveSocket.subscribe(`conversation:${conversation}`, { hint: refresh })
  }, [client, conversation])
  const turns = useMemo(
    () => [...(query.data?.pages ?? [])].reverse().flatMap((page) => page.turns),
    [query.data],
  )
  return { ...query, turns: conversation === null ? [] : turns }
}

export const goesOn = (turn: Turn): boolean => turn.run !== null && !TERMINAL.has(turn.run.state)

/** Under which what is typed is kept. */
const placeOf = (trigger: string, conversation: string | null, draft: boolean): string =>
  `${trigger}:${conversation ?? (draft ? 'draft' : 'new')}`

/** Sends messages; one that failed is sent under the same key again, so that it comes once. */
function useSend({ trigger, conversation, draft, save, onConversation, onRun }: ChatProps) {
  const place = placeOf(trigger, conversation, draft)
  const write = useWrite(trigger)
  const [failed, setFailed] = useState<{ readonly of: string; readonly error: ApiError } | null>(null)
  const [busy, setBusy] = useState(false)
  const last = useRef({ message: '', once: '' })
  const send = async (message: Message): Promise<boolean> => {
    if (busy) return false
    const body = { ...message, ...(conversation === null ? { draft } : { conversation }) }
    const text = JSON.stringify(body)
    if (last.current.message !== text) last.current = { message: text, once: newRequestId() }
    setBusy(true)
    setFailed(null)
    try {
      if (draft) await save?.()
      const run = await write.mutateAsync({ ...body, once: last.current.once })
      last.current = { message: '', once: '' }
      onRun?.(run.id)
      if (conversation === null && run.conversation) onConversation(run.conversation)
      return true
    } catch (thrown) {
      setFailed({ of: place, error: asApiError(thrown) })
      return false
    } finally {
      setBusy(false)
    }
  }
  return { send, busy, error: failed?.of === place ? failed.error : null }
}

/** Keeps the end in sight while one is there. */
function useFollowed(length: unknown, conversation: string | null) {
  const list = useRef<HTMLDivElement>(null)
  const follow = useRef(true)
  const toEnd = useCallback(() => {
    const element = list.current
    if (element && follow.current) element.scrollTop = element.scrollHeight
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation is shown from its end
  useEffect(() => {
    follow.current = true
  }, [conversation])
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows whatever makes the list longer
  useEffect(toEnd, [length, toEnd])
  useEffect(() => {
    const inner = list.current?.firstElementChild
    if (!inner) return
    const observer = new ResizeObserver(toEnd)
    observer.observe(inner)
    return () => observer.disconnect()
  }, [toEnd])
  const scrolled = () => {
    const element = list.current
    if (element) follow.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 24
  }
  const follows = () => {
    follow.current = true
  }
  return { list, scrolled, follows }
}

export function Chat(props: ChatProps) {
  const { conversation, trigger, blocked: why } = props
  const t = useT()
  const query = useTurns(conversation)
  const { turns } = query
  const may = useMay('editor')
  const blocked = why ?? (may ? undefined : t('chat.viewer'))
  const { send, busy, error } = useSend(props)
  const { list, scrolled, follows } = useFollowed(turns, conversation)
  const going = turns.find(goesOn) ?? null
  return (
    <div className="chat">
      <div
        ref={list}
        className="chat-log"
        role="log"
        aria-label={t('chat.log')}
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        onScroll={scrolled}
      >
        <div className="chat-turns">
          {query.hasNextPage ? (
            <Button size="small" busy={query.isFetchingNextPage} onClick={() => void loadNextPage(query)}>
              {t('chat.earlier')}
            </Button>
          ) : null}
          {query.error ? <ErrorBox error={asApiError(query.error)} title={t('chat.load_failed')} /> : null}
          {conversation !== null && query.isPending ? <Skeleton rows={4} row={48} /> : null}
          {conversation === null ? (
            <p className="chat-greeting">{visible(props.greeting || t('chat.greeting'))}</p>
          ) : null}
          {turns.map((turn, index) => (
            <TurnView
              key={turn.id}
              turn={turn}
              conversation={conversation ?? ''}
              last={index === turns.length - 1}
              blocked={blocked}
              send={send}
            />
          ))}
        </div>
      </div>
      <Announcer key={conversation ?? ''} turns={turns} />
      <Composer
        place={placeOf(trigger, conversation, props.draft)}
        going={going?.run?.id ?? null}
        busy={busy}
        blocked={blocked}
        error={error}
        onSend={(message) => {
          follows()
          return send(message)
        }}
      />
    </div>
  )
}
