/** The rows of a conversation: a message, a round with its calls, a question, a budget. */

import { Brain, ChevronDown, ChevronRight, Coins, Hand } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { FileRow } from '@/files'
import { useT } from '@/i18n'
import type { LlmCall, Question, Step } from '@/live/fold'
import { Prose } from '@/prose/Prose'
import { ErrorFacts, ValueView } from '@/results'
import { Button, bytes, CopyButton, cost, duration, ErrorBox, number, StatusWord, visible } from '@/ui'
import { CallCard } from './CallCard'
import { useAnswerer } from './people'
import { roundName } from './round-name'
import { useStreamed } from './streamed'
import {
  type MessageTurn,
  type Picture,
  picturesOf,
  type RoundTurn,
  storedOf,
  type Turn,
  textOf,
} from './turns'
import { useFold } from './unfolded'

export interface TurnRowProps {
  readonly turn: Turn
  readonly step: Step
  /** The newest turn, whose calls are unfolded. */
  readonly newest: boolean
}

export const TurnRow = memo(function TurnRow({ turn, step, newest }: TurnRowProps) {
  switch (turn.kind) {
    case 'message':
      return <MessageRow turn={turn} />
    case 'round':
      return <RoundRow turn={turn} step={step} newest={newest} />
    case 'call':
      return (
        <Row label="">
          <CallCard called={turn.called} id={`${turn.id} ${step.id}`} opened={newest} />
        </Row>
      )
    case 'question':
      return <QuestionRow question={turn.question} />
    case 'budget':
      return <BudgetRow turn={turn} />
  }
})

/** A label at the left, what it is about at the right. */
export function Row({ label, sub, children }: { label: ReactNode; sub?: ReactNode; children: ReactNode }) {
  return (
    <div className="talk-row">
      <div className="talk-label">
        {label}
        {sub ? <span>{sub}</span> : null}
      </div>
      <div className="talk-said">{children}</div>
    </div>
  )
}

const ROLES = {
  system: 'talk.system',
  user: 'talk.user',
  assistant: 'talk.assistant',
  tool: 'talk.tool',
  stored: 'talk.earlier',
} as const

/** Shorter messages are shown whole. */
const SHORT = 220

function MessageRow({ turn }: { turn: MessageTurn }) {
  const t = useT()
  const text = textOf(turn.content)
  const long = text.length > SHORT || text.split('\n').length > 3
  const [open, setOpen] = useFold(turn.id, false)
  const stored = storedOf(turn)
  const role = (ROLES as Record<string, (typeof ROLES)[keyof typeof ROLES] | undefined>)[turn.role]
  return (
    <Row label={role ? t(role) : turn.role}>
      {stored ? (
        <>
          <span className="talk-tools">
            <Button size="small" variant="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
              {t('talk.told', { size: bytes(stored.size) })}
            </Button>
          </span>
          {open ? <ValueView value={stored} shape="json" label={t('talk.earlier')} maxHeight={320} /> : null}
        </>
      ) : (
        <>
          <p className={open || !long ? 'talk-plain' : 'talk-plain talk-short'} data-role={turn.role}>
            {text}
          </p>
          {picturesOf(turn.content).map((picture, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a picture is its place in the message
            <PictureView key={index} {...picture} />
          ))}
          {long ? (
            <span className="talk-tools">
              <Button size="small" variant="quiet" onClick={() => setOpen(!open)}>
                {t(open ? 'talk.less' : 'talk.more')}
              </Button>
              {open ? <CopyButton text={text} label={t('talk.copy_text')} /> : null}
            </span>
          ) : null}
        </>
      )}
    </Row>
  )
}

const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/

/** A picture in its own data is shown; one behind an address is only named. */
function PictureView({ mime, file, data, url }: Picture) {
  const t = useT()
  if (file) return <FileRow file={file} />
  if (data !== null && IMAGE.test(mime)) {
    return (
      <img
        className="talk-picture"
        src={`data:${mime};base64,${data}`}
        alt={t('talk.picture', { type: mime })}
      />
    )
  }
  return <p className="text-xs text-muted break-all">{t('talk.picture_address', { url: url ?? mime })}</p>
}

