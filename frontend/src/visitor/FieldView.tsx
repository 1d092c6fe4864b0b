/** One field of the form: its label, its control, its hint, and what is wrong with it. */
import type { Field } from './fields'
import { words } from './words'

interface FieldProps {
  readonly field: Field
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
  readonly onChoose: (files: readonly File[]) => void
}

const INPUT_TYPES: Readonly<Record<string, string>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  time: 'time',
}

export const fieldId = (name: string) => `field-${name}`

export function FieldView(props: FieldProps) {
  const { field, problem } = props
  const id = fieldId(field.name)
  const hint = [field.hint, field.kind === 'json' ? words.json_hint : ''].filter(Boolean).join(' ')
  return (
    <div className="field" data-kind={field.kind}>
      {field.kind === 'switch' ? null : (
        <label htmlFor={id}>
          {field.label}
          {field.required ? null : <span className="faint"> {words.optional}</span>}
        </label>
      )}
      <Control {...props} />
      {hint ? (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
      {problem ? (
        <p className="problem" id={`${id}-problem`}>
          {problem}
        </p>
      ) : null}
    </div>
  )
}

function Control({ field, value, problem, onChange, onChoose }: FieldProps) {
  const id = fieldId(field.name)
  const describedBy = [
    field.hint || field.kind === 'json' ? `${id}-hint` : '',
    problem ? `${id}-problem` : '',
  ].filter(Boolean)
  const marks = {
    id,
    'aria-required': field.required || undefined,
    'aria-invalid': problem ? true : undefined,
    'aria-describedby': describedBy.length ? describedBy.join(' ') : undefined,
  } as const
  const shared = { ...marks, value }
  switch (field.kind) {
    case 'file':
    case 'files':
      return (
        <input
          {...marks}
          type="file"
          accept={field.accept || undefined}
          multiple={field.kind === 'files'}
          onChange={(event) => onChoose([...(event.target.files ?? [])])}
        />
      )
    case 'switch':
      return (
        <label className="switch">
          <input
            id={id}
            type="checkbox"
            checked={value === 'true'}
            aria-describedby={marks['aria-describedby']}
            onChange={(event) => onChange(String(event.target.checked))}
          />
          <span>{field.label}</span>
        </label>
      )
    case 'choice':
      return (
        <select {...shared} onChange={(event) => onChange(event.target.value)}>
          <option value="">–</option>
          {field.options.map(({ label }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an option is its place, which is what is sent
            <option key={index} value={String(index)}>
              {label}
            </option>
          ))}
        </select>
      )
    case 'lines':
    case 'list':
    case 'json':
      return (
        <textarea
          {...shared}
          rows={4}
          className={field.kind === 'json' ? 'mono' : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
      )
    default:
      return (
        <input
          {...shared}
          type={INPUT_TYPES[field.format] ?? 'text'}
          inputMode={field.kind === 'number' ? 'decimal' : field.kind === 'integer' ? 'numeric' : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
      )
  }
}
