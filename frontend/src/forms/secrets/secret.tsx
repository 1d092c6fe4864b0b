/** Fields for what must not be seen: secrets, and rows of name and value of which some are secrets. */
import { Eye, EyeOff, Lock, LockOpen, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ApiError } from '@/api/client'
import { useT } from '@/i18n'
import { Button, Field, IconButton, TextField, type TextFieldProps } from '@/ui'
import { newPair, type Pair } from './pairs'

/** The sentences of a field; those of its parts (`env.NAME`) too. */
export const fieldError = (fields: ApiError['fields'], name: string): string | undefined => {
  const matchingFields = Object.entries(fields).filter(([key]) => key === name || key.startsWith(`${name}.`))
  if (matchingFields.length === 0) return undefined
  return matchingFields
    .map(([key, texts]) => `${key === name ? '' : `${key.slice(name.length + 1)}: `}${texts.join(' ')}`)
    .join(' · ')
}

/** A secret: hidden while nobody looks, and never filled in by the browser. */
export function SecretField({ ...props }: Omit<TextFieldProps, 'inputType' | 'after' | 'mono'>) {
  const t = useT()
  const [seen, setSeen] = useState(false)
  return (
    <TextField
      {...props}
      mono
      inputType={seen ? 'text' : 'password'}
      autoComplete="new-password"
      after={
        <IconButton
          size="small"
          label={seen ? t('forms.secret_hide') : t('forms.secret_show')}
          aria-pressed={seen}
          onClick={() => setSeen(!seen)}
        >
          {seen ? <EyeOff /> : <Eye />}
        </IconButton>
      }
    />
  )
}

export const KeptSecret = () => {
  const t = useT()
  return (
    <>
      <Lock size={12} aria-hidden /> {t('forms.kept_secret')}
    </>
  )
}

/** Rows of name and value; a lock makes a value a secret. */
export function Pairs({
  label,
  add,
  rows,
  onRows,
  error,
}: {
  readonly label: string
  readonly add: string
  readonly rows: readonly Pair[]
  readonly onRows: (rows: readonly Pair[]) => void
  readonly error: string | undefined
}) {
  const t = useT()
  const change = (id: number, changes: Partial<Pair>) =>
    onRows(rows.map((row) => (row.id === id ? { ...row, ...changes } : row)))
  return (
    <Field label={label} error={error}>
      {() => (
        <div className="grid gap-1">
          {rows.map((row) => (
            <div key={row.id} className="flex items-center gap-2">
              <TextField
                className="w-44 flex-none phone:w-32"
                mono
                aria-label={t('forms.pair_name', { label })}
                value={row.name}
                readOnly={row.kept !== null}
                onChange={(name) => change(row.id, { name })}
              />
              {row.secret ? (
                <SecretField
                  className="flex-1"
                  aria-label={t('forms.pair_value', { name: row.name || label })}
                  value={row.value}
                  placeholder={row.kept ? t('forms.kept_as', { hint: row.kept }) : ''}
                  onChange={(value) => change(row.id, { value })}
                />
              ) : (
                <TextField
                  className="flex-1"
                  mono
                  aria-label={t('forms.pair_value', { name: row.name || label })}
                  value={row.value}
                  onChange={(value) => change(row.id, { value })}
                />
              )}
              <IconButton
                label={row.secret ? t('forms.pair_secret') : t('forms.pair_plain')}
                aria-pressed={row.secret}
                disabled={row.kept !== null}
                onClick={() => change(row.id, { secret: !row.secret })}
              >
                {row.secret ? <Lock /> : <LockOpen />}
              </IconButton>
              <IconButton
                label={t('forms.pair_remove', { name: row.name || label })}
                onClick={() => onRows(rows.filter((pair) => pair.id !== row.id))}
              >
                <Trash2 />
              </IconButton>
            </div>
          ))}
          <div>
            <Button icon={<Plus />} onClick={() => onRows([...rows, newPair()])}>
              {add}
            </Button>
          </div>
        </div>
      )}
    </Field>
  )
}
