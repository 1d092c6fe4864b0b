/**
 * The questions of one outage as one card: what was called how often, and one answer for all of it or for the parts that
 * are ticked. What became of each is said; those that could not be answered stay, with the reason.
 */

import { ChevronLeft, History } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { asApiError } from '@/api/client'
import { type Answered, type ManyAnswers, type Outage, type OutagePart, useAnswerMany } from '@/api/outages'
import { useMay } from '@/api/queries'
import { listOf, useT } from '@/i18n'
import {
  Button,
  Callout,
  Checkbox,
  Chip,
  clock,
  cx,
  dateTime,
  ErrorBox,
  IconButton,
  RelativeTime,
  TextArea,
  visible,
} from '@/ui'
import '@/interactions/interactions.css'

/** In the list. */
export function OutageItem({ outage, selected }: { outage: Outage; selected: boolean }) {
  const t = useT()
  return (
    <Link
      href={`/inbox/${outage.id}`}
      className={cx('inbox-item', selected && 'inbox-selected')}
      aria-current={selected || undefined}
    >
      <span data-tone="waiting" className="flex pt-px">
        <History aria-hidden className="size-4" />
      </span>
      <span className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] gap-0.5">
        <span className="flex items-baseline gap-2">
          <span className="flex-1 truncate font-medium" data-tip={t('inbox.outage', { n: outage.count })}>
            {t('inbox.outage', { n: outage.count })}
          </span>
          <span className="text-xs text-muted whitespace-nowrap">
            <RelativeTime value={outage.last_at} />
          </span>
        </span>
        <span className="truncate text-sm text-muted">
          {listOf([...new Set(outage.parts.map((part) => visible(part.workflow_name)))])}
        </span>
        <span className="flex gap-1 pt-0.5">
          <Chip>{t('inbox.kind_recovery')}</Chip>
        </span>
      </span>
    </Link>
  )
}

interface OpenedProps {
  readonly outage: Outage
  readonly onBack?: () => void
  readonly bodyRef: React.RefObject<HTMLDivElement | null>
}

export function OpenedOutage({ outage, onBack, bodyRef }: OpenedProps) {
  const t = useT()
  const may = useMay('editor')
  const send = useAnswerMany()
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [result, setResult] = useState('')
  const chosen = outage.parts.filter((part) => !left.has(keyOf(part)))
  const ids = chosen.flatMap((part) => part.questions.map((question) => question.id))
  const blocked = !may ? t('inbox.viewer') : ids.length === 0 ? t('inbox.outage_none') : undefined
  const button = (action: ManyAnswers['action']) => ({
    size: 'large' as const,
    busy: send.isPending && send.variables?.action === action,
    blocked: send.isPending ? '' : blocked,
    onClick: () => send.mutate({ ids, action, ...(action === 'skip' && { values: { result } }) }),
  })
  return (
    <section
      className="flex h-full min-h-0 flex-col bg-surface"
      aria-label={t('inbox.outage', { n: outage.count })}
    >
      <header className="flex min-h-13 flex-none items-center gap-2 border-b border-line px-4 phone:pl-2">
        {onBack ? (
          <IconButton label={t('inbox.back')} onClick={onBack}>
            <ChevronLeft />
          </IconButton>
        ) : null}
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-lg font-semibold">{t('inbox.outage', { n: outage.count })}</h2>
          <p className="truncate text-sm text-muted">
            <RelativeTime value={outage.first_at} />
          </p>
        </div>
      </header>
      <div ref={bodyRef} className="min-h-0 flex-1">
        <div className="question" data-place="page">
          <div className="question-body">
            <Callout tone="waiting">{t('inbox.outage_text')}</Callout>
            {send.error ? <ErrorBox error={asApiError(send.error)} /> : null}
            {send.data ? <Results results={send.data} /> : null}
            <ul className="grid gap-3">
              {outage.parts.map((part) => (
                <li key={keyOf(part)}>
                  <Part
                    part={part}
                    ticked={!left.has(keyOf(part))}
                    onTick={(ticked) => setLeft(without(left, keyOf(part), ticked))}
                  />
                </li>
              ))}
            </ul>
            <TextArea
              label={t('inbox.result')}
              hint={t('inbox.outage_result_hint')}
              mono
              value={result}
              onChange={setResult}
            />
          </div>
          <div className="question-answers">
            <div className="question-buttons">
              <Button tip={t('inbox.call_again_hint')} {...button('retry')}>
                {t('inbox.outage_again', { n: ids.length })}
              </Button>
              <Button tip={t('inbox.it_happened_hint')} {...button('skip')}>
                {t('inbox.outage_happened', { n: ids.length })}
              </Button>
              <Button tip={t('inbox.fail_hint')} variant="danger" {...button('fail')}>
                {t('inbox.outage_fail', { n: ids.length })}
              </Button>
            </div>
          </div>
        </div>
      </div>
    </section>
  )
}

interface PartProps {
  readonly part: OutagePart
  readonly ticked: boolean
  readonly onTick: (ticked: boolean) => void
}

function Part({ part, ticked, onTick }: PartProps) {
  const t = useT()
  return (
    <div className="grid gap-1 rounded-md border border-line p-3">
      <Checkbox
        label={`${calledIn(part)} · ${visible(part.workflow_name)} (${part.count})`}
        checked={ticked}
        onChange={onTick}
      />
      {part.message ? <p className="text-sm text-muted">{part.message}</p> : null}
      <details className="text-sm">
        <summary>{t('inbox.outage_each')}</summary>
        <ul className="pt-1">
          {part.questions.map((question) => (
            <li key={question.id}>
              <Link href={`/inbox/${question.id}`} className="outage-call">
                <span className="outage-step">{visible(question.node_title) || question.run}</span>
                <span className="outage-given" data-tip={visible(question.arguments)}>
                  {visible(question.arguments) || t('inbox.outage_nothing_given')}
                </span>
                <time dateTime={when(question)} data-tip={dateTime(when(question))} className="outage-time">
                  {clock(when(question))}
                </time>
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}

/** When the call was made; when it was asked about, where the log does not hold the call any more. */
const when = (question: OutagePart['questions'][number]): string => question.called_at ?? question.created_at

/** How many were answered, and why the others were not. */
function Results({ results }: { readonly results: readonly Answered[] }) {
  const t = useT()
  const failed = results.filter((result) => !result.answered)
  const reasons = new Map<string, number>()
  for (const { error } of failed) {
    const why = (error as { message?: string } | null)?.message ?? ''
    reasons.set(why, (reasons.get(why) ?? 0) + 1)
  }
  return (
    <div role="status" className="grid gap-1 text-sm">
      <p>{t('inbox.outage_answered', { n: results.length - failed.length })}</p>
      {[...reasons].map(([why, n]) => (
        <p key={why} className="text-waiting">
          {t('inbox.outage_not_answered', { n, why })}
        </p>
      ))}
    </div>
  )
}

/** A part goes on under its name while its questions are answered one by one. */
const keyOf = (part: OutagePart) =>
  [part.workflow, part.server, part.tool, part.title, part.message].join('\n')

/** `server/tool`, else what the question is called. */
const calledIn = (part: OutagePart) =>
  visible(part.tool ? [part.server, part.tool].filter(Boolean).join('/') : part.title)

function without(left: ReadonlySet<string>, key: string, ticked: boolean): ReadonlySet<string> {
  const next = new Set(left)
  if (ticked) next.delete(key)
  else next.add(key)
  return next
}
