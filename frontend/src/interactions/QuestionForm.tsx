/**
 * A question that a run asks, with everything needed to answer it: why it is asked, what exactly would be done, the
 * values to give or to change, and the answers. One form for the inbox, the dock and the phone; `place` decides only how
 * densely it is set.
 *
 * An answer is shown as given once the server took it, never before. Somebody else's quicker answer is told kindly and
 * shown as the one that counts.
 */

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import type { Answer, Interaction } from '@/api/run-types'
import { useAnswer } from '@/api/runs'
import { useT } from '@/i18n'
import { Callout, ErrorBox } from '@/ui'
import './interactions.css'
import { AnsweredNote } from './AnsweredNote'
import { ApprovalAnswers, ApprovalBody } from './approval'
import { ClientCallBody } from './client-call'
import { fieldErrors } from './field-errors'
import { FormAnswers, FormBody } from './form'
import { MismatchBody } from './mismatch'
import { RecoveryAnswers, RecoveryBody } from './recovery'
import { SignInAnswers, SignInBody } from './sign-in'

export type Place = 'page' | 'dock'

/** What the bodies and answers of all kinds share. */
export interface Asking {
  readonly question: Interaction
  readonly place: Place
  /** The values as edited; starts as the proposal. */
  readonly values: unknown
  readonly setValues: (values: unknown) => void
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** Which answer is on its way. */
  readonly sending: Answer['action'] | null
  /** Why answering is not possible. */
  readonly blocked: string | undefined
  readonly answer: (answer: Answer) => void
  /** What was said before the call, where the caller knows it. */
  readonly said?: ReactNode
}

export interface QuestionFormProps {
  readonly question: Interaction
  readonly place?: Place
  readonly onAnswered?: (answer: Answer) => void
  readonly said?: ReactNode
  /** The values that it begins with, where they were edited before. */
  readonly first?: unknown
  /** Hears the values as they are edited. */
  readonly onValues?: (values: unknown) => void
}

export function QuestionForm({
  question,
  place = 'page',
  onAnswered,
  said,
  first,
  onValues,
}: QuestionFormProps) {
  const t = useT()
  const may = useMay('editor')
  const send = useAnswer()
  const [values, setValues] = useState<unknown>(() => first ?? initialValues(question))
  const [sentAnswer, setSentAnswer] = useState<Answer | null>(null)
  const { reset } = send
  const shownId = useRef(question.id)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question starts from its own proposal
  useEffect(() => {
    if (shownId.current === question.id) return
    shownId.current = question.id
    setValues(initialValues(question))
    setSentAnswer(null)
    reset()
  }, [question.id])
  // Another's yes to other values: what is agreed to next is that, unless it is changed again.
  const agreed = JSON.stringify(question.approval?.given.map(({ by, changed }) => [by, changed]))
  const shown = useRef(agreed)
  useEffect(() => {
    if (shown.current === agreed) return
    shown.current = agreed
    setValues(initialValues(question))
  }, [agreed, question])

  const error = send.error ? asApiError(send.error) : null
  const beaten = error?.code === 'ALREADY_ANSWERED'
  // A second click comes before the page is drawn again.
  const underway = useRef(false)
  const answer = (chosen: Answer) => {
    if (underway.current) return
    underway.current = true
    send.mutate(
      { id: question.id, ...chosen },
      {
        onSuccess: (now) => {
          if (now.state === 'open') return // a yes that is not enough alone
          setSentAnswer(chosen)
          onAnswered?.(chosen)
        },
        onSettled: () => {
          underway.current = false
        },
      },
    )
  }
  const asking: Asking = {
    question,
    place,
    values,
    setValues: (next) => {
      setValues(next)
      onValues?.(next)
    },
    errors: fieldErrors(error?.fields, 'values'),
    sending: send.isPending ? (send.variables?.action ?? null) : null,
    blocked: may ? undefined : t('inbox.viewer'),
    answer,
    said,
  }
  const closed = question.state !== 'open' || sentAnswer !== null || beaten
  const { Body, Answers } = partsOf(question)
  return (
    <div className="question" data-place={place}>
      <div className="question-body">
        {beaten ? (
          <Callout tone="person">
            <p className="font-medium">{t('inbox.already')}</p>
            <p className="text-sm text-muted">{t('inbox.already_text')}</p>
          </Callout>
        ) : null}
        {question.state !== 'open' || sentAnswer ? (
          <AnsweredNote question={question} given={sentAnswer} />
        ) : null}
        <Body {...asking} />
        {error && !beaten && Object.keys(error.fields).length === 0 ? <ErrorBox error={error} /> : null}
      </div>
      {closed || question.kind === 'client' ? null : (
        <div className="question-answers">
          <Answers {...asking} />
        </div>
      )}
    </div>
  )
}

/** A recovery proposes nothing: its proposal is the call that was made. Whoever agrees agrees to what others did. */
function initialValues({ kind, proposal, approval }: Interaction): unknown {
  const agreed = approval?.given.at(-1)
  if (agreed?.changed) return agreed.values ?? {}
  return kind === 'recovery' || kind === 'mismatch' ? {} : (proposal ?? {})
}

function partsOf({ kind }: Interaction) {
  if (kind === 'approval') return { Body: ApprovalBody, Answers: ApprovalAnswers }
  if (kind === 'mismatch') return { Body: MismatchBody, Answers: RecoveryAnswers }
  if (kind === 'recovery') return { Body: RecoveryBody, Answers: RecoveryAnswers }
  if (kind === 'client') return { Body: ClientCallBody, Answers: FormAnswers }
  if (kind === 'server') return { Body: SignInBody, Answers: SignInAnswers }
  return { Body: FormBody, Answers: FormAnswers }
}
