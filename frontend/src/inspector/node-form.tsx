/** What the editors of one node's configuration share, and the fields they are built of. */
import { TriangleAlert } from 'lucide-react'
import { createContext, type ReactNode, useContext, useId, useState } from 'react'
import {
  EMPTY_SCOPE,
  type FieldErrors,
  type Path,
  type Scope,
  type Shape,
  same,
  TemplateInput,
  toPointer,
} from '@/forms'
import type { GraphNode } from '@/graph/types'
import { cx, FixesContext } from '@/ui'
import type { NodeEdit } from './edit'
import { below } from './problems'
import { fromText, toText } from './values/value-text'

export interface NodeForm {
  node: GraphNode
  edit: NodeEdit
  scope: Scope
  /** Sentences by pointer into the configuration. */
  errors: FieldErrors
  disabled: boolean
  /** Someone writes in one of the fields: what is said of them stays as it is. */
  typing: boolean
}

const NodeFormContext = createContext<NodeForm | undefined>(undefined)
export const NodeFormProvider = NodeFormContext.Provider

export function useNodeForm(): NodeForm {
  const form = useContext(NodeFormContext)
  if (!form) throw new Error('A node editor is used outside of the inspector')
  return form
}

/** The sentences for a place in the configuration and everything below it. */
export function useFieldErrors(path: Path): readonly string[] {
  return below(useNodeForm().errors, toPointer(path))
}

export function FieldFrame(props: {
  label: ReactNode
  htmlFor?: string | undefined
  type?: string
  aside?: ReactNode
  hint?: ReactNode
  errors?: readonly string[]
  className?: string
  children: ReactNode
}) {
  const { label, htmlFor, type, aside, hint, errors = [], className, children } = props
  const fix = useContext(FixesContext)
  return (
    <div className={cx('field', className)}>
      <div className="field-label">
        {htmlFor ? <label htmlFor={htmlFor}>{label}</label> : <span>{label}</span>}
        {type ? <span className="field-type">{type}</span> : null}
        {aside ? <span className="form-aside">{aside}</span> : null}
      </div>
      {children}
      {errors.map((error) => (
        <p key={error} className="field-error">
          <TriangleAlert aria-hidden />
          <span>
            {error}
            {fix(error)}
          </span>
        </p>
      ))}
      {hint ? <p className="field-hint">{hint}</p> : null}
    </div>
  )
}

export interface TextEntryProps {
  label: string
  path: Path
  value: unknown
  multiline?: boolean
  hint?: string
  expected?: Shape | undefined
  placeholder?: string
}

/** A template in the configuration, with label, preview and problems. */
export function TextEntry({ label, path, value, multiline, hint, expected, placeholder }: TextEntryProps) {
  const form = useNodeForm()
  const id = `${useId()}template`
  const errors = useFieldErrors(path)
  return (
    <FieldFrame label={label} htmlFor={id} errors={errors} hint={hint}>
      <TemplateInput
        id={id}
        label={label}
        value={typeof value === 'string' ? value : toText(value)}
        onChange={(next) => form.edit.config(path, next === '' ? undefined : next)}
        scope={form.scope}
        multiline={multiline ?? false}
        disabled={form.disabled}
        invalid={errors.length > 0}
        expected={expected}
        {...(placeholder !== undefined && { placeholder })}
      />
    </FieldFrame>
  )
}

/** A box that takes any value: `3`, `true`, `["a"]`, text, or an expression. */
export function ValueEntry(props: {
  label: string
  value: unknown
  onChange: (value: unknown) => void
  invalid?: boolean
  placeholder?: string
  multiline?: boolean
}) {
  const { label, value, onChange, invalid = false, placeholder, multiline = false } = props
  const form = useContext(NodeFormContext)
  const id = `${useId()}value`
  // The text as typed, as long as it means the value; a change from outside wins.
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const text = typed && same(typed.value, value) ? typed.text : toText(value, multiline)
  return (
    <TemplateInput
      id={id}
      label={label}
      value={text}
      onChange={(next) => {
        const meant = fromText(next)
        setTyped({ text: next, value: meant })
        onChange(meant)
      }}
      scope={form?.scope ?? EMPTY_SCOPE}
      disabled={form?.disabled ?? false}
      invalid={invalid}
      multiline={multiline}
      {...(placeholder !== undefined && { placeholder })}
    />
  )
}
