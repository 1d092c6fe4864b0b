/**
 * A field that holds an expression or a text with expressions in it.
 *
 * Until it is focused it is a plain box with coloured text: the editor is loaded with the first focus of any field and
 * mounted for this one only. Below it stands what the expression gives with the values of the last run.
 */
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { Shape } from '@/forms/schema/schema'
import { useT } from '@/i18n'
import { cx } from '@/ui'
import { useValueDrop } from './dragging'
import { parse } from './expression'
import { useInsertTarget } from './insert'
import { Preview } from './Preview'
import { type Scope, standing } from './scope'
import '@/forms/forms.css'
import { fetchCode } from '@/loading/fetch-code'

let TemplateEditor: typeof import('./TemplateEditor').TemplateEditor | undefined

const loadEditor = async (): Promise<void> => {
  TemplateEditor = (await fetchCode(() => import('./TemplateEditor'))).TemplateEditor
}

export interface TemplateInputProps {
  id: string
  value: string
  onChange: (value: string) => void
  /** The field's name: read aloud, and where the input tree says a value goes. */
  label: string
  scope: Scope
  /** What the field wants, to say whether the value fits. */
  expected?: Shape | undefined
  /** Many lines: Enter makes a new one. */
  multiline?: boolean
  placeholder?: string
  disabled?: boolean
  invalid?: boolean
  describedBy?: string | undefined
  /** Mount the editor at once with the caret there: the field just became an expression under the user's hands. */
  caret?: number | undefined
  preview?: boolean
}

/** Whether the editor stands, or is on its way: its code comes with the first focus of any field. */
function useEditorCode(caret: number | undefined, disabled: boolean, rest: RefObject<HTMLElement | null>) {
  const [active, setActive] = useState(caret !== undefined && !disabled)
  const [ready, setReady] = useState(TemplateEditor !== undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caret is where it was when the field came
  useEffect(() => {
    if (caret !== undefined) rest.current?.focus()
  }, [])
  useEffect(() => {
    if (!active || ready) return
    let gone = false
    void loadEditor().then(() => {
      if (gone) return
      setReady(true)
      // Whoever went elsewhere meanwhile is left there.
      if (document.activeElement !== rest.current) setActive(false)
    })
    return () => {
      gone = true
    }
  }, [active, ready, rest])
  const activate = () => {
    setReady(TemplateEditor !== undefined)
    setActive(true)
  }
  return { active, ready, activate }
}

/** What was done to the resting field before its editor stood: the editor begins there. */
interface BeforeEditor {
  /** Where the mouse came down: the caret goes there. */
  pressed: { x: number; y: number } | undefined
  /** All of it was marked: the next key takes its place, or the editor marks it. */
  whole: boolean
  /** Where writing goes on, once something was typed. */
  at: number | undefined
}

/** A text after a key. Between braces that were closed already, blank and end are typed over, as the editor does it. */
function withKey(text: string, at: number, key: string): { text: string; at: number } {
  const before = text.slice(0, at)
  const rest = text.slice(at)
  if (key === ' ' && before.endsWith('{{ ') && rest.startsWith(' }}')) return { text, at }
  const end = key === '}' ? /^(\s*)\}/.exec(rest) : null
  if (!end) return { text: before + key + rest, at: at + 1 }
  const gap = end[1]?.length ?? 0
  return /\s$/.test(before) ? { text: before + rest.slice(gap), at: at + 1 } : { text, at: at + gap + 1 }
}

interface RestingProps extends TemplateInputProps {
  readonly ref: RefObject<HTMLDivElement | null>
  readonly before: BeforeEditor
  readonly insert: (text: string) => void
  readonly onFocus: () => void
}

