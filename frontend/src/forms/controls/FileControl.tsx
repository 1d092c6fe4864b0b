/** A file, where a schema asks for one by `format: "file"`; in a file of its own, since few forms do. */
import { FileInput } from '@/files/FileInput'
import { useErrors, useForm } from '@/forms/context'
import { toPointer } from '@/forms/pointer'
import type { ShapedProps } from './scalars'

export function FileControl({ shape, id, path, value, name, describedBy }: ShapedProps) {
  const form = useForm()
  const errors = useErrors(toPointer(path))
  return (
    <FileInput
      id={id}
      name={name}
      value={value}
      accept={shape.accept ?? ''}
      disabled={form.disabled || shape.readOnly}
      invalid={errors.length > 0}
      describedBy={describedBy}
      onChange={(next) => form.update(path, next)}
    />
  )
}
