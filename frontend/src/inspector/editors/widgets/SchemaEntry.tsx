/** A JSON Schema in a configuration: what an answer has to look like. */
import { Plus, X } from 'lucide-react'
import { isRecord } from '@/forms'
import { useT } from '@/i18n'
import { Button, IconButton } from '@/ui'
import { FieldFrame, useFieldErrors, useNodeForm } from '../../node-form'
import { SchemaField } from '../Start'
import type { ConfigField } from './widgets'

export function SchemaEntry({ field }: { field: ConfigField }) {
  const t = useT()
  const form = useNodeForm()
  const errors = useFieldErrors([field.name])
  const value = form.node.config[field.name]
  const label = String(field.schema.title ?? field.name)
  const hint = typeof field.schema.description === 'string' ? field.schema.description : undefined
  if (value === undefined && !field.required) {
    return (
      <FieldFrame label={label} hint={hint} errors={errors}>
        <div>
          <Button
            size="small"
            icon={<Plus aria-hidden />}
            disabled={form.disabled}
            onClick={() =>
              form.edit.config([field.name], {
                type: 'object',
                properties: { answer: { type: 'string' } },
                required: ['answer'],
              })
            }
          >
            {t('inspector.define_fields')}
          </Button>
        </div>
      </FieldFrame>
    )
  }
  return (
    <SchemaField
      label={label}
      hint={hint}
      errors={errors}
      value={isRecord(value) ? value : {}}
      disabled={form.disabled}
      idPrefix={`${form.node.id}-${field.name}`}
      onChange={(next, place) => form.edit.config([field.name], next, [place])}
      aside={
        field.required || form.disabled ? undefined : (
          <IconButton
            size="small"
            label={t('inspector.remove_row', { name: label })}
            onClick={() => form.edit.config([field.name], undefined)}
          >
            <X aria-hidden />
          </IconButton>
        )
      }
    />
  )
}
