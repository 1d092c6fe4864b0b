/** Lists: items that can be added, moved and removed; and tuples, whose places are fixed. */
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { useForm } from '@/forms/context'
import { blank, Field } from '@/forms/Field'
import { moved, type Path, toPointer, without } from '@/forms/pointer'
import { type JsonSchema, norm, type Shape, startValue } from '@/forms/schema/schema'
import { useT } from '@/i18n'
import { Button, IconButton } from '@/ui'
import type { ShapedProps } from './scalars'

const FIRST = 100

export function ArrayControl({ shape, path, value, name, id }: ShapedProps) {
  return (
    <Items
      shape={shape}
      path={path}
      value={value}
      name={name}
      id={id}
      schema={shape.items ?? true}
      fixed={0}
    />
  )
}

export function TupleControl({ shape, path, value, name, id }: ShapedProps) {
  const list = Array.isArray(value) ? value : []
  return (
    <fieldset className="form-nested form-object" aria-label={name || undefined}>
      {shape.prefix.map((schema, index) => (
        <Field
          // biome-ignore lint/suspicious/noArrayIndexKey: the place in a tuple is its identity
          key={index}
          schema={schema}
          parent={path}
          name={index}
          value={list[index] ?? undefined}
          required={index < (shape.minItems ?? shape.prefix.length)}
        />
      ))}
      {shape.items === null ? null : (
        <div className="form-wide">
          <Items
            shape={shape}
            path={path}
            value={value}
            name={name}
            id={id}
            schema={shape.items}
            fixed={shape.prefix.length}
          />
        </div>
      )}
    </fieldset>
  )
}

interface ItemsProps {
  shape: Shape
  path: Path
  value: unknown
  name: string
  id: string
  schema: JsonSchema
  /** How many places at the beginning are not ours. */
  fixed: number
}

function Items({ shape, path, value, name, id, schema, fixed }: ItemsProps) {
  const t = useT()
  const form = useForm()
  const [all, setAll] = useState(false)
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  const shown = all ? list : list.slice(0, FIRST)
  const full = shape.maxItems !== undefined && list.length >= shape.maxItems
  const set = (next: readonly unknown[]) => form.update(path, next)
  const add = () => {
    const padded = [...list]
    while (padded.length < fixed)
      padded.push(blank(norm(shape.prefix[padded.length] ?? true, form.root), form.root))
    set([...padded, startValue(schema, form.root) ?? blank(norm(schema, form.root), form.root)])
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list of fields inside a field; a second fieldset would be read twice
    <div
      className="form-items"
      role="group"
      aria-label={name || undefined}
      id={fixed === 0 ? id : undefined}
      data-pointer-list={toPointer(path)}
    >
      {shown.map((item, index) => {
        if (index < fixed) return null
        const label = t('forms.item', { n: index + 1 })
        return (
          <Field
            // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity of their own
            key={index}
            schema={schema}
            parent={path}
            name={index}
            label={label}
            value={item ?? undefined}
            required
            aside={
              form.disabled ? null : (
                <>
                  {index > fixed ? (
                    <IconButton
                      size="small"
                      label={t('forms.move_up', { field: label })}
                      onClick={() => set(moved(list, index, index - 1))}
                    >
                      <ArrowUp aria-hidden />
                    </IconButton>
                  ) : null}
                  {index < list.length - 1 ? (
                    <IconButton
                      size="small"
                      label={t('forms.move_down', { field: label })}
                      onClick={() => set(moved(list, index, index + 1))}
                    >
                      <ArrowDown aria-hidden />
                    </IconButton>
                  ) : null}
                  <IconButton
                    size="small"
                    label={t('forms.remove_item', { field: label })}
                    onClick={() => set(without(list, index))}
                  >
                    <X aria-hidden />
                  </IconButton>
                </>
              )
            }
          />
        )
      })}
      {list.length > shown.length ? (
        <Button size="small" onClick={() => setAll(true)}>
          {t('common.show_all', { n: list.length - shown.length })}
        </Button>
      ) : null}
      {full || form.disabled ? null : (
        <div>
          <Button size="small" icon={<Plus aria-hidden />} onClick={add}>
            {t('forms.add_item')}
          </Button>
        </div>
      )}
    </div>
  )
}
