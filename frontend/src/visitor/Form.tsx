/** A form: what is filled in is sent once, and its place is taken by what became of it. */
import { type FormEvent, useMemo, useRef, useState } from 'react'
import { type About, asRefusal, newKey, type Refusal, sendForm } from './client'
import { FieldView, fieldId } from './FieldView'
import {
  type Chosen,
  type Field,
  fieldsOf,
  type Problems,
  problemsIn,
  type Typed,
  tooLarge,
  valuesOf,
} from './fields'
import { Notice } from './Notice'
import { Outcome } from './Outcome'
import { uploadsOf } from './uploads'
import { words } from './words'

const startOf = (fields: readonly Field[]): Typed =>
  Object.fromEntries(fields.map(({ name, first }) => [name, first]))

/** What is typed, what is wrong with it, and sending it: the same key until it is changed, so that nothing goes twice. */
function useForm(fields: readonly Field[], filesMb: number) {
  const [typed, setTyped] = useState<Typed>(() => startOf(fields))
  const [chosen, setChosen] = useState<Chosen>({})
  const [problems, setProblems] = useState<Problems>({})
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [busy, setBusy] = useState(false)
  const [sent, setSent] = useState<string | null>(null)
  const key = useRef(newKey())
  const showProblems = (next: Problems) => {
    setProblems(next)
    const first = fields.find(({ name }) => next[name])
    if (first) document.getElementById(fieldId(first.name))?.focus()
  }
  const touch = (name: string) => {
    key.current = newKey()
    setProblems(({ [name]: _, ...others }) => others)
  }
  const change = (name: string, value: string) => {
    touch(name)
    setTyped((before) => ({ ...before, [name]: value }))
  }
  const choose = (name: string, files: readonly File[]) => {
    touch(name)
    setChosen((before) => ({ ...before, [name]: files }))
  }
  const send = async () => {
    const { values, problems: missing } = valuesOf(fields, typed, words, chosen)
    const wrong = { ...tooLarge(chosen, filesMb, words), ...missing }
    setRefusal(null)
    if (Object.keys(wrong).length) return showProblems(wrong)
    setBusy(true)
    try {
      await sendForm(key.current, { ...values, ...(await uploadsOf(fields, chosen)) })
      setSent(key.current)
    } catch (thrown) {
      const next = asRefusal(thrown)
      setRefusal(next)
      showProblems(problemsIn(next.fields, fields))
    } finally {
      setBusy(false)
    }
  }
  const again = () => {
    key.current = newKey()
    setTyped(startOf(fields))
    setChosen({})
    setSent(null)
  }
  return { typed, problems, refusal, busy, sent, change, choose, send, again }
}

export function Form({ about }: { readonly about: About }) {
  const fields = useMemo(() => fieldsOf(about.inputs), [about])
  const form = useForm(fields, about.files_mb)
  if (form.sent) return <Outcome visit={form.sent} onAgain={form.again} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!form.busy) void form.send()
  }
  return (
    <form onSubmit={submit} noValidate>
      {fields.length === 0 ? <p className="faint">{words.nothing_to_fill}</p> : null}
      {fields.map((field) => (
        <FieldView
          key={field.name}
          field={field}
          value={form.typed[field.name] ?? ''}
          problem={form.problems[field.name]}
          onChange={(value) => form.change(field.name, value)}
          onChoose={(files) => form.choose(field.name, files)}
        />
      ))}
      <div role="status" className="status problem">
        {Object.keys(form.problems).length ? words.fix : ''}
      </div>
      {form.refusal && Object.keys(form.problems).length === 0 ? <Notice refusal={form.refusal} /> : null}
      <button type="submit" className="primary" aria-disabled={form.busy || undefined}>
        {form.busy ? words.sending : words.send}
      </button>
    </form>
  )
}
