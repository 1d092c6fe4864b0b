/** What a code node is made of: the arguments of `main`, its source, and what it gave last. Loaded with the first one. */
import { ShieldCheck } from 'lucide-react'
import { Suspense, useId } from 'react'
import { useT } from '@/i18n'
import { FieldFrame, useFieldErrors, useNodeForm } from '@/inspector/node-form'
import { useLastGood } from '@/inspector/values/last-good'
import { useStepValues } from '@/live/run-store'
import { Skeleton } from '@/ui'
import { NodeRows } from '../Rows'
import { failedLine } from './failed-line'
import './code.css'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'

const PythonEditor = lazily(async () => ({
  default: (await fetchCode(() => import('./PythonEditor'))).PythonEditor,
}))

export function CodeConfig() {
  const t = useT()
  return (
    <>
      <NodeRows
        at="inputs"
        title={t('inspector.code_inputs')}
        hint={t('inspector.code_inputs_hint')}
        add={t('inspector.code_add_input')}
        base="value"
      />
      <Source />
      <Returns />
      <p className="field-hint code-box">
        <ShieldCheck aria-hidden />
        <span>{t('inspector.code_box')}</span>
      </p>
    </>
  )
}

function Source() {
  const t = useT()
  const form = useNodeForm()
  const id = `${useId()}source`
  const { source } = form.node.config
  const text = typeof source === 'string' ? source : ''
  const failed = failedLine(useStepValues(form.node.id), text)
  const problems = useFieldErrors(['source'])
  const errors = failed ? [...problems, failed.message] : problems
  return (
    <FieldFrame label={t('inspector.code_source')} htmlFor={id} type="Python" errors={errors}>
      <Suspense fallback={<Skeleton rows={4} row={20} />}>
        <PythonEditor
          key={form.node.id}
          id={id}
          label={t('inspector.code_source')}
          value={text}
          line={failed?.line ?? null}
          disabled={form.disabled}
          onChange={(next) => form.edit.config(['source'], next)}
        />
      </Suspense>
    </FieldFrame>
  )
}

/** Names and kinds of what it gave in the run that is shown. */
function Returns() {
  const t = useT()
  const output = useLastGood(useNodeForm().node.id)?.output
  if (!output) return null
  return (
    <FieldFrame label={t('inspector.code_returns')} type={t('inspector.code_returns_from')}>
      <ul className="code-returns" aria-label={t('inspector.code_returns')}>
        {Object.entries(output).map(([name, value]) => (
          <li key={name} className="chip chip-mono">
            {name} <span className="text-muted">{kindOf(value)}</span>
          </li>
        ))}
      </ul>
    </FieldFrame>
  )
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
