/** What became of a form that was sent: that it goes on, that somebody looks at it, what was answered. */
import { Fragment, useEffect, useRef } from 'react'
import { getVisit, type Visit } from './client'
import { Notice } from './Notice'
import { Prose } from './Prose'
import { SELDOM_MS, usePolled } from './polling'
import { words } from './words'

function pause({ state }: Visit, wait: number): number | null {
  if (state === 'working') return wait
  return state === 'waiting' ? SELDOM_MS : null
}

export function Outcome({ visit, onAgain }: { readonly visit: string; readonly onAgain: () => void }) {
  const { value, refusal } = usePolled(visit, getVisit, pause)
  const state = value?.state ?? 'working'
  const over = state === 'done' || state === 'failed'
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    place.current?.focus()
  }, [])
  return (
    <section ref={place} tabIndex={-1} className="outcome" aria-label={words.result}>
      <div role="status">
        <State state={state} />
      </div>
      {value && (state === 'done' || value.answers.length) ? <Answer visit={value} /> : null}
      {refusal && !over ? <Notice refusal={refusal} /> : null}
      {over || refusal ? (
        <button type="button" onClick={onAgain}>
          {state === 'failed' ? words.retry : words.again}
        </button>
      ) : null}
    </section>
  )
}

const CLASSES = { done: 'heading done', waiting: 'busy waits', working: 'busy' } as const

function State({ state }: { readonly state: Visit['state'] }) {
  if (state === 'failed')
    return (
      <>
        <p className="heading failed">{words.failed}</p>
        <p>{words.failed_hint}</p>
      </>
    )
  return <p className={CLASSES[state]}>{words[state]}</p>
}

function Answer({ visit }: { readonly visit: Visit }) {
  const outputs = Object.entries(visit.outputs ?? {})
  if (outputs.length === 0 && visit.answers.length === 0) return <p>{words.no_result}</p>
  return (
    <div className="answer" aria-live="polite">
      {visit.answers.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an answer is its place
        <Prose key={index} text={text} />
      ))}
      {outputs.map(([name, value]) => (
        <div key={name} className="output">
          {outputs.length > 1 ? <h2>{labelOf(name)}</h2> : null}
          <Value value={value} />
        </div>
      ))}
    </div>
  )
}

/** The name of an output or a member as a person reads it. */
function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object'
const isFlat = (value: unknown): value is Readonly<Record<string, unknown>> =>
  !isPlain(value) && !Array.isArray(value) && Object.values(value as object).every(isPlain)

function plain(value: unknown): string {
  if (typeof value === 'boolean') return value ? words.yes : words.no
  return String(value ?? '–')
}

function Value({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <Prose text={value} />
  if (isPlain(value)) return <p>{plain(value)}</p>
  if (isFlat(value))
    return (
      <dl>
        {Object.entries(value).map(([name, inner]) => (
          <Fragment key={name}>
            <dt>{labelOf(name)}</dt>
            <dd>{plain(inner)}</dd>
          </Fragment>
        ))}
      </dl>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <pre tabIndex={0}>
      <code>{JSON.stringify(value, null, 2)}</code>
    </pre>
  )
}
