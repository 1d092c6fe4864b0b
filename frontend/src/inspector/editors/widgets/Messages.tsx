/** The messages of a round: who says what, first to last. */
import { Plus } from 'lucide-react'
import { isRecord, TemplateInput } from '@/forms'
import { useT } from '@/i18n'
import { toText } from '@/inspector/values/value-text'
import { Button, Select } from '@/ui'
import { FieldFrame, useFieldErrors, useNodeForm } from '../../node-form'
import { RowButtons } from '../../RowButtons'
import type { ConfigField } from './widgets'

const ROLES = ['system', 'user', 'assistant'] as const

export function Messages({ field }: { field: ConfigField }) {
  const t = useT()
  const form = useNodeForm()
  const value = form.node.config[field.name]
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  const errors = useFieldErrors([field.name])
  const set = (next: readonly unknown[]) => form.edit.config([field.name], next)
  return (
    <FieldFrame label={String(field.schema.title ?? field.name)} errors={errors}>
      <div className="inspector-stack">
        {list.map((message, index) => {
          const n = index + 1
          const reply = isRecord(message) ? message : {}
          const role = typeof reply.role === 'string' ? reply.role : 'user'
          const options = ROLES.map((text) => ({ value: text as string, label: t(`inspector.role_${text}`) }))
          if (!options.some((option) => option.value === role)) options.push({ value: role, label: role })
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages have no identity but their place
            <fieldset key={index} className="inspector-case" aria-label={t('inspector.message_n', { n })}>
              <div className="inspector-message-head">
                <Select
                  aria-label={t('inspector.message_role', { n })}
                  value={role}
                  options={options}
                  disabled={form.disabled}
                  onChange={(next) => form.edit.config([field.name, index, 'role'], next)}
                />
                {form.disabled ? null : (
                  <span className="form-aside">
                    <RowButtons
                      list={list}
                      index={index}
                      up={t('inspector.move_message_up', { n })}
                      remove={t('inspector.remove_message', { n })}
                      onChange={set}
                    />
                  </span>
                )}
              </div>
              <TemplateInput
                id={`${form.node.id}-${field.name}-${index}`}
                label={t('inspector.message_text', { n })}
                value={typeof reply.content === 'string' ? reply.content : toText(reply.content)}
                onChange={(next) => form.edit.config([field.name, index, 'content'], next)}
                scope={form.scope}
                multiline
                disabled={form.disabled}
              />
            </fieldset>
          )
        })}
        {form.disabled ? null : (
          <div>
            <Button
              size="small"
              icon={<Plus aria-hidden />}
              onClick={() => set([...list, { role: list.length === 0 ? 'system' : 'user', content: '' }])}
            >
              {t('inspector.add_message')}
            </Button>
          </div>
        )}
      </div>
    </FieldFrame>
  )
}
