/** What is sent to the model beside the messages: the usual numbers as fields, anything else as JSON. */
import { isRecord, SchemaForm } from '@/forms'
import { useT } from '@/i18n'
import { FieldFrame, useNodeForm } from '../../node-form'
import type { ConfigField } from './widgets'

const PARAMS = {
  type: 'object',
  properties: {
    temperature: { type: 'number', minimum: 0, maximum: 2, 'x-expression': true },
    max_tokens: { type: 'integer', minimum: 1, 'x-expression': true },
    top_p: { type: 'number', minimum: 0, maximum: 1, 'x-expression': true },
    seed: { type: 'integer', 'x-expression': true },
  },
  additionalProperties: true,
}

export function Params({ field }: { field: ConfigField }) {
  const t = useT()
  const form = useNodeForm()
  const value = form.node.config[field.name]
  const prefix = `/${field.name}`
  const errors = Object.fromEntries(
    Object.entries(form.errors)
      .filter(([pointer]) => pointer.startsWith(prefix))
      .map(([pointer, sentences]) => [pointer.slice(prefix.length), sentences]),
  )
  return (
    <FieldFrame label={String(field.schema.title ?? field.name)} hint={t('inspector.params_hint')}>
      <SchemaForm
        key={form.node.id}
        schema={PARAMS}
        value={isRecord(value) ? value : {}}
        mode="expression"
        expressions="marked"
        scope={form.scope}
        errors={errors}
        disabled={form.disabled}
        idPrefix={`${form.node.id}-params`}
        onChange={(next, path) => {
          const empty = !isRecord(next) || Object.keys(next).length === 0
          form.edit.config([field.name], empty ? undefined : next, path)
        }}
      />
    </FieldFrame>
  )
}
