/** What an endpoint lists, to choose from: some have hundreds. */
import { Search } from 'lucide-react'
import { useState } from 'react'
import { useT } from '@/i18n'
import { Button, Checkbox, compact, Dialog, TextField } from '@/ui'
import type { Model } from './mutations'

/** So many rows are drawn at most; the search finds the others. */
const MOST = 200

export function ModelPicker({
  found,
  chosen,
  blocked,
  onClose,
  onAdd,
}: {
  readonly found: readonly Model[]
  /** Ids that the provider has already. */
  readonly chosen: readonly string[]
  readonly blocked: string | undefined
  readonly onClose: () => void
  readonly onAdd: (models: readonly Model[]) => void
}) {
  const t = useT()
  const there = new Set(chosen)
  const fresh = found.filter((model) => !there.has(model.id))
  const [search, setSearch] = useState('')
  const [picked, setPicked] = useState<ReadonlySet<string>>(
    () => new Set(fresh.length <= 12 ? fresh.map((model) => model.id) : []),
  )
  const query = search.trim().toLowerCase()
  const fitting = found.filter((model) => model.id.toLowerCase().includes(query))
  const toggle = (id: string, on: boolean) => {
    const next = new Set(picked)
    if (on) next.add(id)
    else next.delete(id)
    setPicked(next)
  }
  const price = (model: Model) =>
    model.input_price === null && model.output_price === null
      ? ''
      : t('providers.prices', { input: model.input_price ?? '–', output: model.output_price ?? '–' })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('providers.models_listed', { n: found.length })}
      footer={
        <Button
          size="large"
          variant="primary"
          blocked={blocked ?? (picked.size === 0 ? t('providers.choose_model') : undefined)}
          onClick={() => onAdd(fresh.filter((model) => picked.has(model.id)))}
        >
          {t('providers.add_models', { n: picked.size })}
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-3">
        <TextField
          inputType="search"
          before={<Search aria-hidden />}
          aria-label={t('providers.find_model')}
          placeholder={t('providers.find_model')}
          value={search}
          onChange={setSearch}
        />
        <ul className="max-h-[min(400px,50vh)] overflow-auto rounded-md border border-line">
          {fitting.slice(0, MOST).map((model) => (
            <li
              key={model.id}
              className="flex min-h-8 items-center gap-2 border-b border-line px-3 last:border-0"
            >
              <Checkbox
                checked={there.has(model.id) || picked.has(model.id)}
                disabled={there.has(model.id)}
                onChange={(on) => toggle(model.id, on)}
                label={<code className="font-mono text-sm [overflow-wrap:anywhere]">{model.id}</code>}
              />
              <span className="ml-auto text-right text-xs text-muted">
                {there.has(model.id)
                  ? t('providers.there_already')
                  : [model.context ? compact(model.context) : '', price(model)].filter(Boolean).join(' · ')}
              </span>
            </li>
          ))}
          {fitting.length === 0 ? <li className="px-3 py-2 text-muted">{t('providers.none_fits')}</li> : null}
        </ul>
        {fitting.length > MOST ? (
          <p className="text-xs text-muted">{t('providers.more_models', { n: fitting.length - MOST })}</p>
        ) : null}
      </div>
    </Dialog>
  )
}
