/** A provider's models: asked of the endpoint or written by hand, with prices and what each can do. */
import { CloudDownload, Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { asApiError } from '@/api/client'
import type { Provider } from '@/api/providers'
import { useMay, useMe } from '@/api/queries'
import { fieldError } from '@/forms'
import { useT } from '@/i18n'
import { Button, EmptyState, ErrorBox, IconButton, TextField, useNarrow } from '@/ui'
import { changedModels, FEATURES, modelOf, type Row, rowOf, withModels } from './draft'
import { ModelPicker } from './ModelPicker'
import { type Feature, useChangeProvider, useListedModels } from './mutations'

const COLUMNS = 'grid-cols-[minmax(0,1fr)_88px_72px_72px_72px_264px_28px]'

function Features({
  row,
  may,
  onChange,
}: {
  row: Row
  may: boolean
  onChange: (features: Row['features']) => void
}) {
  const t = useT()
  const words: Readonly<Record<Feature, string>> = {
    tools: t('providers.feature_tools'),
    vision: t('providers.feature_vision'),
    json_schema: t('providers.feature_json_schema'),
    reasoning: t('providers.feature_reasoning'),
  }
  const toggle = (feature: Feature) => {
    const has = row.features ?? []
    const next = FEATURES.filter((text) => (text === feature ? !has.includes(text) : has.includes(text)))
    onChange(next.length > 0 ? next : null)
  }
  return (
    <fieldset
      className="flex flex-wrap gap-1"
      disabled={!may}
      aria-label={t('providers.features_of', { model: row.id })}
    >
      {FEATURES.map((feature) => {
        const on = row.features?.includes(feature) ?? false
        return (
          <button
            key={feature}
            type="button"
            className="chip provider-feature"
            aria-pressed={on}
            data-tip={row.features === null ? t('providers.features_unknown') : undefined}
            onClick={() => toggle(feature)}
          >
            {words[feature]}
          </button>
        )
      })}
    </fieldset>
  )
}

function ModelRow({
  row,
  may,
  onChange,
  onRemove,
}: {
  row: Row
  may: boolean
  onChange: (change: Partial<Row>) => void
  onRemove: () => void
}) {
  const t = useT()
  const narrow = useNarrow()
  const number = (name: 'context' | 'input' | 'cached' | 'output', label: string) => (
    <TextField
      label={narrow ? label : undefined}
      aria-label={`${label}: ${row.id}`}
      inputType="number"
      min={0}
      step="any"
      readOnly={!may}
      value={row[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  return (
    <li
      className={`grid ${COLUMNS} items-center gap-2 border-b border-line px-3 py-1 last:border-0 narrow:grid-cols-2 narrow:gap-3 narrow:py-3`}
    >
      <code
        className="min-w-0 truncate font-mono text-sm narrow:col-span-2 narrow:col-start-1 narrow:row-start-1 narrow:pr-10"
        data-tip={row.id.length > 30 ? row.id : undefined}
      >
        {row.id}
      </code>
      {number('context', t('providers.context'))}
      {number('input', t('providers.input_price'))}
      {number('cached', t('providers.cached_price'))}
      {number('output', t('providers.output_price'))}
      <div className="narrow:col-span-2">
        <Features row={row} may={may} onChange={(features) => onChange({ features })} />
      </div>
      <span className="narrow:col-start-2 narrow:row-start-1 narrow:justify-self-end">
        <IconButton
          label={t('providers.remove_model', { model: row.id })}
          blocked={may ? undefined : t('settings.admins_only')}
          onClick={onRemove}
        >
          <Trash2 />
        </IconButton>
      </span>
    </li>
  )
}

function Head() {
  const t = useT()
  return (
    <div
      className={`grid ${COLUMNS} gap-2 border-b border-line px-3 py-1.5 text-xs font-medium text-muted narrow:hidden`}
      aria-hidden
    >
      <span>{t('providers.model')}</span>
      <span data-tip={t('providers.context_hint')}>{t('providers.context')}</span>
      <span data-tip={t('providers.price_hint')}>{t('providers.input_price')}</span>
      <span data-tip={t('providers.cached_hint')}>{t('providers.cached_price')}</span>
      <span data-tip={t('providers.price_hint')}>{t('providers.output_price')}</span>
      <span data-tip={t('providers.features_unknown')}>{t('providers.can')}</span>
      <span />
    </div>
  )
}

/** A model of which nothing is said but its name. */
const unknown = (id: string) => ({
  id,
  context: null,
  input_price: null,
  cached_price: null,
  output_price: null,
  features: null,
})

function AddModel({ onAdd }: { onAdd: (id: string) => void }) {
  const t = useT()
  const [name, setName] = useState('')
  const add = (event: FormEvent) => {
    event.preventDefault()
    const id = name.trim()
    if (!id) return
    onAdd(id)
    setName('')
  }
  return (
    <form className="flex items-start gap-2" onSubmit={add}>
      <TextField
        className="max-w-80 flex-1"
        mono
        aria-label={t('providers.model_name')}
        placeholder={t('providers.model_name')}
        value={name}
        onChange={setName}
      />
      <Button type="submit" icon={<Plus />} disabled={!name.trim()}>
        {t('providers.add_model')}
      </Button>
    </form>
  )
}

export function Models({ provider }: { provider: Provider }) {
  const t = useT()
  const may = useMay('admin')
  const { currency } = useMe().team
  const editor = useMay('editor')
  const blocked = may ? undefined : t('settings.admins_only')
  const save = useChangeProvider(provider.id)
  const listed = useListedModels(provider.id)
  const [rows, setRows] = useState<readonly Row[]>(() => provider.models.map(rowOf))
  const [picking, setPicking] = useState(false)
  const dirty = changedModels(provider, rows)
  const error = save.error ? asApiError(save.error) : null
  const change = (id: string, next: Partial<Row>) =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...next } : row)))
  const store = (next: readonly Row[]) =>
    save.mutate({ models: next.map(modelOf) }, { onSuccess: (saved) => setRows(saved.models.map(rowOf)) })
  const fetchThem = () => listed.mutate(undefined, { onSuccess: () => setPicking(true) })
  return (
    <section className="grid grid-cols-1 gap-3" aria-label={t('providers.models')}>
      <div className="flex flex-wrap items-center gap-2">
        <h3>{t('providers.models')}</h3>
        <span className="mr-auto text-xs text-muted">{t('providers.prices_in', { currency })}</span>
        <Button
          className="ml-auto"
          icon={<CloudDownload />}
          busy={listed.isPending}
          blocked={editor ? undefined : t('providers.editors_only')}
          onClick={fetchThem}
        >
          {t('providers.fetch_models')}
        </Button>
      </div>
      {listed.error ? <ErrorBox error={asApiError(listed.error)} /> : null}
      {rows.length === 0 ? (
        <EmptyState flush title={t('providers.no_models')} text={t('providers.no_models_text')} />
      ) : (
        <div className="overflow-hidden rounded-md border border-line">
          <Head />
          <ul>
            {rows.map((row) => (
              <ModelRow
                key={row.id}
                row={row}
                may={may}
                onChange={(next) => change(row.id, next)}
                onRemove={() => setRows(rows.filter((entry) => entry.id !== row.id))}
              />
            ))}
          </ul>
        </div>
      )}
      {may ? <AddModel onAdd={(id) => setRows(withModels(rows, [unknown(id)]))} /> : null}
      {error ? <ErrorBox error={error}>{fieldError(error.fields, 'models')}</ErrorBox> : null}
      {dirty ? (
        <div className="flex items-center gap-2 border-t border-line pt-3">
          <p className="mr-auto text-xs text-muted" role="status">
            {t('forms.unsaved')}
          </p>
          <Button onClick={() => setRows(provider.models.map(rowOf))}>{t('forms.revert')}</Button>
          <Button variant="primary" busy={save.isPending} blocked={blocked} onClick={() => store(rows)}>
            {t('providers.save_models')}
          </Button>
        </div>
      ) : null}
      {picking && listed.data ? (
        <ModelPicker
          found={listed.data}
          chosen={rows.map((row) => row.id)}
          blocked={blocked}
          onClose={() => setPicking(false)}
          onAdd={(models) => {
            setPicking(false)
            store(withModels(rows, models))
          }}
        />
      ) : null}
    </section>
  )
}
