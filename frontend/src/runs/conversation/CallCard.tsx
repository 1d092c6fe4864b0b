/** One tool call: as it was asked for, who let it, as it was made, and what came of it. Folded until it matters. */

import { ChevronDown, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useT } from '@/i18n'
import { reasonText } from '@/interactions/kinds'
import type { Question, ToolCall } from '@/live/fold'
import { Content, ErrorFacts, ValueView } from '@/results'
import { brief } from '@/runs/log/event-text'
import { ChildRun } from '@/runs/step/ChildRun'
import { CodeBlock, Diff, duration, ErrorBox, RiskBadge, StatusIcon, StatusWord } from '@/ui'
import { useAnswerer } from './people'
import type { Called } from './turns'
import { useFold } from './unfolded'
import './call.css'

export function CallCard({ called, id, opened }: { called: Called; id: string; opened: boolean }) {
  const t = useT()
  const [open, setOpen] = useFold(id, opened)
  const call = called.calls.at(-1)
  const Chevron = open ? ChevronDown : ChevronRight
  const asks = called.status === 'person'
  return (
    <div className="call" data-tone={asks ? 'person' : undefined}>
      <button type="button" className="call-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <StatusIcon status={called.status} />
        <strong className="call-name">{called.name}</strong>
        <span className="truncate flex-1 text-muted">{brief(called.arguments, 120)}</span>
        {called.calls.length > 1 ? (
          <span className="wf-attempt" data-tip={t('talk.call_again', { n: called.calls.length })}>
            ×{called.calls.length}
          </span>
        ) : null}
        <span
          className={asks ? 'tabular-nums' : 'text-muted tabular-nums'}
          data-tone={asks ? 'person' : undefined}
        >
          {asks ? t('talk.call_waits') : timeOf(call)}
        </span>
        <Chevron aria-hidden />
      </button>
      {open ? (
        <div className="call-body">
          <span className="text-muted">{t('runs.call_in')}</span>
          <div className="grid gap-1 min-w-0">
            <ValueView
              value={called.arguments}
              shape={typeof called.arguments === 'string' ? 'text' : 'json'}
              label={t('runs.call_in')}
              maxHeight={160}
            />
            {called.questions.map((question) => (
              <CallQuestion key={question.id} question={question} called={called} />
            ))}
          </div>
          <span className="text-muted">{t('runs.call_out')}</span>
          <div className="grid gap-1 min-w-0">
            <Outcome called={called} made={call} />
          </div>
        </div>
      ) : null}
    </div>
  )
}

function timeOf(call: ToolCall | undefined): string {
  return call?.ms === null || call?.ms === undefined ? '' : duration(call.ms)
}

function Outcome({ called, made }: { called: Called; made: ToolCall | undefined }): ReactNode {
  const t = useT()
  if (!made) return <Unmade called={called} />
  return (
    <>
      {called.lost ? <p data-tone="waiting">{t('runs.call_no_answer')}</p> : null}
      {made.to === null && !called.lost ? <p className="text-muted">{t('runs.call_running')}</p> : null}
      {made.error ? (
        <ErrorBox error={made.error}>
          <ErrorFacts error={made.error} />
        </ErrorBox>
      ) : made.isError ? (
        <StatusWord status="failed" className="text-sm">
          {t('runs.call_error')}
        </StatusWord>
      ) : null}
      {made.to === null || (made.error && isEmpty(made.content)) ? null : (
        <Content content={made.content} structured={made.structured} />
      )}
      {called.modelText ? (
        <CodeBlock code={called.modelText} small maxHeight={160} label={t('runs.call_out')} />
      ) : null}
      {made.run ? <ChildRun run={made.run} /> : null}
    </>
  )
}

const isEmpty = (content: unknown) =>
  content === undefined || (Array.isArray(content) && content.length === 0)

/** A call that the model wanted and nobody made. */
function Unmade({ called }: { called: Called }) {
  const t = useT()
  if (called.modelText !== null) {
    return (
      <>
        <p className="text-muted">
          {t(called.status === 'skipped' ? 'talk.call_declined_heard' : 'talk.call_refused')}
        </p>
        <CodeBlock code={called.modelText} small maxHeight={160} label={t('runs.call_out')} />
      </>
    )
  }
  return (
    <p className="text-muted">
      {t(
        called.status === 'person'
          ? 'talk.call_waits'
          : called.status === 'client'
            ? 'common.state_client'
            : called.status === 'queued'
              ? 'talk.call_planned'
              : 'talk.call_not_made',
      )}
    </p>
  )
}

/** Who was asked about the call, and what they said. */
function CallQuestion({ question, called }: { question: Question; called: Called }) {
  const t = useT()
  const who = useAnswerer(question)
  const words = () => {
    if (question.state === 'open')
      return t(question.kind === 'client' ? 'common.state_client' : 'talk.question_open')
    if (question.state === 'expired') return t('talk.call_expired')
    if (question.action === 'decline')
      return who ? t('talk.call_declined_by', { who }) : t('talk.call_declined')
    if (question.action === 'accept' && who)
      return t(called.changed ? 'talk.call_changed_by' : 'talk.call_approved_by', { who })
    return who ? t('talk.question_answered', { who }) : t('inbox.state_answered')
  }
  return (
    <div className="grid gap-1">
      <p className="call-asked">
        {question.risk ? (
          <RiskBadge level={question.risk.level} reasons={question.risk.reasons.map(reasonText)} />
        ) : null}
        <span data-tone={question.state === 'open' ? 'person' : undefined}>{words()}</span>
        {question.reason ? <span className="text-muted">“{question.reason}”</span> : null}
      </p>
      {called.changed && question.action === 'accept' ? (
        <Diff
          before={JSON.stringify(question.arguments, null, 2)}
          after={JSON.stringify(called.arguments, null, 2)}
          around={1}
        />
      ) : null}
    </div>
  )
}
