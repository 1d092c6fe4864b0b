/** Names and values, a line each: inputs, headers. */
import { Plus, Trash2 } from 'lucide-react'
import { useT } from '@/i18n'
import { Button, Field, IconButton, TextField } from '@/ui'
import { type Row, row } from './draft'

export interface RowWords {
  readonly name: (n: number) => string
  readonly value: (n: number) => string
  readonly remove: (n: number) => string
  readonly add: string
}

export function useInputWords(): RowWords {
  const t = useT()
  return {
    name: (n) => t('triggers.input_name', { n }),
    value: (n) => t('triggers.input_value', { n }),
    remove: (n) => t('triggers.remove_input', { n }),
    add: t('triggers.add_input'),
  }
}

export function useHeaderWords(): RowWords {
  const t = useT()
  return {
    name: (n) => t('triggers.row_header_name', { n }),
    value: (n) => t('triggers.row_header_value', { n }),
    remove: (n) => t('triggers.remove_header', { n }),
    add: t('triggers.add_header'),
  }
}

export function RowsField({
  label,
  hint,
  rows,
  words,
  error,
  errorOf,
  onChange,
}: {
  readonly label?: string
  readonly hint?: string
  readonly rows: readonly Row[]
  readonly words: RowWords
  readonly error?: string | undefined
  /** What is said against the value of this name. */
  readonly errorOf?: (name: string) => string | undefined
  readonly onChange: (rows: readonly Row[]) => void
}) {
  const change = (id: number, change: Partial<Row>) =>
    onChange(rows.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)))
  return (
    <Field label={label} hint={hint} error={error}>
      {() => (
        <div className="grid grid-cols-1 gap-2">
          {rows.map(({ id, name, value }, index) => (
            <div key={id} className="flex items-start gap-2 phone:flex-wrap">
              <TextField
                mono
                aria-label={words.name(index + 1)}
                className="w-36 flex-none phone:w-auto phone:flex-1"
                value={name}
                onChange={(next) => change(id, { name: next })}
              />
              <TextField
                mono
                aria-label={words.value(index + 1)}
                className="min-w-0 flex-1 phone:order-last phone:basis-full"
                value={value}
                error={name ? errorOf?.(name.trim()) : undefined}
                onChange={(next) => change(id, { value: next })}
              />
              <IconButton
                label={words.remove(index + 1)}
                onClick={() => onChange(rows.filter((entry) => entry.id !== id))}
              >
                <Trash2 />
              </IconButton>
            </div>
          ))}
          <div>
            <Button size="small" icon={<Plus aria-hidden />} onClick={() => onChange([...rows, row()])}>
              {words.add}
            </Button>
          </div>
        </div>
      )}
    </Field>
  )
}
