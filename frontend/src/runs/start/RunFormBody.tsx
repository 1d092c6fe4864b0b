/** The form of a run's inputs, and what kept it from starting. */

import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { ApiError } from '@/api/client'
import { problemsIn } from '@/api/runs'
import { useUploading } from '@/files/uploads'
import { SchemaForm } from '@/forms/SchemaForm'
import { useT } from '@/i18n'
import { fieldErrors } from '@/interactions/field-errors'
import { Button, ErrorBox } from '@/ui'
import type { AloneForm } from './alone'
import './start.css'

/** Where the ids of its fields begin. */
const FIELDS = 'run-inputs'

export interface RunFormBodyProps {
  /** What the start node asks for; null where it asks for nothing and something else stands here. */
  readonly schema: Readonly<Record<string, unknown>> | null
  readonly values: unknown
  readonly onChange: (values: unknown) => void
  /** Takes the values of the last run out again; absent where there was none. */
  readonly onReset: (() => void) | undefined
  readonly failure: ApiError | null
  /** Seconds until another start is allowed. */
  readonly wait: number
  readonly onShowProblems: (() => void) | undefined
  readonly busy: boolean
  readonly blocked: string | undefined
  /** Only up to a node. */
  readonly toHere: boolean
  /** Only one node: what it takes from the others is asked for. */
  readonly alone: AloneForm | null
  readonly onSend: () => void
}

export function RunFormBody({
  schema,
  values,
  onChange,
  onReset,
  failure,
  wait,
  onShowProblems,
  busy,
  blocked,
  toHere,
  alone,
  onSend,
}: RunFormBodyProps) {
  const t = useT()
  const uploading = useUploading(FIELDS)
  const box = useRef<HTMLDivElement>(null)
  // The popover gives the focus to what is in it when it opens, which may be before this form is here.
  useEffect(() => {
    const first = box.current?.querySelector<HTMLElement>(
      '.run-form-fields :is(input:not(:disabled, [type="file"]), textarea, select, .file-zone button, [role="textbox"][tabindex="0"])',
    )
    ;(first ?? box.current?.querySelector<HTMLElement>('.run-form-foot button'))?.focus()
  }, [])
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    event.stopPropagation()
    if (!uploading) onSend()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the fields inside have the focus, the key is theirs
    <div ref={box} className="run-form-inside" onKeyDown={sendByKey}>
      <div className="run-form-body">
        {alone && schema ? <p className="text-xs text-muted">{t('runs.alone_hint')}</p> : null}
        {schema ? (
          <>
            {onReset ? (
              <p className="flex items-center gap-2 text-xs text-muted">
                <span className="flex-1">{t('runs.inputs_last')}</span>
                <Button size="small" variant="quiet" onClick={onReset}>
                  {t('runs.inputs_reset')}
                </Button>
              </p>
            ) : null}
            <div className="run-form-fields">
              <SchemaForm
                schema={schema}
                value={values}
                onChange={onChange}
                errors={fieldErrors(alone ? ofAlone(failure, alone) : failure?.fields, alone ? '' : 'inputs')}
                idPrefix={FIELDS}
                labels="titles"
              />
            </div>
          </>
        ) : (
          <p className="text-muted">{t(alone ? 'runs.alone_none' : 'runs.inputs_none')}</p>
        )}
        <StartFailure error={failure} wait={wait} onShowProblems={onShowProblems} />
      </div>
      <div className="run-form-foot">
        <Button
          variant="primary"
          size="large"
          keys="mod+enter"
          busy={busy}
          blocked={uploading ? t('forms.file_wait') : blocked}
          onClick={onSend}
        >
          {busy
            ? t('runs.starting')
            : t(alone ? 'runs.run_alone' : toHere ? 'runs.run_to_here' : 'runs.start')}
        </Button>
      </div>
    </div>
  )
}

/** The refusals at the fields of a node's own form, where inputs and outputs stand by node. */
function ofAlone(failure: ApiError | null, { start }: AloneForm): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(failure?.fields ?? {}).map(([name, sentences]) => [
      name.replace(/^inputs(?=\.|\[|$)/, start ?? '').replace(/^outputs\./, ''),
      sentences,
    ]),
  )
}

function StartFailure({
  error,
  wait,
  onShowProblems,
}: {
  error: ApiError | null
  wait: number
  onShowProblems: (() => void) | undefined
}) {
  const t = useT()
  if (!error) return null
  if (error.code === 'RATE_LIMITED') {
    return wait > 0 ? (
      <ErrorBox
        error={{ code: error.code, message: error.message, hint: t('runs.rate_limited', { n: wait }) }}
        tone="waiting"
      />
    ) : null
  }
  if (Object.keys(error.fields).length > 0) {
    return (
      <p className="field-error" role="alert">
        {error.message}
      </p>
    )
  }
  const problems = problemsIn(error)
  return (
    <ErrorBox
      error={error}
      actions={
        problems.length > 0 && onShowProblems ? (
          <Button size="small" onClick={onShowProblems}>
            {t('runs.show_problems')}
          </Button>
        ) : null
      }
    >
      {problems.length > 0 ? (
        <ul className="text-sm list-disc pl-4">
          {problems.slice(0, 5).map((problem) => (
            <li key={`${problem.node} ${problem.code} ${problem.message}`}>{problem.message}</li>
          ))}
        </ul>
      ) : null}
    </ErrorBox>
  )
}
