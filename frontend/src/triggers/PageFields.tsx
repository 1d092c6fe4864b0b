/** The settings of a page: what it shows and to whom, in which frames, and what it may spend. */
import { useT } from '@/i18n'
import { Select, TextArea, TextField } from '@/ui'
import { ACCESSES, type Draft, SHOWS } from './draft'
import type { FormPart } from './fields'

export function PageFields({ draft, change, errorOf, exists }: FormPart) {
  const t = useT()
  return (
    <>
      <Select<Draft['show']>
        label={t('triggers.page_show')}
        value={draft.show}
        onChange={(show) => change({ show })}
        options={SHOWS.map((value) => ({ value, label: t(`triggers.page_${value}`) }))}
        hint={t(`triggers.page_${draft.show}_hint`)}
        error={errorOf('config.show')}
      />
      <Select<Draft['access']>
        label={t('triggers.page_access')}
        value={draft.access}
        disabled={exists}
        onChange={(access) => change({ access })}
        options={ACCESSES.map((value) => ({ value, label: t(`triggers.page_${value}`) }))}
        hint={exists ? t('triggers.page_access_stays') : t(`triggers.page_${draft.access}_hint`)}
        error={errorOf('config.access')}
      />
      <TextField
        label={t('triggers.page_title')}
        value={draft.title}
        onChange={(title) => change({ title })}
        error={errorOf('config.title')}
      />
      <TextArea
        label={t('triggers.page_words')}
        hint={t('triggers.page_words_hint')}
        value={draft.text}
        onChange={(text) => change({ text })}
        error={errorOf('config.text')}
      />
      <TextArea
        mono
        rows={3}
        label={t('triggers.page_origins')}
        hint={t('triggers.page_origins_hint')}
        placeholder="https://www.example.org"
        value={draft.origins}
        onChange={(origins) => change({ origins })}
        error={errorOf('config.origins')}
      />
      <div className="grid grid-cols-2 gap-3 narrow:grid-cols-1">
        <TextField
          label={t('triggers.page_cost')}
          hint={t('triggers.page_cost_hint')}
          value={draft.costPerDay}
          onChange={(costPerDay) => change({ costPerDay })}
          error={errorOf('config.cost_per_day')}
        />
        <TextField
          label={t('triggers.page_per_min')}
          hint={t('triggers.page_limit_hint')}
          value={draft.perMin}
          onChange={(perMin) => change({ perMin })}
          error={errorOf('config.per_min')}
        />
      </div>
    </>
  )
}
