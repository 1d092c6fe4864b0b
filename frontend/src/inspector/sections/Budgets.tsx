/** What a whole run may use: tokens, cost, seconds, tool calls, and what happens when that is used up. */
import { isRecord, SchemaForm } from '@/forms'
import { useT } from '@/i18n'
import { FieldFrame } from '@/inspector/node-form'
import { Select } from '@/ui'

const LIMITS = ['tokens', 'cost', 'seconds', 'tool_calls'] as const

export function Budgets({
  value,
  disabled,
  onChange,
}: {
  value: unknown
  disabled: boolean
  onChange: (value: Record<string, unknown> | undefined, place: string) => void
}) {
  const t = useT()
  const budgets = isRecord(value) ? value : {}
  const limited = LIMITS.some((name) => budgets[name] !== undefined)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      LIMITS.map((name) => [
        name,
        {
          type: name === 'cost' || name === 'seconds' ? 'number' : 'integer',
          exclusiveMinimum: 0,
          title: t(`inspector.budget_${name}`),
        },
      ]),
    ),
    additionalProperties: false,
  }
  const { on_limit, ...amounts } = budgets
  return (
    <FieldFrame label={t('inspector.budgets')} hint={t('inspector.budgets_hint')}>
      <SchemaForm
        schema={schema}
        value={amounts}
        labels="titles"
        disabled={disabled}
        idPrefix="document-budgets"
        onChange={(next, path) => {
          const set = isRecord(next) ? next : {}
          const empty = Object.keys(set).length === 0
          onChange(
            empty ? undefined : { ...set, ...(on_limit !== undefined && { on_limit }) },
            String(path[0]),
          )
        }}
      />
      {limited ? (
        <Select
          label={t('inspector.budget_on_limit')}
          value={on_limit === 'ask' ? 'ask' : 'stop'}
          disabled={disabled}
          options={[
            { value: 'stop', label: t('inspector.budget_stop') },
            { value: 'ask', label: t('inspector.budget_ask') },
          ]}
          onChange={(next) => onChange({ ...budgets, on_limit: next }, 'on_limit')}
        />
      ) : null}
    </FieldFrame>
  )
}
