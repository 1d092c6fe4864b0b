/** The workflow's name in the bar: a click makes it a field, Enter keeps it. */
import { useEffect, useState } from 'react'
import { failureOf } from '@/api/client'
import { useWorkflowChanges } from '@/api/workflows'
import { useT } from '@/i18n'
import { toast } from '@/ui'

export function NameField({
  id,
  name,
  onRename,
  readOnly,
}: {
  id: string
  name: string
  onRename: (name: string) => void
  readOnly: boolean
}) {
  const t = useT()
  const [editing, setEditing] = useState(false)
  const [text, setText] = useState(name)
  const { rename } = useWorkflowChanges()
  useEffect(() => setText(name), [name])
  if (readOnly) return <>{name}</>
  if (!editing)
    return (
      <button
        type="button"
        className="name-button truncate"
        data-tip={t('editor.name')}
        onClick={() => setEditing(true)}
      >
        {name}
      </button>
    )
  const done = () => {
    setEditing(false)
    const next = text.trim()
    if (!next || next === name) {
      setText(name)
      return
    }
    rename.mutate(
      { id, name: next },
      {
        onSuccess: () => onRename(next),
        onError: (error) => {
          setText(name)
          toast.error(failureOf(error))
        },
      },
    )
  }
  return (
    <input
      className="input name-input"
      aria-label={t('editor.name')}
      // biome-ignore lint/a11y/noAutofocus: the person just clicked the name
      autoFocus
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={done}
      onFocus={(event) => event.target.select()}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
        if (event.key !== 'Escape') return
        setText(name)
        setEditing(false)
      }}
    />
  )
}
