/** A chat: messages and their answers, one after the other. The conversation is found again while the tab is open. */
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import {
  asRefusal,
  deleteTalk,
  exportTalk,
  getTurns,
  newKey,
  Refusal,
  sendMessage,
  type Turn,
} from './client'
import { Notice } from './Notice'
import { Prose } from './Prose'
import { SELDOM_MS, usePolled } from './polling'
import { words } from './words'

interface Talked {
  readonly turns: readonly Turn[]
}

const PLACE = `talk:${location.pathname}`

/** The key of this tab's conversation; browsers that give frames no storage begin a new one with each load. */
function storedTalk(): string | null {
  try {
    return sessionStorage.getItem(PLACE)
  } catch {
    return null
  }
}

function storeTalk(key: string | null): void {
  try {
    if (key) sessionStorage.setItem(PLACE, key)
    else sessionStorage.removeItem(PLACE)
  } catch {
    // it is kept as long as the page stands
  }
}

/** One that was not begun yet, or is gone, has no turns. */
async function turnsOf(key: string): Promise<Talked> {
  try {
    return await getTurns(key.slice(0, key.indexOf(' ')))
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.status === 404) return { turns: [] }
    throw thrown
  }
}

function pause({ turns }: Talked, wait: number): number | null {
  if (turns.some(({ state }) => state === 'working')) return wait
  return turns.some(({ state }) => state === 'waiting') ? SELDOM_MS : null
}

/** The conversation of this tab; `sent` counts what was sent, so that it is looked at anew. */
function useTalk() {
  const [talk, setTalk] = useState(() => storedTalk() ?? newKey())
  const [sent, setSent] = useState(0)
  const { value, refusal } = usePolled<Talked>(`${talk} ${sent}`, turnsOf, pause)
  const last = useRef<Talked>({ turns: [] })
  if (value) last.current = value
  const begin = () => {
    last.current = { turns: [] }
    storeTalk(null)
    setTalk(newKey())
  }
  const onSent = () => {
    storeTalk(talk)
    setSent((n) => n + 1)
  }
  return { talk, turns: (value ?? last.current).turns, refusal, begin, onSent }
}

export function Talk({ greeting }: { readonly greeting: string }) {
  const { talk, turns, refusal, begin, onSent } = useTalk()
  const end = useRef<HTMLDivElement>(null)
  const length = turns.length
  const latest = turns.at(-1)?.state
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was added or answered is scrolled to
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' }) // some browsers give a promise, which is no way to clean up
  }, [length, latest])
  return (
    <div className="talk">
      <div className="said-so-far">
        {greeting ? <Prose text={greeting} /> : null}
        <div role="log" aria-live="polite" aria-label={words.conversation}>
          {length > 0 ? (
            <ol>
              {turns.map((turn, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a turn is its place
                <TurnView key={index} turn={turn} />
              ))}
            </ol>
          ) : null}
        </div>
        {refusal ? <Notice refusal={refusal} /> : null}
      </div>
      <div className="dock">
        <Composer talk={talk} onSent={onSent} />
        {length > 0 ? <Actions talk={talk} onLeft={begin} /> : null}
      </div>
      <div ref={end} />
    </div>
  )
}

/** Leave the conversation, take it along, or delete it with all that was kept of it. */
function Actions({ talk, onLeft }: { readonly talk: string; readonly onLeft: () => void }) {
  const sure = useRef<HTMLDialogElement>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const attempt = (what: () => Promise<void>) => {
    setRefusal(null)
    what().catch((thrown) => setRefusal(asRefusal(thrown)))
  }
  const remove = () =>
    attempt(async () => {
      sure.current?.close()
      await deleteTalk(talk)
      onLeft()
    })
  return (
    <div className="actions">
      {refusal ? <Notice refusal={refusal} /> : null}
      <div className="row start">
        <button type="button" className="quiet" onClick={onLeft}>
          {words.new_talk}
        </button>
        <button type="button" className="quiet" onClick={() => attempt(() => download(talk))}>
          {words.download}
        </button>
        <button type="button" className="quiet" onClick={() => sure.current?.showModal()}>
          {words.delete}
        </button>
      </div>
      <dialog ref={sure} aria-labelledby="sure">
        <p id="sure" className="heading">
          {words.delete_sure}
        </p>
        <div className="row end">
          <button type="button" onClick={() => sure.current?.close()}>
            {words.cancel}
          </button>
          <button type="button" className="danger" onClick={remove}>
            {words.delete_yes}
          </button>
        </div>
      </dialog>
    </div>
  )
}

async function download(talk: string): Promise<void> {
  const text = JSON.stringify(await exportTalk(talk), null, 2)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.download = 'conversation.json'
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

const TURN_CLASSES = { failed: 'failed', waiting: 'busy waits', working: 'busy' } as const

function TurnView({ turn }: { readonly turn: Turn }) {
  return (
    <li>
      <div className="said">
        <span className="unseen">{words.you}: </span>
        <span className="plain">{turn.text}</span>
      </div>
      <div className="replied">
        <span className="unseen">{words.reply}: </span>
        {turn.state === 'done' || turn.answer ? <Prose text={turn.answer ?? words.no_result} /> : null}
        {turn.state === 'done' ? null : <p className={TURN_CLASSES[turn.state]}>{words[turn.state]}</p>}
      </div>
    </li>
  )
}

function Composer({ talk, onSent }: { readonly talk: string; readonly onSent: () => void }) {
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const key = useRef(newKey())
  const send = async () => {
    if (busy || !text.trim()) return
    setBusy(true)
    setRefusal(null)
    try {
      await sendMessage(key.current, talk, text)
      key.current = newKey()
      setText('')
      onSent()
    } catch (thrown) {
      setRefusal(asRefusal(thrown))
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }
  return (
    <form className="composer" onSubmit={submit}>
      {refusal ? <Notice refusal={refusal} /> : null}
      <label htmlFor="message" className="unseen">
        {words.message}
      </label>
      <textarea
        id="message"
        rows={2}
        value={text}
        placeholder={words.write}
        aria-describedby="message-keys"
        onKeyDown={press}
        onChange={(event) => {
          key.current = newKey()
          setText(event.target.value)
        }}
      />
      <div className="row">
        <p className="hint" id="message-keys">
          {words.keys}
        </p>
        <button type="submit" className="primary" aria-disabled={busy || !text.trim() || undefined}>
          {busy ? words.sending : words.send}
        </button>
      </div>
    </form>
  )
}
