/** What became of a question: the answer that counted, or why there is none. */

import { CircleCheck, CircleDashed } from 'lucide-react'
import type { Answer, AnswerAction, Interaction } from '@/api/run-types'
import { useT } from '@/i18n'
import { RelativeTime } from '@/ui'

const DONE = {
  accept: 'inbox.done_accept',
  decline: 'inbox.done_decline',
  cancel: 'inbox.done_cancel',
  retry: 'inbox.done_retry',
  skip: 'inbox.done_skip',
  fail: 'inbox.done_fail',
} as const satisfies Record<AnswerAction, string>

/** `given` = the answer that this page sent and the server took; the row may not have been read again yet. */
export function AnsweredNote({ question, given }: { question: Interaction; given: Answer | null }) {
  const t = useT()
  const action = given?.action ?? question.answer?.action ?? null
  const answered = given !== null || question.state === 'answered'
  const Icon = answered ? CircleCheck : CircleDashed
  const word = answered
    ? action === null
      ? 'inbox.state_answered'
      : action === 'accept' && question.kind !== 'approval'
        ? 'inbox.done_sent'
        : DONE[action]
    : question.state === 'expired'
      ? 'inbox.state_expired'
      : 'inbox.state_cancelled'
  return (
    <p className="flex flex-wrap items-center gap-2" role="status">
      <span
        className="status"
        data-tone={answered && action !== 'fail' && action !== 'cancel' ? 'ok' : 'idle'}
      >
        <Icon aria-hidden />
        {t(word)}
      </span>
      {question.answered_by ? (
        <span className="text-sm text-muted">{t('inbox.answered_by', { who: question.answered_by })}</span>
      ) : null}
      {question.answered_at ? (
        <span className="text-sm text-muted">
          <RelativeTime value={question.answered_at} />
        </span>
      ) : null}
      {question.answer?.reason ? (
        <span className="text-sm text-muted">“{question.answer.reason}”</span>
      ) : null}
    </p>
  )
}
