/** A choice of shapes: which one, and its fields. The choice is guessed from the value until someone makes it. */
import { useState } from 'react'
import { useForm } from '@/forms/context'
import { blank, Control } from '@/forms/Field'
import { guessVariant, norm, startValue } from '@/forms/schema/schema'
import { useT } from '@/i18n'
import { Segmented, Select } from '@/ui'
import type { ShapedProps } from './scalars'

export function UnionControl({ shape, path, value, name, required, describedBy }: ShapedProps) {
  const t = useT()
  const form = useForm()
  const [chosen, setChosen] = useState<number>()
  const index = chosen ?? guessVariant(shape, form.root, value)
  const variant = shape.variants[index]
  const choose = (next: string) => {
    const to = shape.variants[Number(next)]
    if (!to) return
    setChosen(Number(next))
    const start = startValue(to.schema, form.root) ?? blank(norm(to.schema, form.root), form.root)
    form.update(path, start === null || start === '' ? undefined : start)
  }
  const options = shape.variants.map((variant, index) => ({ value: String(index), label: variant.label }))
  const label = t('forms.variant', { field: name })
  const few = options.length <= 3 && options.every((option) => option.label.length <= 14)
  return (
    <div className="form-items">
      {few ? (
        <span>
          <Segmented
            small
            label={label}
            value={String(index)}
            options={options}
            disabled={form.disabled}
            onChange={choose}
          />
        </span>
      ) : (
        <Select
          small
          aria-label={label}
          value={String(index)}
          options={options}
          disabled={form.disabled}
          onChange={choose}
        />
      )}
      {variant ? (
        <Control
          key={index}
          schema={variant.schema}
          path={path}
          value={value}
          name={name}
          required={required}
          describedBy={describedBy}
        />
      ) : null}
    </div>
  )
}
