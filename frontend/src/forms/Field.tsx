/** One field: its label, whether it holds a value or an expression, its control, what is wrong and what it is for. */
import { TriangleAlert, X } from 'lucide-react'
import { memo, type ReactNode, Suspense, useContext, useMemo, useRef, useState } from 'react'
import { useT } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { Button, cx, FixesContext, IconButton, RequiredMark, Segmented } from '@/ui'
import { type FormSettings, useErrors, useErrorsBelow, useForm } from './context'
import { ArrayControl, TupleControl } from './controls/ArrayControl'
import { JsonControl } from './controls/JsonControl'
import { ObjectControl } from './controls/ObjectControl'
import { BooleanControl, EnumControl, isLong, NumberControl, TextControl } from './controls/scalars'
import { UnionControl } from './controls/UnionControl'
import { useValueDrop } from './expressions/dragging'
import { isTemplate } from './expressions/expression'
import { useInsertTarget } from './expressions/insert'
import { suits } from './expressions/Preview'
import { TemplateInput } from './expressions/TemplateInput'
import { type Key, type Path, same, toPointer } from './pointer'
import { useConstraints } from './schema/hints'
import { type Kind, norm, type Shape, startValue } from './schema/schema'

const FileControl = lazily(async () => ({
  default: (await fetchCode(() => import('./controls/FileControl'))).FileControl,
}))

export interface FieldProps {
  schema: unknown
  parent: Path
  name: Key
  value: unknown
  required: boolean
  /** What is written at it, when it is not its key. */
  label?: string
  /** Small buttons of the list it stands in. */
  aside?: React.ReactNode
}

export interface ControlProps {
  schema: unknown
  path: Path
  value: unknown
  /** The label, for what is read aloud. */
  name: string
  required: boolean
  /** The form's own value: nothing around it, always open. */
  top?: boolean
  describedBy?: string | undefined
  /** The caret stands here after the field changed its kind of input. */
  caret?: number | undefined
}

/** Between a description and its limits: a point where no sentence has ended. */
function between(description: string | undefined): string {
  if (/[.!?]$/.test(description ?? '')) return ' '
  return /[。！？]$/.test(description ?? '') ? '' : '\u00a0· '
}

/** Whether a field fits into half of the form's width. */
function isCompact(shape: Shape): boolean {
  return (
    shape.kind === 'number' ||
    shape.kind === 'integer' ||
    (shape.kind === 'enum' && shape.options.length <= 100)
  )
}

export const Field = memo(function Field({
  schema,
  parent,
  name,
  value,
  required,
  label,
  aside,
}: FieldProps) {
  const t = useT()
  const form = useForm()
  const path = useMemo(() => [...parent, name], [parent, name])
  const pointer = toPointer(path)
  const shape = norm(schema, form.root)
  const errors = useErrors(pointer)
  const below = useErrorsBelow(pointer)
  const hints = useConstraints(shape)
  const id = `${form.idPrefix}${pointer}`
  const shown = label ?? (form.labels === 'titles' && shape.title ? shape.title : String(name))
  const mode = useFieldMode(shape, path, value)
  const insert = (text: string) => form.update(path, inserted(shape, value, text))
  const onFocus = useInsertTarget(shown, insert)

  const holder =
    shape.kind === 'object' || shape.kind === 'array' || shape.kind === 'tuple' || shape.kind === 'union'
  const collapsed = !mode.expression && value === undefined && holder && !(required && path.length < 4)
  const unsettable =
    !required && value !== undefined && !form.disabled && (holder || ['boolean', 'any'].includes(shape.kind))
  const describedBy =
    cx(errors.length > 0 && `${id}-error`, (hints || shape.description) && `${id}-hint`) || undefined
  const expressive = takesExpressions(form, shape)
  const drop = useValueDrop(expressive && !form.disabled, insert)
  // A form for people says with its control what it wants.
  const typed = form.labels === 'names'
  const longTitle = shape.title && shape.title !== shown ? shape.title : undefined
  const inlineBoolean = shape.kind === 'boolean' && !mode.expression
  const control = { schema, path, value, name: shown, required, describedBy, caret: mode.caret }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a place to drop values; the keyboard's way is Enter in the input tree
    <div
      className={cx(
        'field form-field',
        isCompact(shape) && !mode.expression && 'form-compact',
        drop.dragged && 'form-drop',
      )}
      data-pointer={pointer}
      onFocus={(event) => {
        if (event.target.closest('[data-pointer]') === event.currentTarget) onFocus()
      }}
      {...drop.handlers}
    >
      <div className="field-label">
        {inlineBoolean ? <BooleanControl {...control} /> : null}
        {holder && !mode.expression ? (
          <span className="form-name" title={longTitle}>
            {shown}
          </span>
        ) : (
          <label htmlFor={id} className="form-name" title={longTitle}>
            {shown}
          </label>
        )}
        {typed ? <span className="field-type">{shape.type}</span> : null}
        {required ? <RequiredMark /> : null}
        {shape.deprecated ? <span className="field-type">{t('forms.deprecated')}</span> : null}
        <FieldAside
          shown={shown}
          onUnset={unsettable ? () => form.update(path, undefined) : undefined}
          mode={expressive && !form.disabled ? mode : undefined}
        >
          {aside}
        </FieldAside>
      </div>
      {mode.expression ? (
        <TemplateInput
          id={id}
          value={mode.text}
          onChange={mode.write}
          label={shown}
          scope={form.scope}
          expected={shape}
          multiline={shape.kind === 'string' && isLong(shape, String(name), value)}
          disabled={form.disabled}
          invalid={errors.length > 0}
          describedBy={describedBy}
          caret={mode.caret}
          {...(shape.placeholder !== undefined && { placeholder: shape.placeholder })}
        />
      ) : collapsed ? (
        <div>
          <Button
            size="small"
            disabled={form.disabled}
            onClick={() => form.update(path, startValue(schema, form.root) ?? blank(shape, form.root))}
          >
            + {t('forms.set', { field: shown })}
          </Button>
        </div>
      ) : inlineBoolean ? null : (
        <Control {...control} />
      )}
      <FieldErrors id={id} errors={errors} hidden={collapsed && below > 0} />
      {hints || shape.description ? (
        <p className="field-hint form-hint" id={`${id}-hint`} title={shape.description}>
          {[shape.description, hints].filter(Boolean).join(between(shape.description))}
        </p>
      ) : null}
      {required && value === undefined && shape.default !== undefined && !form.disabled ? (
        <button type="button" className="link form-link" onClick={() => form.update(path, shape.default)}>
          {t('forms.use_default')}
        </button>
      ) : null}
    </div>
  )
})

