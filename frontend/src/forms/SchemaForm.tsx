/**
 * A form made from a JSON Schema.
 *
 * In mode `plain` fields hold values; in mode `expression` each may hold a value or an expression over `scope`. Keys
 * that the user leaves unset are never in the value. `errors` are sentences by JSON pointer (from the server, or from
 * `localErrors`); those of the whole value stand above the fields.
 */
import { TriangleAlert } from 'lucide-react'
import { useCallback, useMemo, useRef } from 'react'
import { useT } from '@/i18n'
import { ErrorsContext, type FieldErrors, FormContext, type FormSettings } from './context'
import { EMPTY_SCOPE, type Scope } from './expressions/scope'
import { Control } from './Field'
import { type Path, write } from './pointer'
import { norm } from './schema/schema'
import './forms.css'

export interface SchemaFormProps {
  schema: unknown
  value: unknown
  /** The new value, and the path that was edited (a merge key for the undo history). */
  onChange: (value: unknown, path: Path) => void
  errors?: FieldErrors | undefined
  mode?: 'plain' | 'expression'
  scope?: Scope | undefined
  disabled?: boolean
  idPrefix?: string
  /** What stands at the fields: the schema's keys (tools), or its titles where it has some (forms for people). */
  labels?: 'names' | 'titles'
  /** In mode `expression`: which fields take one. Node configurations mark theirs with `x-expression`. */
  expressions?: 'all' | 'marked'
}

const NO_ERRORS: FieldErrors = {}
const TOP: Path = []

export function SchemaForm(props: SchemaFormProps) {
  const {
    schema,
    value,
    onChange,
    errors = NO_ERRORS,
    mode = 'plain',
    scope = EMPTY_SCOPE,
    labels = 'names',
  } = props
  const { disabled = false, idPrefix = 'form', expressions = 'all' } = props
  const t = useT()
  const latest = useRef(value)
  latest.current = value
  const tell = useRef(onChange)
  tell.current = onChange
  const update = useCallback((path: Path, next: unknown) => {
    latest.current = write(latest.current, path, next)
    tell.current(latest.current, path)
  }, [])
  const settings = useMemo<FormSettings>(
    () => ({ mode, scope, root: schema, disabled, idPrefix, labels, expressions, update }),
    [mode, scope, schema, disabled, idPrefix, labels, expressions, update],
  )
  const shape = norm(schema, schema)
  const empty = shape.kind === 'object' && shape.fields.length === 0 && shape.extra === null
  return (
    <FormContext value={settings}>
      <ErrorsContext value={errors}>
        <div className="schema-form">
          {(errors[''] ?? []).map((error) => (
            <p key={error} className="field-error" role="alert">
              <TriangleAlert aria-hidden />
              <span>{error}</span>
            </p>
          ))}
          {empty ? (
            <p className="field-hint">{t('forms.no_arguments')}</p>
          ) : (
            <Control schema={schema} path={TOP} value={value} name="" required top />
          )}
        </div>
      </ErrorsContext>
    </FormContext>
  )
}
