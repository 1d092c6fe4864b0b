/** An object: its listed fields, and rows of name and value where it takes further keys. */
import { Plus, Search, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useForm } from '@/forms/context'
import { blank, Field } from '@/forms/Field'
import { isRecord, member, type Path } from '@/forms/pointer'
import { type JsonSchema, norm, startValue } from '@/forms/schema/schema'
import { useT } from '@/i18n'
import { Button, cx, IconButton } from '@/ui'
import type { ShapedProps } from './scalars'

const FIRST = 60

export function ObjectControl({ shape, path, value, name, top }: ShapedProps) {
  const t = useT()
  const [all, setAll] = useState(false)
  const [newKey, setNewKey] = useState('')
  const many = shape.fields.length > FIRST
  const text = newKey.trim().toLowerCase()
  const matching =
    text === '' ? shape.fields : shape.fields.filter((field) => field.name.toLowerCase().includes(text))
  const shown = all ? matching : matching.slice(0, FIRST)
  const listed = useMemo(() => new Set(shape.fields.map((field) => field.name)), [shape])
  const extras = isRecord(value) ? Object.keys(value).filter((key) => !listed.has(key)) : []
  return (
    <fieldset className={cx('form-object', !top && 'form-nested')} aria-label={name || undefined}>
      {many ? (
        <div className="input form-wide">
          <Search aria-hidden />
          <input
            value={newKey}
            aria-label={t('forms.search_fields', { n: shape.fields.length })}
            placeholder={t('forms.search_fields', { n: shape.fields.length })}
            onChange={(event) => setNewKey(event.target.value)}
          />
        </div>
      ) : null}
      {shown.map((field) => (
        <Field
          key={field.name}
          schema={field.schema}
          parent={path}
          name={field.name}
          value={member(value, field.name)}
          required={field.required}
        />
      ))}
      {matching.length > shown.length ? (
        <Button size="small" className="form-wide" onClick={() => setAll(true)}>
          {t('common.show_all', { n: matching.length - shown.length })}
        </Button>
      ) : null}
      {shape.extra !== null || extras.length > 0 ? (
        <Entries schema={shape.extra} path={path} value={value} names={extras} />
      ) : null}
    </fieldset>
  )
}

/** Keys that no property lists. Where the schema takes none, those that are there anyway are shown and can be removed. */
function Entries({
  schema,
  path,
  value,
  names,
}: {
  schema: JsonSchema | null
  path: Path
  value: unknown
  names: string[]
}) {
  const t = useT()
  const form = useForm()
  const [adding, setAdding] = useState<string>()
  const taken = adding !== undefined && (member(value, adding) !== undefined || adding === '')
  const add = () => {
    if (adding === undefined || taken) return
    const shape = norm(schema ?? true, form.root)
    form.update([...path, adding], startValue(schema ?? true, form.root) ?? blank(shape, form.root))
    setAdding(undefined)
  }
  return (
    <div className="form-entries form-wide">
      {names.slice(0, FIRST * 4).map((name) => (
        <Field
          key={name}
          schema={schema ?? true}
          parent={path}
          name={name}
          value={member(value, name)}
          required
          aside={
            <IconButton
              size="small"
              label={t('forms.remove_item', { field: name })}
              disabled={form.disabled}
              onClick={() => form.update([...path, name], undefined)}
            >
              <X aria-hidden />
            </IconButton>
          }
        />
      ))}
      {schema === null || form.disabled ? null : adding === undefined ? (
        <div>
          <Button size="small" icon={<Plus aria-hidden />} onClick={() => setAdding('')}>
            {t('forms.add_entry')}
          </Button>
        </div>
      ) : (
        <div className="form-row">
          <div className="input input-mono">
            <input
              // biome-ignore lint/a11y/noAutofocus: it appears because its button was pressed
              autoFocus
              value={adding}
              aria-label={t('forms.entry_name')}
              placeholder={t('forms.new_entry')}
              onChange={(event) => setAdding(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter') {
                  event.preventDefault()
                  add()
                }
                if (event.key === 'Escape') {
                  event.stopPropagation()
                  setAdding(undefined)
                }
              }}
            />
          </div>
          <Button disabled={taken} onClick={add}>
            {t('common.add')}
          </Button>
        </div>
      )}
    </div>
  )
}
