/** A call of a tool that the run's front end declared: it alone answers, so there is nothing to press. */
import { useT } from '@/i18n'
import { Callout, CodeBlock, visible } from '@/ui'
import { Part } from './approval'
import type { Asking } from './QuestionForm'

export function ClientCallBody({ question }: Asking) {
  const t = useT()
  return (
    <>
      <Callout tone="waiting">{t('inbox.client_waits')}</Callout>
      {question.message ? <p className="text-sm">{visible(question.message)}</p> : null}
      <Part title={t('inbox.the_call')}>
        <CodeBlock
          code={`${visible(question.title)} ${JSON.stringify(question.proposal ?? {}, null, 2)}`}
          label={t('inbox.the_call')}
        />
      </Part>
    </>
  )
}
