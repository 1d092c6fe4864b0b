/**
 * The editor of expressions: CodeMirror with the paths coloured and a list of what may be written at the caret.
 * Loaded when the first field is focused; imported by TemplateInput only.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { Compartment, EditorState, Prec, RangeSetBuilder } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  placeholder as hint,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import type { Shape } from '@/forms/schema/schema'
import { CompletionList } from './CompletionList'
import { type Choice, type Completion, completionsAt, endsExpression } from './completion'
import { carriesPath, droppedReference } from './dragging'
import { parse } from './expression'
import { type Scope, standing } from './scope'

export interface TemplateEditorProps {
  id: string
  value: string
  onChange: (value: string) => void
  label: string
  scope: Scope
  expected: Shape | undefined
  multiline: boolean
  placeholder: string
  invalid: boolean
  describedBy: string | undefined
  caret: number | undefined
  /** Where the mouse came down on the resting field. */
  pressed: { x: number; y: number } | undefined
  /** All of the resting field was marked. */
  whole: boolean
  onFocus: () => void
  handle: Ref<{ insert: (text: string) => void }>
}

interface Offered {
  completion: Completion
  selected: number
}

export function TemplateEditor(props: TemplateEditorProps) {
  const { id, value, label, scope, expected, multiline, placeholder, invalid, describedBy, handle } = props
  const frame = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const [offered, setOffered] = useState<Offered>()
  const latest = useRef({ ...props, offered })
  latest.current = { ...props, offered }
  const parts = useRef({ scope: new Compartment(), attributes: new Compartment() })

  // The one mount: later changes of props reach the editor through the effects below. It takes the focus over from the
  // box that rested before anybody can press a key in between.
  useLayoutEffect(() => {
    if (!frame.current) return
    const editor = new EditorView({
      parent: frame.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: extensions(latest, parts.current, setOffered),
      }),
    })
    view.current = editor
    const caret = firstCaret(editor, latest.current)
    const all = { anchor: 0, head: editor.state.doc.length }
    editor.dispatch({ selection: latest.current.whole ? all : { anchor: caret } })
    editor.focus()
    return () => {
      view.current = null
      editor.destroy()
    }
  }, [])

  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    const { length } = editor.state.doc
    // A caret at the end stays there: what was typed just before the editor stood may arrive only now.
    const atEnd = editor.state.selection.main.head === length
    editor.dispatch({
      changes: { from: 0, to: length, insert: value },
      ...(atEnd && { selection: { anchor: value.length } }),
    })
  }, [value])

  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.scope.reconfigure(colours(scope)) })
  }, [scope])

  const selected = offered ? `${id}-option-${offered.selected}` : undefined
  useEffect(() => {
    const attributes = contentAttributes({ id, label, multiline, invalid, describedBy, selected })
    view.current?.dispatch({
      effects: parts.current.attributes.reconfigure(EditorView.contentAttributes.of(attributes)),
    })
  }, [id, label, multiline, invalid, describedBy, selected])

  useImperativeHandle(handle, () => ({ insert: (text: string) => insertAtCaret(view.current, text) }), [])

  return (
    <div
      ref={frame}
      className={multiline ? 'input form-template form-template-long' : 'input form-template'}
      data-bad={invalid}
      data-placeholder={placeholder}
    >
      {offered && frame.current ? (
        <CompletionList
          anchor={frame.current}
          id={id}
          completion={offered.completion}
          selected={offered.selected}
          owner={scope.owner}
          expected={expected}
          onPick={(choice) => pick(view.current, choice)}
          onSelect={(index) => setOffered({ ...offered, selected: index })}
        />
      ) : null}
    </div>
  )
}

/** Where it was clicked; in a field that is one expression always inside of the braces, where there is a list. */
function firstCaret(editor: EditorView, { caret, pressed }: TemplateEditorProps): number {
  const text = editor.state.doc.toString()
  const clicked = pressed ? editor.posAtCoords(pressed) : null
  const index = Math.min(caret ?? clicked ?? text.length, text.length)
  const parts = parse(text)
  const tail = /\s*#?\}\}$/.exec(text)
  return caret === undefined &&
    index === text.length &&
    parts.length === 1 &&
    parts[0]?.kind === 'expression' &&
    tail
    ? tail.index
    : index
}

