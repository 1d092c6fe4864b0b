/** List and aggregate: what is kept of a list and made of it, and what several values become. */
import { isRecord } from '@/forms'
import { type Key, useT } from '@/i18n'
import { Conditions } from '@/inspector/editors/Conditions'
import { ValuesConfig } from '@/inspector/editors/Rows'
import { FieldFrame, useFieldErrors, useNodeForm, ValueEntry } from '@/inspector/node-form'
import { Select } from '@/ui'

/** A value of the configuration under its label. */
function Entry({ name, label, hint }: { name: string; label: string; hint?: string }) {
  const form = useNodeForm()
  const errors = useFieldErrors([name])
  return (
    <FieldFrame label={label} errors={errors} hint={hint}>
      <ValueEntry
        label={label}
        value={form.node.config[name] ?? undefined}
        invalid={errors.length > 0}
        onChange={(next) => form.edit.config([name], next)}
      />
    </FieldFrame>
  )
}

const ORDERS = ['none', 'asc', 'desc'] as const

function Sort() {
  const t = useT()
  const form = useNodeForm()
  const { sort } = form.node.config
  const current = isRecord(sort) ? sort : null
  const order = current === null ? 'none' : current.order === 'desc' ? 'desc' : 'asc'
  const errors = useFieldErrors(['sort'])
  return (
    <>
      <Select
        label={t('http.sort')}
        value={order}
        disabled={form.disabled}
        options={ORDERS.map((value) => ({
          value,
          label: t(`http.sort_${value}` as Key as 'http.sort_none'),
        }))}
        onChange={(next) =>
          form.edit.config(
            ['sort'],
            next === 'none' ? undefined : { by: '{{ item }}', ...current, order: next },
          )
        }
      />
      {current === null ? null : (
        <FieldFrame label={t('http.sort_by')} errors={errors}>
          <ValueEntry
            label={t('http.sort_by')}
            value={current.by ?? '{{ item }}'}
            invalid={errors.length > 0}
            onChange={(next) => form.edit.config(['sort', 'by'], next ?? '')}
          />
        </FieldFrame>
      )}
    </>
  )
}

export function ListConfig() {
  const t = useT()
  const { config } = useNodeForm().node
  return (
    <>
      <Entry name="items" label={t('http.items')} />
      <FieldFrame label={t('http.filter')} hint={t('http.filter_hint')}>
        <Conditions path={[]} holder={config} at="filter" />
      </FieldFrame>
      <Sort />
      <div className="inspector-pair">
        <Entry name="offset" label={t('http.offset')} />
        <Entry name="limit" label={t('http.limit')} />
      </div>
      <Entry name="map" label={t('http.map')} hint={t('http.map_hint')} />
    </>
  )
}

const MODES = ['first', 'list', 'object'] as const

export function AggregateConfig() {
  const t = useT()
  const form = useNodeForm()
  const mode = MODES.find((each) => each === form.node.config.mode) ?? 'first'
  return (
    <>
      <ValuesConfig title={t('http.aggregate_values')} />
      <p className="field-hint">{t('http.aggregate_hint')}</p>
      <Select
        label={t('http.mode')}
        value={mode}
        disabled={form.disabled}
        options={MODES.map((value) => ({ value, label: t(`http.mode_${value}` as Key as 'http.mode_list') }))}
        onChange={(next) => form.edit.config(['mode'], next)}
      />
    </>
  )
}
