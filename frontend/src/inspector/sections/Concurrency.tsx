/** How many runs of the workflow go on at once, by which key, and what a start does that finds no place. */
import { isRecord, SchemaForm } from '@/forms'
import { useT } from '@/i18n'
import { FieldFrame } from '@/inspector/node-form'
import { Select } from '@/ui'

const MOST = 1000

export function Concurrency({
  value,
  disabled,
  onChange,
}: {
  value: unknown
  disabled: boolean
  onChange: (value: Record<string, unknown> | undefined, place: string) => void
}) {
  const t = useT()
  const setting = isRecord(value) ? value : {}
  const { when_busy, ...rest } = setting
  const limited = isRecord(value)
  const schema = {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: MOST, title: t('inspector.concurrency_limit') },
      key: { type: 'string', title: t('inspector.concurrency_key') },
    },
  }
  return (
    <FieldFrame
      label={t('inspector.concurrency')}
      hint={t('inspector.concurrency_hint', { example: '{{ inputs.customer }}' })}
    >
      <SchemaForm
        schema={schema}
        value={rest}
        labels="titles"
        disabled={disabled}
        idPrefix="document-concurrency"
        onChange={(next, path) => {
          const entries = Object.entries(isRecord(next) ? next : {}).filter(([, entry]) => entry !== '')
          onChange(
            entries.length === 0
              ? undefined
              : { ...Object.fromEntries(entries), ...(when_busy !== undefined && { when_busy }) },
            String(path[0]),
          )
        }}
      />
      {limited ? (
        <Select
          label={t('inspector.concurrency_busy')}
          value={when_busy === 'refuse' ? 'refuse' : 'queue'}
          disabled={disabled}
          options={[
            { value: 'queue', label: t('inspector.concurrency_queue') },
            { value: 'refuse', label: t('inspector.concurrency_refuse') },
          ]}
          onChange={(next) => onChange({ ...setting, when_busy: next }, 'when_busy')}
        />
      ) : null}
    </FieldFrame>
  )
}