interface FieldAsideProps {
  readonly shown: string
  /** Takes the value out again; undefined where that cannot be. */
  readonly onUnset: (() => void) | undefined
  /** The choice between value and expression, where there is one. */
  readonly mode: Pick<ReturnType<typeof useFieldMode>, 'expression' | 'choose'> | undefined
  readonly children: ReactNode
}

/** What stands at the end of a field's label. */
function FieldAside({ shown, onUnset, mode, children }: FieldAsideProps) {
  const t = useT()
  return (
    <span className="form-aside">
      {onUnset ? (
        <IconButton size="small" label={t('forms.unset', { field: shown })} onClick={onUnset}>
          <X aria-hidden />
        </IconButton>
      ) : null}
      {mode ? (
        <span className="form-mode" data-on={mode.expression}>
          <Segmented
            small
            label={t('forms.value_or_expression', { field: shown })}
            value={mode.expression ? 'expression' : 'value'}
            onChange={(next) => mode.choose(next === 'expression')}
            options={[
              { value: 'value', label: t('forms.value') },
              { value: 'expression', label: t('forms.expression') },
            ]}
          />
        </span>
      ) : null}
      {children}
    </span>
  )
}

/** What is wrong with a field, or with what is folded away in it. */
function FieldErrors({ id, errors, hidden }: { id: string; errors: readonly string[]; hidden: boolean }) {
  const t = useT()
  const fix = useContext(FixesContext)
  if (errors.length === 0 && hidden) return <p className="field-error">{t('forms.err_required')}</p>
  return errors.map((error) => (
    <p key={error} className="field-error" id={`${id}-error`}>
      <TriangleAlert aria-hidden />
      <span>
        {error}
        {fix(error)}
      </span>
    </p>
  ))
}

/** The control alone, chosen by the shape. */
export function Control(props: ControlProps) {
  const form = useForm()
  const shape = norm(props.schema, form.root)
  const control = { ...props, shape, id: `${form.idPrefix}${toPointer(props.path)}` }
  switch (shape.kind) {
    case 'string':
      return <TextControl {...control} />
    case 'number':
    case 'integer':
      return <NumberControl {...control} />
    case 'boolean':
      return <BooleanControl {...control} />
    case 'enum':
      return <EnumControl {...control} />
    case 'object':
      return <ObjectControl {...control} />
    case 'array':
      return <ArrayControl {...control} />
    case 'tuple':
      return <TupleControl {...control} />
    case 'union':
      return <UnionControl {...control} />
    case 'file':
      return (
        <Suspense fallback={null}>
          <FileControl {...control} />
        </Suspense>
      )
    case 'any':
      return <JsonControl {...control} />
  }
}

