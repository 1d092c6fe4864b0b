/** The settings of a schedule: cron, every so often, or dates; time zone; what overlaps and what was missed. */
import { useState } from 'react'
import { useT } from '@/i18n'
import { Field, Segmented, Select, TextArea, TextField } from '@/ui'
import { type Draft, MISSED, OVERLAPS, type UNITS, WAYS } from './draft'
import type { FormPart } from './fields'

/** The zones that the browser knows, offered while one types. */
const zones = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')]

function Times({ draft, change, errorOf }: FormPart) {
  const t = useT()
  if (draft.way === 'cron') {
    return (
      <TextField
        mono
        required
        label={t('triggers.cron')}
        hint={t('triggers.cron_hint')}
        value={draft.cron}
        onChange={(cron) => change({ cron })}
        error={errorOf('config.cron')}
      />
    )
  }
  if (draft.way === 'every') {
    return (
      <div className="trigger-pair">
        <TextField
          inputType="number"
          required
          min={1}
          label={t('triggers.every_n')}
          value={draft.every}
          onChange={(every) => change({ every })}
          error={errorOf('config.every_s')}
        />
        <Select<Draft['unit']>
          label={t('triggers.unit')}
          value={draft.unit}
          onChange={(unit) => change({ unit })}
          options={(['minutes', 'hours', 'days', 'seconds'] as const satisfies (keyof typeof UNITS)[]).map(
            (value) => ({ value, label: t(`triggers.${value}`) }),
          )}
        />
      </div>
    )
  }
  return (
    <TextArea
      mono
      required
      rows={4}
      label={t('triggers.dates')}
      hint={t('triggers.dates_hint')}
      value={draft.dates}
      onChange={(dates) => change({ dates })}
      error={errorOf('config.at')}
    />
  )
}

/** The zones are listed once somebody comes to choose: there are hundreds. */
function TimeZone({ draft, change, errorOf }: FormPart) {
  const t = useT()
  const [choosing, setChoosing] = useState(false)
  return (
    <>
      <TextField
        label={t('triggers.timezone')}
        list="trigger-zones"
        required
        value={draft.timezone}
        onChange={(timezone) => change({ timezone })}
        onFocus={() => setChoosing(true)}
        onBlur={() => setChoosing(false)}
        error={errorOf('config.timezone')}
      />
      <datalist id="trigger-zones">
        {choosing ? zones().map((zone) => <option key={zone} value={zone} />) : null}
      </datalist>
    </>
  )
}

export function ScheduleFields(part: FormPart) {
  const t = useT()
  const { draft, change, errorOf } = part
  return (
    <>
      <Field label={t('triggers.when')}>
        {() => (
          <div>
            <Segmented<Draft['way']>
              label={t('triggers.when')}
              value={draft.way}
              onChange={(way) => change({ way })}
              options={WAYS.map((value) => ({ value, label: t(`triggers.${value}`) }))}
            />
          </div>
        )}
      </Field>
      <Times {...part} />
      <TimeZone {...part} />
      <Select<Draft['overlap']>
        label={t('triggers.overlap')}
        value={draft.overlap}
        onChange={(overlap) => change({ overlap })}
        options={OVERLAPS.map((value) => ({ value, label: t(`triggers.overlap_${value}`) }))}
        error={errorOf('config.overlap')}
      />
      <Select<Draft['missed']>
        label={t('triggers.missed_if')}
        value={draft.missed}
        onChange={(missed) => change({ missed })}
        options={MISSED.map((value) => ({ value, label: t(`triggers.missed_${value}`) }))}
        error={errorOf('config.missed')}
      />
    </>
  )
}