/** Calls shown at once; the others after a click. */
const MOST_CALLS = 20

function RoundRow({ turn, step, newest }: { turn: RoundTurn; step: Step; newest: boolean }) {
  const t = useT()
  const { call, called } = turn
  const text = useStreamed(step, call, 'text')
  const thinks = useStreamed(step, call, 'reasoning') !== ''
  const [all, setAll] = useFold(`${turn.id} all`, false)
  const going = call.to === null && step.endedAt === null
  const shown = all ? called : called.slice(0, MOST_CALLS)
  return (
    <Row label={roundName(call.call, t)} sub={<RoundFacts call={call} />}>
      <Tries turn={turn} />
      <Reasoning turn={turn} step={step} spoken={text !== ''} />
      {text ? (
        <div className="talk-text">
          <Prose text={text} />
          {going ? null : (
            <span className="talk-copy">
              <CopyButton text={text} label={t('talk.copy_text')} />
            </span>
          )}
        </div>
      ) : going && turn.called.length === 0 && !thinks ? (
        <StatusWord status="running" className="text-sm">
          {t('talk.waits_for_model')}
        </StatusWord>
      ) : !going && turn.called.length === 0 && !turn.failed ? (
        <p className="text-muted">{t('talk.says_nothing')}</p>
      ) : null}
      {turn.failed ? <RoundError call={call} /> : null}
      <Finish finish={call.finish} />
      {shown.map((entry, index) => (
        <CallCard
          // biome-ignore lint/suspicious/noArrayIndexKey: a call is its place in the round, and ids may be missing
          key={index}
          called={entry}
          id={`${turn.id} ${index}`}
          opened={entry.status === 'person' || (newest && (entry.status === 'failed' || called.length <= 2))}
        />
      ))}
      {called.length > shown.length ? (
        <Button size="small" variant="quiet" onClick={() => setAll(true)}>
          {t('talk.calls_hidden', { n: called.length - shown.length })}
        </Button>
      ) : null}
    </Row>
  )
}

function RoundError({ call }: { call: LlmCall }) {
  const t = useT()
  if (!call.error) {
    return (
      <StatusWord status="failed" className="text-sm">
        {t('talk.round_failed')}
      </StatusWord>
    )
  }
  return (
    <ErrorBox error={call.error}>
      <ErrorFacts error={call.error} />
    </ErrorBox>
  )
}

function RoundFacts({ call }: { call: LlmCall }) {
  const t = useT()
  const { usage, ms } = call
  const facts = usage
    ? [
        call.model,
        t('talk.tokens_in_out', { input: number(usage.input_tokens), output: number(usage.output_tokens) }),
        usage.cached_tokens ? t('talk.tokens_cached', { n: number(usage.cached_tokens) }) : '',
        usage.reasoning_tokens ? t('talk.tokens_thought', { n: number(usage.reasoning_tokens) }) : '',
        usage.cost > 0 ? cost(usage.cost) : '',
        usage.estimated ? t('talk.estimated') : '',
      ]
        .filter(Boolean)
        .join(' · ')
    : call.model
  const tokens = usage ? usage.input_tokens + usage.output_tokens : 0
  return (
    <span className="talk-facts" data-tip={facts}>
      {ms === null ? null : <span>{duration(ms)}</span>}
      {tokens > 0 ? (
        <span>
          {usage?.estimated ? '≈ ' : ''}
          {t('runs.tokens', { n: tokens })}
        </span>
      ) : null}
      {usage && usage.cost > 0 ? <span>{cost(usage.cost)}</span> : null}
    </span>
  )
}

/** Tries of the round that failed before. */
function Tries({ turn }: { turn: RoundTurn }) {
  const t = useT()
  if (turn.tries.length === 0) return null
  return (
    <ul className="talk-tries">
      {turn.tries.map((call, index) => {
        const wait = turn.retries[index]
        const code = call.error?.code ?? wait?.code ?? ''
        return (
          <li key={call.from} data-tone="waiting">
            {wait?.fallback
              ? t('talk.tried_fallback', { n: index + 1, code, model: wait.fallback })
              : wait
                ? t('talk.tried_wait', { n: index + 1, code, time: duration(wait.delayMs) })
                : t('talk.tried', { n: index + 1, code })}
          </li>
        )
      })}
    </ul>
  )
}

