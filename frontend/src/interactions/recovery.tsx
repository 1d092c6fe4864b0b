/**
 * A call of which nobody knows whether it happened, a step at which Patchbay itself failed, and the answers to a log that
 * says otherwise. Amber, not red; never "retry" without saying what happens twice.
 */

import { useState } from 'react'
import { useT } from '@/i18n'
import { Button, Callout, CodeBlock, dateTime, RelativeTime, TextArea } from '@/ui'
import { usePhone } from '@/ui/media'
import { Part } from './approval'
import { ofFailure, toolName } from './kinds'
import type { Asking } from './QuestionForm'

export function RecoveryBody({ question, values, setValues }: Asking) {
  const t = useT()
  const tool = toolName(question.tool)
  const title = t(ofFailure(question) ? 'inbox.failed_with' : 'inbox.the_call')
  return (
    <>
      <Callout tone="waiting">
        <p>{question.message || t('inbox.recovery_text')}</p>
      </Callout>
      <Part title={title}>
        <CodeBlock
          code={`${tool ? `${tool} ` : ''}${JSON.stringify(question.proposal ?? {}, null, 2)}`}
          small
          maxHeight={240}
          label={title}
        />
        {question.called_at ? (
          <p className="text-xs text-muted">
            {t('inbox.called_at', { at: dateTime(question.called_at) })} (
            <RelativeTime value={question.called_at} />)
          </p>
        ) : null}
      </Part>
      <ResultField question={question} values={values} setValues={setValues} />
    </>
  )
}

/** What stands in the place of a call's result. */
export function ResultField({
  question,
  values,
  setValues,
}: Pick<Asking, 'question' | 'values' | 'setValues'>) {
  const t = useT()
  if (question.state !== 'open') return null
  const text =
    typeof values === 'object' && values !== null ? (values as { result?: unknown }).result : undefined
  return (
    <TextArea
      label={t(ofFailure(question) ? 'inbox.failed_result' : 'inbox.result')}
      hint={t(question.kind === 'mismatch' ? 'inbox.mismatch_use_hint' : 'inbox.it_happened_hint')}
      mono
      value={typeof text === 'string' ? text : ''}
      onChange={(result) => setValues({ ...(values as object), result })}
    />
  )
}

/** How the answers are called, by what is asked. */
const WORDS = {
  outcome: {
    again: 'inbox.call_again',
    again_hint: 'inbox.call_again_hint',
    use: 'inbox.it_happened',
    use_hint: 'inbox.it_happened_hint',
  },
  failure: {
    again: 'inbox.failed_again',
    again_hint: 'inbox.failed_again_hint',
    use: 'inbox.mismatch_use',
    use_hint: 'inbox.it_happened_hint',
  },
  mismatch: {
    again: 'inbox.mismatch_go_on',
    again_hint: 'inbox.mismatch_go_on_hint',
    use: 'inbox.mismatch_use',
    use_hint: 'inbox.mismatch_use_hint',
  },
} as const

export function RecoveryAnswers({ question, place, values, sending, blocked, answer }: Asking) {
  const t = useT()
  const words = WORDS[ofFailure(question) ? 'failure' : question.kind === 'mismatch' ? 'mismatch' : 'outcome']
  const small = usePhone()
  const [chosen, setChosen] = useState<string | null>(null)
  const size = small || place === 'page' ? 'large' : 'medium'
  const waits = sending !== null ? '' : blocked
  const result =
    typeof values === 'object' && values !== null ? (values as { result?: unknown }).result : undefined
  const give = (action: 'retry' | 'skip' | 'fail') => {
    setChosen(action)
    answer(
      action === 'skip'
        ? { action, values: { result: typeof result === 'string' ? result : '' } }
        : { action },
    )
  }
  const busy = (action: string) => sending !== null && chosen === action
  return (
    <div className="question-buttons">
      <Button
        size={size}
        tip={t(words.again_hint)}
        busy={busy('retry')}
        blocked={waits}
        onClick={() => give('retry')}
      >
        {t(words.again)}
      </Button>
      <Button
        size={size}
        tip={t(words.use_hint)}
        busy={busy('skip')}
        blocked={waits}
        onClick={() => give('skip')}
      >
        {t(words.use)}
      </Button>
      <Button
        size={size}
        variant="danger"
        tip={t('inbox.fail_hint')}
        busy={busy('fail')}
        blocked={waits}
        onClick={() => give('fail')}
      >
        {t('inbox.fail')}
      </Button>
    </div>
  )
}