/** The field while no editor stands in it: coloured text, which keeps what is typed until the editor takes its place. */
function RestingTemplate(props: RestingProps) {
  const { ref, before, insert, onFocus, id, value, onChange, label, multiline, disabled, invalid } = props
  const drop = useValueDrop(!disabled, insert)
  const onKeyDown = (event: KeyboardEvent) => {
    // What is typed before the editor's code is there is kept, and the caret stands behind it.
    if (disabled) return
    const bare = !event.ctrlKey && !event.metaKey && !event.altKey
    const all = !bare && !event.altKey && event.key.toLowerCase() === 'a'
    const removes = before.whole && bare && (event.key === 'Backspace' || event.key === 'Delete')
    if (!all && !removes && (!bare || event.key.length !== 1)) return
    event.preventDefault()
    before.pressed = undefined
    if (!all) {
      const text = before.whole ? '' : value
      const next = removes
        ? { text, at: 0 }
        : withKey(text, before.at ?? props.caret ?? text.length, event.key)
      before.at = next.at
      onChange(next.text)
    }
    before.whole = all
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: the resting face of an editor: coloured text, which no input can show
    <div
      ref={ref}
      id={id}
      role="textbox"
      tabIndex={disabled ? -1 : 0}
      aria-label={label}
      aria-describedby={props.describedBy}
      aria-disabled={disabled || undefined}
      aria-invalid={invalid || undefined}
      aria-multiline={multiline || undefined}
      className={cx(
        'input input-mono form-template',
        multiline && 'form-template-long',
        drop.dragged && 'form-drop',
      )}
      data-bad={invalid || undefined}
      onKeyDown={onKeyDown}
      onMouseDown={(event) => {
        before.pressed = { x: event.clientX, y: event.clientY }
        before.whole = false
        before.at = undefined
      }}
      onFocus={onFocus}
      {...drop.handlers}
    >
      <Coloured text={value} scope={props.scope} placeholder={props.placeholder} />
    </div>
  )
}

export function TemplateInput(props: TemplateInputProps) {
  const {
    value,
    onChange,
    label,
    scope,
    expected,
    multiline,
    placeholder,
    disabled,
    invalid,
    preview = true,
  } = props
  const t = useT()
  const editor = useRef<{ insert: (text: string) => void } | null>(null)
  /** The box that rests keeps the focus until the editor takes its place. */
  const rest = useRef<HTMLDivElement>(null)
  const before = useRef<BeforeEditor>({ pressed: undefined, whole: false, at: undefined })
  const { active, ready, activate } = useEditorCode(props.caret, disabled ?? false, rest)
  const insert = (text: string) => {
    if (editor.current) editor.current.insert(text)
    else onChange(value.trim() === '' ? text : `${value}${/\s$/.test(value) ? '' : ' '}${text}`)
  }
  const onFocus = useInsertTarget(label, insert)
  const begin = () => {
    onFocus()
    if (disabled) return
    before.current.whole = false
    before.current.at = undefined
    activate()
  }
  return (
    <>
      {active && ready && TemplateEditor && !disabled ? (
        <TemplateEditor
          id={props.id}
          value={value}
          onChange={onChange}
          label={label}
          scope={scope}
          expected={expected}
          multiline={multiline ?? false}
          placeholder={placeholder ?? ''}
          invalid={invalid ?? false}
          describedBy={props.describedBy}
          caret={before.current.at ?? props.caret}
          pressed={before.current.pressed}
          whole={before.current.whole}
          onFocus={onFocus}
          handle={editor}
        />
      ) : (
        <RestingTemplate {...props} ref={rest} before={before.current} insert={insert} onFocus={begin} />
      )}
      {preview ? (
        // In use it has its room whatever it says: nothing below it moves while someone types.
        <div className={active ? 'form-preview-room' : 'contents'}>
          <Preview
            text={value}
            scope={scope}
            expected={expected}
            unseenQuiet={!active}
            announced={invalid ?? false}
            t={t}
          />
        </div>
      ) : null}
    </>
  )
}

function Coloured({
  text,
  scope,
  placeholder,
}: {
  text: string
  scope: Scope
  placeholder?: string | undefined
}) {
  const parts = useMemo(() => parse(text), [text])
  if (text === '') return <span className="text-muted">{placeholder}</span>
  return (
    <span className="form-template-text">
      {parts.map((part) =>
        part.kind === 'text' ? (
          <span key={part.from}>{text.slice(part.from, part.to)}</span>
        ) : (
          <span
            key={part.from}
            className="expression"
            data-unknown={part.kind === 'broken' || standing(scope, part.path) === 'unknown'}
          >
            {text.slice(part.from, part.to)}
          </span>
        ),
      )}
    </span>
  )
}
