/** Fields: a label, a control, a hint and an error that belongs to it. */
import { Check, ChevronDown, Minus, TriangleAlert } from 'lucide-react'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useEffect,
  useId,
  useRef,
} from 'react'
import { useT } from '@/i18n'
import { cx } from '@/ui/cx'
import { FixesContext } from './fixes'

/** Beside the label of a field that must be filled in. Red is for errors, so this is not. */
export function RequiredMark() {
  const t = useT()
  return (
    <span className="field-required" data-tip={t('common.required')}>
      <span aria-hidden>*</span>
      <span className="sr-only">{t('common.required')}</span>
    </span>
  )
}

export interface FieldProps {
  readonly label?: ReactNode
  readonly hint?: ReactNode
  readonly error?: ReactNode
  readonly required?: boolean
  /** The type beside the label, in code: `string, uri`. */
  readonly type?: string | undefined
  /** At the right end of the label's row. */
  readonly aside?: ReactNode
  readonly className?: string | undefined
}

/** The frame of a control. `children` gets the ids that tie label, hint and error to it. */
export function Field({
  label,
  hint,
  error,
  required,
  type,
  aside,
  className,
  children,
}: FieldProps & {
  readonly children: (ids: { id: string; 'aria-describedby': string | undefined }) => ReactNode
}) {
  const id = useId()
  const fix = useContext(FixesContext)
  const described = cx(error ? `${id}-error` : null, hint ? `${id}-hint` : null) || undefined
  return (
    <div className={cx('field', className)}>
      {label !== undefined || aside !== undefined ? (
        <div className="field-label">
          {label !== undefined ? <label htmlFor={id}>{label}</label> : null}
          {type ? <span className="field-type">{type}</span> : null}
          {required ? <RequiredMark /> : null}
          {aside !== undefined ? (
            <span className="ml-auto font-normal text-xs text-muted inline-flex items-center gap-1">
              {aside}
            </span>
          ) : null}
        </div>
      ) : null}
      {children({ id, 'aria-describedby': described })}
      {error ? (
        <p className="field-error" id={`${id}-error`}>
          <TriangleAlert aria-hidden />
          <span>
            {error}
            {typeof error === 'string' ? fix(error) : null}
          </span>
        </p>
      ) : null}
      {hint ? (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </div>
  )
}

type Control<T> = Omit<T, 'className' | 'onChange' | 'value' | 'type' | 'required'>

export interface TextFieldProps extends FieldProps, Control<InputHTMLAttributes<HTMLInputElement>> {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly mono?: boolean
  readonly inputType?: 'text' | 'email' | 'password' | 'url' | 'search' | 'number' | 'date'
  /** Before and after the text, inside the border. */
  readonly before?: ReactNode
  readonly after?: ReactNode
  readonly ref?: Ref<HTMLInputElement>
}

export function TextField({
  label,
  hint,
  error,
  required,
  type,
  aside,
  className,
  value,
  onChange,
  mono,
  inputType = 'text',
  before,
  after,
  ref,
  ...rest
}: TextFieldProps) {
  return (
    <Field {...{ label, hint, error, type, aside, className }} required={required ?? false}>
      {(ids) => (
        <div className={cx('input', mono && 'input-mono')} data-bad={Boolean(error)}>
          {before}
          <input
            ref={ref}
            type={inputType}
            value={value}
            required={required}
            aria-invalid={error ? true : undefined}
            spellCheck={mono ? false : undefined}
            autoComplete="off"
            onChange={(event) => onChange(event.target.value)}
            {...rest}
            {...ids}
          />
          {after}
        </div>
      )}
    </Field>
  )
}

export interface TextAreaProps extends FieldProps, Control<TextareaHTMLAttributes<HTMLTextAreaElement>> {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly mono?: boolean
}

export function TextArea({
  label,
  hint,
  error,
  required,
  type,
  aside,
  className,
  value,
  onChange,
  mono,
  ...rest
}: TextAreaProps) {
  return (
    <Field {...{ label, hint, error, type, aside, className }} required={required ?? false}>
      {(ids) => (
        <textarea
          className={cx('input', mono && 'input-mono')}
          data-bad={Boolean(error)}
          value={value}
          required={required}
          aria-invalid={error ? true : undefined}
          spellCheck={mono ? false : undefined}
          onChange={(event) => onChange(event.target.value)}
          {...rest}
          {...ids}
        />
      )}
    </Field>
  )
}

export interface Option<V extends string = string> {
  readonly value: V
  readonly label: string
  readonly disabled?: boolean
}

export interface SelectProps<V extends string>
  extends FieldProps,
    Control<SelectHTMLAttributes<HTMLSelectElement>> {
  readonly value: V
  readonly onChange: (value: V) => void
  readonly options: readonly Option<V>[]
  readonly small?: boolean
}

/** The browser's own select: it knows the keyboard, the phone and the screen reader. */
export function Select<V extends string>({
  label,
  hint,
  error,
  required,
  type,
  aside,
  className,
  value,
  onChange,
  options,
  small,
  ...rest
}: SelectProps<V>) {
  return (
    <Field {...{ label, hint, error, type, aside, className }} required={required ?? false}>
      {(ids) => (
        <span className={cx('select', small && 'select-small')} data-bad={Boolean(error)}>
          <select
            value={value}
            aria-invalid={error ? true : undefined}
            onChange={(event) => onChange(event.target.value as V)}
            {...rest}
            {...ids}
          >
            {options.map((option) => (
              <option key={option.value} value={option.value} disabled={option.disabled}>
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDown aria-hidden />
        </span>
      )}
    </Field>
  )
}

export interface ToggleProps extends Omit<Control<InputHTMLAttributes<HTMLInputElement>>, 'checked'> {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  /** Words beside it; without them give `aria-label`. */
  readonly label?: ReactNode
  readonly hint?: ReactNode
}

/** What is chosen, and below it what that means. */
function ChoiceText({ label, hint }: Pick<ToggleProps, 'label' | 'hint'>) {
  if (!hint) return label
  return (
    <span className="choice-text">
      {label}
      <span className="text-xs text-muted">{hint}</span>
    </span>
  )
}

export function Switch({ checked, onChange, label, hint, ...rest }: ToggleProps) {
  return (
    <label className="choice">
      <span className="switch">
        <input
          type="checkbox"
          role="switch"
          aria-checked={checked}
          checked={checked}
          onChange={(event) => onChange(event.target.checked)}
          {...rest}
        />
        <span aria-hidden />
      </span>
      <ChoiceText label={label} hint={hint} />
    </label>
  )
}

export function Checkbox({
  checked,
  onChange,
  label,
  hint,
  some = false,
  ...rest
}: ToggleProps & { readonly some?: boolean }) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current) box.current.indeterminate = some && !checked
  }, [some, checked])
  return (
    <label className="choice">
      <span className="check">
        <input
          ref={box}
          type="checkbox"
          checked={checked}
          onChange={(event) => onChange(event.target.checked)}
          {...rest}
        />
        <span aria-hidden>{some && !checked ? <Minus /> : <Check />}</span>
      </span>
      <ChoiceText label={label} hint={hint} />
    </label>
  )
}

export interface SegmentedProps<V extends string> {
  /** Its name, read aloud. */
  readonly label: string
  readonly value: V
  readonly onChange: (value: V) => void
  readonly options: readonly {
    readonly value: V
    readonly label: ReactNode
    readonly disabled?: boolean
    readonly tip?: string
  }[]
  readonly small?: boolean
  readonly disabled?: boolean
}

/** A choice of a few, all in sight: radio buttons in one frame, arrow keys move. */
export function Segmented<V extends string>({
  label,
  value,
  onChange,
  options,
  small,
  disabled,
}: SegmentedProps<V>) {
  const name = useId()
  return (
    <fieldset className={cx('segmented', small && 'segmented-small')} aria-label={label}>
      {options.map((option) => (
        <label key={option.value} data-tip={option.tip}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={disabled || option.disabled}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