interface ContentWords {
  id: string
  label: string
  multiline: boolean
  invalid: boolean
  describedBy: string | undefined
  selected: string | undefined
}

function contentAttributes({
  id,
  label,
  multiline,
  invalid,
  describedBy,
  selected,
}: ContentWords): Record<string, string> {
  return {
    id,
    'aria-label': label,
    'aria-multiline': String(multiline),
    'aria-autocomplete': 'list',
    spellcheck: 'false',
    ...(invalid && { 'aria-invalid': 'true' }),
    ...(describedBy && { 'aria-describedby': describedBy }),
    ...(selected && { 'aria-controls': `${id}-options`, 'aria-activedescendant': selected }),
  }
}

type Latest = { current: TemplateEditorProps & { offered: Offered | undefined } }

function extensions(
  latest: Latest,
  parts: { scope: Compartment; attributes: Compartment },
  offer: (offered: Offered | undefined) => void,
) {
  const { multiline, placeholder, scope } = latest.current
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
  const look = (editor: EditorView, browse: boolean) => {
    const { main } = editor.state.selection
    const text = editor.state.doc.toString()
    const completion = main.empty
      ? completionsAt(text, main.head, latest.current.scope, { browse })
      : undefined
    offer(
      completion && completion.choices.length > 0 ? { completion, selected: completion.current } : undefined,
    )
  }
  const move = (by: number) => () => {
    const { offered } = latest.current
    if (!offered) return false
    const { length } = offered.completion.choices
    offer({ ...offered, selected: (offered.selected + by + length) % length })
    return true
  }
  const choose = (editor: EditorView) => {
    const { offered } = latest.current
    const choice = offered?.completion.choices[offered.selected]
    if (!choice) return false
    pick(editor, choice)
    return true
  }
  /** What is chosen stands there already: Tab leads on to the next field. */
  const chosen = (editor: EditorView) => {
    const { offered } = latest.current
    const choice = offered?.completion.choices[offered.selected]
    return choice !== undefined && editor.state.sliceDoc(choice.from, choice.to) === choice.insert
  }
  return [
    nonce ? EditorView.cspNonce.of(nonce) : [],
    history(),
    drawSelection(),
    EditorView.lineWrapping,
    placeholder ? hint(placeholder) : [],
    parts.scope.of(colours(scope)),
    parts.attributes.of([]),
    Prec.highest(
      keymap.of([
        { key: 'ArrowDown', run: move(1) },
        { key: 'ArrowUp', run: move(-1) },
        { key: 'Tab', run: (editor) => !chosen(editor) && choose(editor) },
        { key: 'Enter', run: (editor) => choose(editor) || !multiline },
        {
          key: 'Escape',
          run: () => {
            if (!latest.current.offered) return false
            offer(undefined)
            return true
          },
          stopPropagation: true,
        },
        {
          key: 'Ctrl-Space',
          run: (editor) => {
            look(editor, true)
            return true
          },
        },
      ]),
    ),
    keymap.of([...OWN_KEYS, ...historyKeymap]),
    EditorView.inputHandler.of(braces),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) {
        const text = update.state.doc.toString()
        if (text !== latest.current.value) latest.current.onChange(text)
      }
      if (update.docChanged) look(update.view, false)
      else if (update.selectionSet && update.view.hasFocus) look(update.view, true)
    }),
    EditorView.domEventHandlers({
      focus: (_, editor) => {
        latest.current.onFocus()
        look(editor, true)
      },
      blur: () => offer(undefined),
      drop: (event, editor) => {
        const text = droppedReference(event.dataTransfer)
        if (text === undefined) return false
        event.preventDefault()
        event.stopPropagation()
        const index = editor.posAtCoords({ x: event.clientX, y: event.clientY }) ?? editor.state.doc.length
        editor.dispatch({
          changes: { from: index, insert: text },
          selection: { anchor: index + text.length },
        })
        editor.focus()
        return true
      },
      dragover: (event) => {
        if (!carriesPath(event.dataTransfer)) return false
        event.preventDefault()
        return false
      },
    }),
  ]
}

