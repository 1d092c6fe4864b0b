/** Any value at all, as JSON. What is not JSON yet stays in the box and changes nothing. */
import { useState } from 'react'
import { useForm } from '@/forms/context'
import { same, toPointer } from '@/forms/pointer'
import { brief } from '@/forms/schema/hints'
import { useT } from '@/i18n'
import type { ShapedProps } from './scalars'

export function JsonControl({ shape, id, path, value, name, required, describedBy }: ShapedProps) {
  const t = useT()
  const form = useForm()
  const [draft, setDraft] = useState<{ text: string; value: unknown; problem: string | undefined }>()
  const current = draft && same(draft.value, value)
  const text = current ? draft.text : value === undefined ? '' : JSON.stringify(value, null, 2)
  const problem = current ? draft.problem : undefined
  const change = (next: string) => {
    if (next.trim() === '') {
      setDraft({ text: next, value: undefined, problem: undefined })
      form.update(path, undefined)
      return
    }
    try {
      const parsed: unknown = JSON.parse(next)
      setDraft({ text: next, value: parsed, problem: undefined })
      form.update(path, parsed)
    } catch (error) {
      setDraft({ text: next, value, problem: error instanceof Error ? error.message : String(error) })
    }
  }
  const lines = Math.min(12, Math.max(2, text.split('\n').length))
  return (
    <>
      <textarea
        id={id}
        className="input input-mono form-area"
        rows={lines}
        value={text}
        spellCheck={false}
        disabled={form.disabled}
        placeholder={shape.default === undefined ? t('forms.json') : brief(shape.default)}
        aria-label={path.length === 0 ? name || t('forms.json') : undefined}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem === undefined ? describedBy : `${id}-json`}
        aria-required={required || undefined}
        data-bad={problem !== undefined}
        data-pointer-json={toPointer(path)}
        onChange={(event) => change(event.target.value)}
      />
      {problem === undefined ? null : (
        <p className="field-error" id={`${id}-json`}>
          <span>{t('forms.json_invalid', { reason: problem })}</span>
        </p>
      )}
      {shape.remote === undefined ? null : (
        <p className="field-hint">{t('forms.remote', { ref: shape.remote })}</p>
      )}
    </>
  )
}
