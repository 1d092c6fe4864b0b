/** A log that holds other calls than this version asks for: the evidence side by side, before anything is done. */

import type { RecordedCall } from '@/api/run-types'
import { useT } from '@/i18n'
import { Callout, CodeBlock, dateTime, RelativeTime, visible } from '@/ui'
import { Part } from './approval'
import { toolName } from './kinds'
import type { Asking } from './QuestionForm'
import { ResultField } from './recovery'

export function MismatchBody({ question, values, setValues }: Asking) {
  const t = useT()
  const { mismatch, proposal } = question
  const current = mismatch?.asked
  const more = mismatch?.more ?? 0
  return (
    <>
      <Callout tone="waiting">
        <p>{question.message || t('inbox.mismatch_text')}</p>
      </Callout>
      {mismatch ? (
        <Part title={t('inbox.mismatch_recorded')}>
          <ul className="grid gap-2">
            {mismatch.recorded.map((recordedCall) => (
              <Recorded
                key={JSON.stringify([
                  recordedCall.path,
                  recordedCall.node,
                  recordedCall.attempt,
                  recordedCall.key,
                ])}
                call={recordedCall}
              />
            ))}
          </ul>
          {more > 0 ? <p className="text-sm text-muted">{t('inbox.mismatch_more', { n: more })}</p> : null}
        </Part>
      ) : null}
      <Part title={t('inbox.mismatch_asked')}>
        {current?.key === '' ? (
          <p>{t('inbox.mismatch_ends')}</p>
        ) : (
          <>
            {mismatch && !current ? <p>{t('inbox.mismatch_same_name')}</p> : null}
            <Call
              label={t('inbox.mismatch_asked')}
              name={current?.key}
              tool={visible(toolName(question.tool)) || visible(current?.target ?? question.title)}
              value={proposal}
            />
          </>
        )}
      </Part>
      <ResultField question={question} values={values} setValues={setValues} />
    </>
  )
}

function Recorded({ call }: { readonly call: RecordedCall }) {
  const t = useT()
  const place = [...call.path.map((frame) => `${frame.node} ${frame.index + 1}`), call.node].join(' / ')
  const end = call.error
    ? t('inbox.mismatch_failed', { code: call.error })
    : t(call.ended ? 'inbox.mismatch_ended' : 'inbox.mismatch_open')
  const by = call.version
    ? t('inbox.mismatch_version', { version: visible(call.version) })
    : t('inbox.mismatch_unversioned')
  return (
    <li className="grid gap-1 min-w-0">
      <Call label={call.key} name={call.key} tool={visible(toolName(call.tool))} value={call.arguments} />
      <p className="text-xs text-muted">
        {visible(place)} · {end} · {by}
      </p>
      {call.at ? (
        <p className="text-xs text-muted">
          {t('inbox.mismatch_begun', { at: dateTime(call.at) })} (<RelativeTime value={call.at} />)
        </p>
      ) : null}
    </li>
  )
}

interface CallProps {
  readonly label: string
  readonly name: string | undefined
  readonly tool: string
  readonly value: unknown
}

function Call({ label, name, tool, value }: CallProps) {
  const written = value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
  const code = [name ? `${visible(name)}:` : '', tool, written].filter(Boolean).join(' ')
  return <CodeBlock code={code} small maxHeight={200} label={label} />
}
