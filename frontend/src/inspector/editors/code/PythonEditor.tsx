/** The editor of Python: CodeMirror with the language's grammar. A chunk of its own, loaded with the first code node. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { pythonLanguage } from '@codemirror/lang-python'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  LanguageSupport,
  syntaxHighlighting,
} from '@codemirror/language'
import { Compartment, EditorState } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { useT } from '@/i18n'

export interface PythonEditorProps {
  readonly id: string
  readonly label: string
  readonly value: string
  /** The line that failed. */
  readonly line: number | null
  readonly disabled: boolean
  readonly onChange: (value: string) => void
}

export function PythonEditor(props: PythonEditorProps) {
  const { id, label, value, line, disabled } = props
  const t = useT()
  const frame = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latest = useRef(props)
  latest.current = props
  const parts = useRef({ line: new Compartment(), attributes: new Compartment() })

  // The one mount: later changes of props reach the editor through the effects below.
  useLayoutEffect(() => {
    if (!frame.current) return
    const state = EditorState.create({
      doc: latest.current.value,
      extensions: [
        fixed(),
        parts.current.line.of([]),
        parts.current.attributes.of([]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return
          const text = update.state.doc.toString()
          if (text !== latest.current.value) latest.current.onChange(text)
        }),
      ],
    })
    const editor = new EditorView({ parent: frame.current, state })
    view.current = editor
    return () => {
      view.current = null
      editor.destroy()
    }
  }, [])

  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a mark moves with the text under it
  useEffect(() => {
    const editor = view.current
    if (editor) editor.dispatch({ effects: parts.current.line.reconfigure(marked(editor.state, line)) })
  }, [line, value])

  const description = t('inspector.code_keys')
  useEffect(() => {
    const attributes = {
      id,
      'aria-label': label,
      'aria-description': description,
      spellcheck: 'false',
      ...(line !== null && { 'aria-invalid': 'true' }),
    }
    view.current?.dispatch({
      effects: parts.current.attributes.reconfigure([
        EditorView.contentAttributes.of(attributes),
        EditorView.editable.of(!disabled),
        EditorState.readOnly.of(disabled),
      ]),
    })
  }, [id, label, description, line, disabled])

  return <div ref={frame} className="input code-editor" data-bad={line !== null} />
}

/** Without the one that runs the workflow, which would make a new line here. */
const OWN_KEYS = defaultKeymap.filter(({ key }) => key !== 'Mod-Enter')

function fixed() {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
  return [
    nonce ? EditorView.cspNonce.of(nonce) : [],
    lineNumbers(),
    highlightActiveLineGutter(),
    history(),
    drawSelection(),
    new LanguageSupport(pythonLanguage),
    indentUnit.of('    '),
    indentOnInput(),
    bracketMatching(),
    syntaxHighlighting(COLOURS),
    keymap.of([indentWithTab, ...OWN_KEYS, ...historyKeymap]),
  ]
}

/** Classes instead of colours: the theme of the page decides. */
const COLOURS = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.bool, tags.null, tags.self],
    class: 'code-keyword',
  },
  { tag: [tags.string, tags.special(tags.string)], class: 'code-string' },
  { tag: tags.number, class: 'code-number' },
  { tag: tags.comment, class: 'code-comment' },
  {
    tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)],
    class: 'code-name',
  },
])

function marked(state: EditorState, line: number | null) {
  if (line === null || line < 1 || line > state.doc.lines) return []
  const mark = Decoration.line({ class: 'code-failed-line' })
  return EditorView.decorations.of(Decoration.set([mark.range(state.doc.line(line).from)]))
}
