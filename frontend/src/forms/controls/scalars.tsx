/** Controls of plain values: text, number, switch, choice. */
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useErrors, useForm } from '@/forms/context'
import type { ControlProps } from '@/forms/Field'
import { WithHidden } from '@/forms/hidden'
import { same, toPointer } from '@/forms/pointer'
import { brief } from '@/forms/schema/hints'
import { norm, type Shape } from '@/forms/schema/schema'
import { useT } from '@/i18n'
import { cx } from '@/ui'

export interface ShapedProps extends ControlProps {
  shape: Shape
  id: string
}

const LONG_NAMES =
  /^(body|code|content|contents|html|markdown|message|prompt|query|script|source|sql|template|text|description|instructions)$/i

/** Whether a text wants more than one line. */
export function isLong(shape: Shape, name: string, value: unknown): boolean {
  if (shape.multiline || (typeof value === 'string' && value.includes('\n'))) return true
  if (shape.format && ['multiline', 'textarea', 'markdown'].includes(shape.format)) return true
  if (shape.format || shape.pattern || (shape.maxLength !== undefined && shape.maxLength <= 200)) return false
  return LONG_NAMES.test(name) || (shape.maxLength ?? 0) > 1000
}

const INPUT_TYPES: Record<string, string> = {
  password: 'password',
  date: 'date',
  time: 'time',
  email: 'email',
  uri: 'url',
  url: 'url',
}

export function TextControl({ shape, id, path, value, name, required, describedBy }: ShapedProps) {
  const form = useForm()
  const errors = useErrors(toPointer(path))
  const text =
    value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  const [long, setLong] = useState(false)
  const change = (next: string, caret: number | null) => {
    const typed = form.mode === 'expression' ? closedBraces(next, caret ?? next.length) : next
    form.update(path, typed === '' && !required ? undefined : typed)
  }
  const shared = {
    id,
    value: text,
    disabled: form.disabled || shape.readOnly,
    placeholder: shape.placeholder ?? (shape.default === undefined ? undefined : brief(shape.default)),
    'aria-invalid': errors.length > 0 || undefined,
    'aria-describedby': describedBy,
    'aria-required': required || undefined,
    'aria-label': path.length === 0 ? name || undefined : undefined,
  }
  const drawn = (control: ReactNode) =>
    shape.format === 'password' ? (
      control
    ) : (
      <WithHidden
        text={text}
        label={String(path.at(-1) ?? name)}
        disabled={shared.disabled === true}
        onChange={(next) => change(next, null)}
      >
        {control}
      </WithHidden>
    )
  if (long || isLong(shape, String(path.at(-1) ?? ''), value)) {
    return drawn(
      <textarea
        {...shared}
        className="input form-area"
        data-bad={errors.length > 0}
        rows={3}
        onChange={(event) => change(event.target.value, event.target.selectionStart)}
      />,
    )
  }
  return drawn(
    <div className="input" data-bad={errors.length > 0}>
      <input
        {...shared}
        type={form.mode === 'plain' ? (INPUT_TYPES[shape.format ?? ''] ?? 'text') : 'text'}
        autoComplete="off"
        onPaste={(event) => {
          // An input would swallow the line ends.
          if (event.clipboardData.getData('text/plain').trim().includes('\n')) setLong(true)
        }}
        onChange={(event) => change(event.target.value, event.target.selectionStart)}
      />
    </div>,
  )
}

/** `{{` just typed becomes `{{  }}`, which is an expression, so the field turns into its editor. */
function closedBraces(text: string, caret: number): string {
  const typed =
    text.slice(0, caret).endsWith('{{') &&
    !text.slice(0, caret).endsWith('\\{{') &&
    !text.slice(caret).startsWith('}')
  return typed ? `${text.slice(0, caret)}  }}${text.slice(caret)}` : text
}

export function NumberControl({ shape, id, path, value, name, required, describedBy }: ShapedProps) {
  const form = useForm()
  const errors = useErrors(toPointer(path))
  // The text as typed (`1.`, `-`, `1e`) as long as it means the value; a change from outside wins.
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const shown = value === undefined || value === null ? '' : String(value)
  const text = typed && same(typed.value, value) ? typed.text : shown
  const change = (next: string, caret: number | null) => {
    const closed = form.mode === 'expression' ? closedBraces(next, caret ?? next.length) : next
    const meant = numberIn(closed)
    setTyped({ text: closed, value: meant })
    form.update(path, meant)
  }
  const step = (direction: number) => {
    const from =
      typeof value === 'number'
        ? value
        : typeof shape.default === 'number'
          ? shape.default
          : (shape.minimum ?? 0)
    const next = Number((from + direction * (shape.multipleOf ?? 1)).toPrecision(12))
    if (
      (shape.minimum !== undefined && next < shape.minimum) ||
      (shape.maximum !== undefined && next > shape.maximum)
    )
      return
    setTyped(undefined)
    form.update(path, next)
  }
  return (
    <div className="input tabular-nums" data-bad={errors.length > 0}>
      <input
        id={id}
        value={text}
        type="text"
        role="spinbutton"
        inputMode={shape.kind === 'integer' ? 'numeric' : 'decimal'}
        autoComplete="off"
        disabled={form.disabled || shape.readOnly}
        placeholder={shape.default === undefined ? undefined : brief(shape.default)}
        aria-valuenow={typeof value === 'number' ? value : undefined}
        aria-valuemin={shape.minimum}
        aria-valuemax={shape.maximum}
        aria-invalid={errors.length > 0 || undefined}
        aria-describedby={describedBy}
        aria-required={required || undefined}
        aria-label={path.length === 0 ? name || undefined : undefined}
        onChange={(event) => change(event.target.value, event.target.selectionStart)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
          event.preventDefault()
          step(event.key === 'ArrowUp' ? 1 : -1)
        }}
      />
    </div>
  )
}