/** What the model thought: folded once it speaks. While it only thinks, its last words show. */
function Reasoning({ turn, step, spoken }: { turn: RoundTurn; step: Step; spoken: boolean }) {
  const t = useT()
  const text = useStreamed(step, turn.call, 'reasoning')
  const [open, setOpen] = useFold(`${turn.id} why`, false)
  if (!text) return null
  const thinks = turn.call.to === null && step.endedAt === null && !spoken
  const Chevron = open ? ChevronDown : ChevronRight
  return (
    <div className="talk-why">
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Chevron aria-hidden />
        <Brain aria-hidden />
        <span>{t(thinks ? 'talk.thinking' : 'talk.reasoning')}</span>
        {thinks ? <span className="dot dot-pulse" data-tone="running" aria-hidden /> : null}
      </button>
      {open ? (
        <p className="talk-plain">{text}</p>
      ) : thinks ? (
        <p className="talk-last">
          <span>{text.slice(-240)}</span>
        </p>
      ) : null}
    </div>
  )
}

/** Ends of an answer that are none. */
const FINISHES: Readonly<
  Record<string, 'talk.finish_length' | 'talk.finish_filter' | 'talk.finish_refusal' | undefined>
> = {
  length: 'talk.finish_length',
  content_filter: 'talk.finish_filter',
  refusal: 'talk.finish_refusal',
}

function Finish({ finish }: { finish: string | null }) {
  const t = useT()
  const word = finish === null ? undefined : FINISHES[finish]
  if (!word) return null
  return (
    <p className="text-sm" data-tone="waiting">
      {t(word)}
    </p>
  )
}

/** A question that is about no call: a budget, missing values. */
function QuestionRow({ question }: { question: Question }) {
  const t = useT()
  return (
    <Row label={t('talk.asked_by')}>
      {question.title ? <p className="font-medium">{visible(question.title)}</p> : null}
      {question.message ? <p className="talk-plain text-muted">{visible(question.message)}</p> : null}
      <QuestionLine question={question} />
    </Row>
  )
}

/** What became of a question, in a line. */
export function QuestionLine({ question }: { question: Question }) {
  const t = useT()
  const who = useAnswerer(question)
  const words = () => {
    if (question.state === 'open') return t('talk.question_open')
    if (question.state === 'expired') return t('talk.call_expired')
    if (question.action === 'decline')
      return who ? t('talk.call_declined_by', { who }) : t('talk.call_declined')
    if (question.kind === 'approval' && question.action === 'accept' && who)
      return t('talk.call_approved_by', { who })
    return who ? t('talk.question_answered', { who }) : t('inbox.state_answered')
  }
  return (
    <p className="call-asked" data-tone={question.state === 'open' ? 'person' : undefined}>
      <Hand aria-hidden className="size-3.5" />
      {words()}
      {question.reason ? <span className="text-muted">“{question.reason}”</span> : null}
    </p>
  )
}

const BUDGETS = {
  tokens: 'talk.budget_tokens',
  cost: 'talk.budget_cost',
  seconds: 'talk.budget_seconds',
  tool_calls: 'talk.budget_tool_calls',
} as const

function BudgetRow({ turn }: { turn: Extract<Turn, { kind: 'budget' }> }) {
  const t = useT()
  const { budget, limit, used } = turn.hit
  const word = (BUDGETS as Record<string, (typeof BUDGETS)[keyof typeof BUDGETS] | undefined>)[budget]
  const text = (value: number | null) =>
    value === null
      ? '–'
      : budget === 'cost'
        ? cost(value)
        : budget === 'seconds'
          ? duration(value * 1000)
          : number(value)
  return (
    <Row label="">
      <p className="call-asked" data-tone="waiting">
        <Coins aria-hidden className="size-3.5" />
        {word ? t(word, { used: text(used), limit: text(limit) }) : t('talk.budget_other')}
      </p>
    </Row>
  )
}