interface FieldMode {
  expression: boolean
  choose: (expression: boolean) => void
  /** What stands in the expression's box, and how it is written there. */
  text: string
  write: (text: string) => void
  caret: number | undefined
}

/**
 * Value or expression. What is stored says it: a text with `{{` is an expression, and so is a text that the control could not show.
 * Only an empty field has to remember what was chosen. The other mode's content comes back when the choice is taken back.
 */
function useFieldMode(shape: Shape, path: Path, value: unknown): FieldMode {
  const form = useForm()
  const expressive = takesExpressions(form, shape)
  const holds =
    expressive && (isTemplate(value) || (typeof value === 'string' && SHOWS_NO_TEXT.has(shape.kind)))
  const [open, setOpen] = useState(
    holds || (expressive && value === undefined && comesFromElsewhere(form, shape)),
  )
  const other = useRef<{ value?: unknown; expression?: string }>({})
  const caret = useRef<number | undefined>(undefined)
  const written = useWritten(shape, path, value)
  if (holds && !open) {
    // Typed `{{` into a plain input: the editor takes over, with the caret between the braces. It stays while the text
    // is edited, also when the braces go.
    const between = /\{\{ ? ?\}\}/.exec(value)
    caret.current = between ? between.index + 3 : undefined
    setOpen(true)
  }
  const expression = holds || (open && expressive && written.text !== undefined)
  const choose = (next: boolean) => {
    if (next === expression) return
    if (next) {
      other.current.value = value
      caret.current = 0
      if (typeof value !== 'string' || shape.kind !== 'string') form.update(path, other.current.expression)
    } else {
      caret.current = undefined
      if (typeof value === 'string') other.current.expression = value
      const back = other.current.value
      if (holds) form.update(path, isTemplate(back) ? undefined : back)
    }
    setOpen(next)
  }
  return { expression, choose, text: written.text ?? '', write: written.write, caret: caret.current }
}

/** Kinds whose control has no place for a text. */
const SHOWS_NO_TEXT: ReadonlySet<Kind> = new Set(['array', 'tuple', 'object', 'boolean'])
/** Kinds of which no value is a text: what is written there without an expression is meant as JSON. */
const NEVER_TEXT: ReadonlySet<Kind> = new Set([...SHOWS_NO_TEXT, 'number', 'integer'])

/**
 * The text of an expression's box. `[1, 2]` written where a list belongs is stored as that list, and its text stays as
 * it was written; undefined where the value has no text.
 */
function useWritten(shape: Shape, path: Path, value: unknown) {
  const form = useForm()
  const [draft, setDraft] = useState<{ text: string; value: unknown }>()
  const write = (text: string) => {
    const meant = NEVER_TEXT.has(shape.kind) && !isTemplate(text) ? literal(shape, text) : undefined
    setDraft(meant === undefined ? undefined : { text, value: meant })
    form.update(path, meant ?? (text === '' ? undefined : text))
  }
  if (typeof value === 'string') return { text: value, write }
  if (value === undefined) return { text: '', write }
  return { text: draft && same(draft.value, value) ? draft.text : undefined, write }
}

/** The value that a text is as JSON, where it is one of the kind that is wanted. */
function literal(shape: Shape, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && suits(shape, value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether expressions are read in a field of this shape. */
function takesExpressions(form: FormSettings, shape: Shape): boolean {
  return form.mode === 'expression' && (form.expressions === 'all' || shape.marked)
}

/** Lists and anything-at-all in a node's configuration are hardly ever typed: they start as expressions. */
function comesFromElsewhere(form: FormSettings, shape: Shape): boolean {
  return form.expressions === 'marked' && (shape.kind === 'array' || shape.kind === 'any')
}

/** What a field holds after `text` (a reference) was put into it: a text keeps what it says, anything else is replaced. */
function inserted(shape: Shape, value: unknown, text: string): string {
  return shape.kind === 'string' && typeof value === 'string' && value.trim() !== ''
    ? `${value}${value.endsWith(' ') ? '' : ' '}${text}`
    : text
}

/** What a shape starts with when it is set and its schema says nothing. */
export function blank(shape: Shape, root: unknown): unknown {
  switch (shape.kind) {
    case 'object':
      return {}
    case 'array':
      return []
    case 'tuple':
      return shape.prefix.map((schema) => blank(norm(schema, root), root))
    case 'union': {
      const [first] = shape.variants
      return first ? (startValue(first.schema, root) ?? blank(norm(first.schema, root), root)) : null
    }
    case 'string':
      return ''
    case 'boolean':
      return false
    case 'enum':
      return shape.options[0]?.value ?? null
    default:
      return null
  }
}