/** The number a text means; a text that means none stays a text, so that its error is shown and nothing is lost. */
function numberIn(text: string): unknown {
  const plain = text.trim()
  if (plain === '') return undefined
  const number = Number(plain)
  return /^[-+]?(\d|\.\d)/.test(plain) && Number.isFinite(number) ? number : text
}

export function BooleanControl({ schema, path, value, name, describedBy }: ControlProps) {
  const form = useForm()
  const id = `${form.idPrefix}${toPointer(path)}`
  const preset = norm(schema, form.root).default
  const unset = typeof value !== 'boolean'
  const checked = unset ? preset === true : value
  return (
    <span className={cx('switch', unset && 'form-unset')}>
      <input
        id={id}
        type="checkbox"
        role="switch"
        aria-checked={checked}
        aria-describedby={describedBy}
        aria-label={path.length === 0 ? name || undefined : undefined}
        checked={checked}
        disabled={form.disabled}
        onChange={(event) => form.update(path, event.target.checked)}
      />
      <span aria-hidden />
    </span>
  )
}

const MOST_OPTIONS = 100

/** What an option is called; the value itself where none is it. */
function nameOf(shape: Shape, value: unknown): string {
  return shape.options.find((option) => same(option.value, value))?.label ?? brief(value)
}

export function EnumControl({ shape, id, path, value, name, required, describedBy }: ShapedProps) {
  const t = useT()
  const form = useForm()
  const errors = useErrors(toPointer(path))
  const label = path.length === 0 ? name || undefined : undefined
  if (shape.options.length > MOST_OPTIONS)
    return <ManyOptions {...{ shape, id, path, value, name, required, describedBy }} schema={null} />
  const chosen = shape.options.findIndex((option) => same(option.value, value))
  const foreign = chosen === -1 && value !== undefined && value !== null
  const empty =
    shape.default === undefined
      ? required
        ? t('forms.choose')
        : t('forms.not_set')
      : t('forms.default_named', { value: nameOf(shape, shape.default) })
  return (
    <span className="select w-full" data-bad={errors.length > 0}>
      <select
        id={id}
        value={foreign ? 'foreign' : String(chosen)}
        disabled={form.disabled}
        aria-label={label}
        aria-invalid={errors.length > 0 || undefined}
        aria-describedby={describedBy}
        aria-required={required || undefined}
        onChange={(event) => form.update(path, shape.options[Number(event.target.value)]?.value)}
      >
        <option value="-1">{empty}</option>
        {foreign ? <option value="foreign">{brief(value)}</option> : null}
        {shape.options.map((option, index) => (
          <option key={brief(option.value) + option.label} value={index} title={option.description}>
            {option.description ? `${option.label}: ${brief(option.description)}` : option.label}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden />
    </span>
  )
}

/** An enum too long for a menu: typed, with the matching ones offered. */
function ManyOptions({ shape, id, path, value, name, required, describedBy }: ShapedProps) {
  const form = useForm()
  const list = useId()
  const errors = useErrors(toPointer(path))
  const [typed, setTyped] = useState<string>()
  const current =
    shape.options.find((option) => same(option.value, value))?.label ??
    (value === undefined ? '' : brief(value))
  const text = (typed ?? current).toLowerCase()
  const offered: string[] = []
  for (const option of shape.options) {
    if (offered.length >= MOST_OPTIONS) break
    if (text === '' || option.label.toLowerCase().includes(text)) offered.push(option.label)
  }
  const change = (next: string) => {
    setTyped(next)
    const option = shape.options.find((option) => option.label === next)
    if (option) form.update(path, option.value)
    else form.update(path, next === '' ? undefined : next)
  }
  return (
    <div className="input" data-bad={errors.length > 0}>
      <input
        id={id}
        list={list}
        value={typed ?? current}
        disabled={form.disabled}
        aria-label={path.length === 0 ? name || undefined : undefined}
        aria-invalid={errors.length > 0 || undefined}
        aria-describedby={describedBy}
        aria-required={required || undefined}
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
        onBlur={() => setTyped(undefined)}
      />
      <datalist id={list}>
        {offered.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </div>
  )
}
