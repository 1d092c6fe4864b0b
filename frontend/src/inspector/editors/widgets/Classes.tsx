/** The classes of a classifier: each is a port, and its description tells the model what belongs there. */
import { Plus, X } from 'lucide-react'
import { isRecord, without } from '@/forms'
import { useT } from '@/i18n'
import { Button, IconButton, TextArea, TextField } from '@/ui'
import { FieldFrame, useFieldErrors, useNodeForm } from '../../node-form'
import type { ConfigField } from './widgets'

export function Classes({ field }: { field: ConfigField }) {
  const t = useT()
  const form = useNodeForm()
  const value = form.node.config[field.name]
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  const rows = list.map((entry) => (isRecord(entry) ? entry : {}))
  const ids = rows.map((row) => (typeof row.id === 'string' ? row.id : ''))
  const errors = useFieldErrors([field.name])
  const set = (next: readonly unknown[]) => form.edit.config([field.name], next)
  return (
    <FieldFrame
      label={String(field.schema.title ?? field.name)}
      hint={t('inspector.classes_hint')}
      errors={errors}
    >
      <div className="inspector-stack">
        {rows.map((row, index) => {
          const n = index + 1
          const id = ids[index] ?? ''
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the id is what is edited here
            <fieldset key={index} className="inspector-case" aria-label={t('inspector.class_n', { n })}>
              <TextField
                mono
                label={t('inspector.class_id', { n })}
                value={id}
                disabled={form.disabled}
                error={ids.indexOf(id) !== index ? t('inspector.case_taken') : undefined}
                onChange={(next) => form.edit.config([field.name, index, 'id'], next)}
                aside={
                  form.disabled ? undefined : (
                    <IconButton
                      size="small"
                      label={t('inspector.remove_class', { n })}
                      onClick={() => set(without(list, index))}
                    >
                      <X aria-hidden />
                    </IconButton>
                  )
                }
              />
              <TextArea
                label={t('inspector.class_description', { n })}
                rows={2}
                value={typeof row.description === 'string' ? row.description : ''}
                disabled={form.disabled}
                onChange={(next) => form.edit.config([field.name, index, 'description'], next)}
              />
            </fieldset>
          )
        })}
        {form.disabled ? null : (
          <div>
            <Button
              size="small"
              icon={<Plus aria-hidden />}
              onClick={() => set([...list, { id: freeId(ids), description: '' }])}
            >
              {t('inspector.add_class')}
            </Button>
          </div>
        )}
      </div>
    </FieldFrame>
  )
}

function freeId(ids: readonly string[]): string {
  for (let n = ids.length + 1; ; n++) if (!ids.includes(`class_${n}`)) return `class_${n}`
}