/** Without the one that runs the workflow, which would make a new line here. */
const OWN_KEYS = defaultKeymap.filter(({ key }) => key !== 'Mod-Enter')

/** `{{` brings its end along, `{{ | }}`, and the blank that people type after it is there already. The end is typed over. */
function braces(editor: EditorView, from: number, to: number, text: string): boolean {
  if (from !== to || editor.composing) return false
  if (text === '}') return typedOver(editor, from)
  const before = editor.state.sliceDoc(Math.max(0, from - 3), from)
  const after = editor.state.sliceDoc(from, from + 3)
  if (text === ' ') return before === '{{ ' && after === ' }}'
  if (
    text !== '{' ||
    !before.endsWith('{') ||
    before.endsWith('{{') ||
    before.endsWith('\\{') ||
    after.startsWith('}')
  )
    return false
  editor.dispatch({
    changes: { from, insert: '{  }}' },
    selection: { anchor: from + 2 },
    userEvent: 'input.type',
  })
  return true
}

/** A brace typed at the end of an expression that has its end already steps into it. */
function typedOver(editor: EditorView, index: number): boolean {
  const text = editor.state.doc.toString()
  const end = /^(\s*)\}\}/.exec(text.slice(index))
  const second = text[index - 1] === '}' && text[index] === '}'
  if (!(end || second) || !endsExpression(text, index)) return false
  const gap = end?.[1]?.length ?? 0
  // The blank that came with the end, where people typed one of their own.
  const own = gap > 0 && /\s/.test(text[index - 1] ?? '')
  editor.dispatch({
    ...(own && { changes: { from: index, to: index + gap } }),
    selection: { anchor: index + (own ? 0 : gap) + 1 },
    userEvent: 'input.type',
  })
  return true
}

function insertAtCaret(editor: EditorView | null, text: string): void {
  if (!editor) return
  const { from, to } = editor.state.selection.main
  const whole = editor.state.doc.toString()
  // Inside `{{ … }}` the braces are there already.
  const inside = completionsAt(whole, from, { groups: [] }) !== undefined && from === to
  const open = inside ? whole.lastIndexOf('{{', from) : -1
  const close = inside ? whole.indexOf('}}', from) : -1
  const change =
    open !== -1 && close !== -1 ? { from: open, to: close + 2, insert: text } : { from, to, insert: text }
  editor.dispatch({ changes: change, selection: { anchor: change.from + text.length } })
  editor.focus()
}

function pick(editor: EditorView | null, choice: Choice): void {
  if (!editor) return
  const text = editor.state.doc.toString()
  const rest = text.slice(choice.to)
  const gap = choice.kind === 'path' && rest.startsWith('}}') ? ' ' : ''
  const caretInArgument = choice.filter === 'default' ? 2 : 0
  editor.dispatch({
    changes: { from: choice.from, to: choice.to, insert: choice.insert + gap },
    selection: { anchor: choice.from + choice.insert.length - caretInArgument },
    userEvent: 'input.complete',
  })
  editor.focus()
}

const KNOWN = Decoration.mark({ class: 'expression' })
const UNKNOWN = Decoration.mark({ class: 'expression', attributes: { 'data-unknown': 'true' } })

function colours(scope: Scope) {
  const build = (editor: EditorView): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>()
    for (const part of parse(editor.state.doc.toString())) {
      if (part.kind === 'text' || part.from === part.to) continue
      builder.add(
        part.from,
        part.to,
        part.kind === 'expression' && standing(scope, part.path) === 'known' ? KNOWN : UNKNOWN,
      )
    }
    return builder.finish()
  }
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      constructor(editor: EditorView) {
        this.decorations = build(editor)
      }
      update(update: ViewUpdate) {
        if (update.docChanged) this.decorations = build(update.view)
      }
    },
    { decorations: (plugin) => plugin.decorations },
  )
}
