/** Values that a run needs from a person: missing parameters, a form of the workflow, a server's question, more budget. */

import { useState } from 'react'
import { useUploading } from '@/files/uploads'
import { SchemaForm } from '@/forms/SchemaForm'
import { useT } from '@/i18n'
import { Button, visible } from '@/ui'
import { usePhone } from '@/ui/media'
import type { Asking } from './QuestionForm'

/** Where the ids of its fields begin. */
const fieldsOf = (question: Asking['question'], place: string) => `question-${place}-${question.id}`

export function FormBody({ question, place, values, setValues, errors, blocked }: Asking) {
  const open = question.state === 'open'
  return (
    <>
      {question.message ? (
        <p className="whitespace-pre-wrap break-words">{visible(question.message)}</p>
      ) : null}
      {question.schema ? (
        <SchemaForm
          schema={question.schema}
          value={values}
          onChange={setValues}
          errors={errors}
          disabled={!open || blocked !== undefined}
          idPrefix={fieldsOf(question, place)}
          labels="titles"
        />
      ) : null}
    </>
  )
}

export function FormAnswers({ question, place, values, sending, blocked, answer }: Asking) {
  const t = useT()
  const small = usePhone()
  const [leaving, setLeaving] = useState<'decline' | 'cancel' | null>(null)
  const size = small || place === 'page' ? 'large' : 'medium'
  const uploading = useUploading(fieldsOf(question, place))
  const waits = sending !== null ? '' : blocked
  const budget = question.kind === 'budget'
  const leave = (action: 'decline' | 'cancel') => {
    setLeaving(action)
    answer({ action })
  }
  return (
    <div className="question-buttons">
      <Button
        variant="primary"
        size={size}
        className="question-first"
        busy={sending === 'accept'}
        blocked={sending === 'accept' ? undefined : uploading ? t('forms.file_wait') : waits}
        onClick={() => answer({ action: 'accept', values })}
      >
        {t(budget ? 'inbox.budget_more' : 'inbox.send')}
      </Button>
      <Button
        size={size}
        busy={sending === 'decline' && leaving === 'decline'}
        blocked={waits}
        tip={budget ? t('inbox.budget_stop_tip') : undefined}
        onClick={() => leave('decline')}
      >
        {t(budget ? 'inbox.budget_stop' : 'inbox.decline')}
      </Button>
      <span className="flex-1" />
      <Button
        size={size}
        variant="quiet"
        busy={sending === 'cancel' && leaving === 'cancel'}
        blocked={waits}
        onClick={() => leave('cancel')}
      >
        {t('inbox.cancel_run')}
      </Button>
    </div>
  )
}
