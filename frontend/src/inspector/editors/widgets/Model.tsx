/** Which provider and which of its models a node asks. A model that the provider does not list may be named too. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { type Provider, providersQuery } from '@/api/providers'
import { isRecord } from '@/forms'
import { listOf, sentenceGap, useT } from '@/i18n'
import { compact, Select, TextField } from '@/ui'
import { FieldFrame, useFieldErrors, useNodeForm } from '../../node-form'
import type { ConfigField } from './widgets'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Where in a node's configuration the two names stand: at its top, or in the field of this name. */
interface At {
  readonly at?: string
}

const pathOf = (time: string | undefined): string[] => (time === undefined ? [] : [time])

function useChosen(time: string | undefined) {
  const { config } = useNodeForm().node
  const inner = time === undefined ? config : config[time]
  const names: Record<string, unknown> = isRecord(inner) ? inner : {}
  const providers = useQuery(providersQuery).data
  const name = text(names.provider)
  return {
    names,
    providers,
    chosen: providers?.find((provider) => provider.slug === name || provider.id === name),
  }
}

/** The model that is asked where the first one does not answer. */
export function FallbackModel({ field }: { field: ConfigField }) {
  const t = useT()
  const { names } = useChosen(field.name)
  const hint = typeof field.schema.description === 'string' ? field.schema.description : undefined
  return (
    <FieldFrame label={t('inspector.fallback')} hint={hint}>
      <div className="inspector-pair">
        <ProviderSelect at={field.name} />
        {names.provider === undefined ? null : <ModelSelect at={field.name} />}
      </div>
    </FieldFrame>
  )
}

export function ProviderSelect({ at }: At) {
  const t = useT()
  const form = useNodeForm()
  const { names, providers, chosen } = useChosen(at)
  const error = useFieldErrors([...pathOf(at), 'provider'])[0]
  const value = text(names.provider)
  const options = [
    { value: '', label: t(at === undefined ? 'inspector.choose_provider' : 'inspector.no_fallback') },
    ...(providers ?? []).map((provider) => ({ value: provider.slug, label: provider.name })),
  ]
  if (value !== '' && !options.some((option) => option.value === value)) {
    const label = chosen?.name ?? (providers ? t('inspector.unknown_provider', { name: value }) : value)
    options.push({ value, label })
  }
  const none = providers?.length === 0
  return (
    <Select
      label={t('inspector.provider')}
      required={at === undefined}
      value={value}
      options={options}
      disabled={form.disabled}
      error={none ? undefined : error}
      hint={
        none ? (
          <>
            {t('inspector.no_providers')}
            {sentenceGap()}
            <Link className="link" href="/settings/providers">
              {t('inspector.add_provider')}
            </Link>
          </>
        ) : undefined
      }
      onChange={(next) => {
        if (next === value) return
        const models = providers?.find((provider) => provider.slug === next)?.models ?? []
        const model = text(names.model)
        const kept = model !== '' && models.some((entry) => entry.id === model)
        const { provider: _before, model: _model, ...others } = names
        const first = kept ? model : models[0]?.id
        if (next === '' && at !== undefined) return form.edit.config([at], undefined)
        form.edit.config(pathOf(at), {
          ...(next !== '' && { provider: next }),
          ...(first !== undefined ? { model: first } : model !== '' && { model }),
          ...others,
        })
      }}
    />
  )
}

const OTHER = ' other'

export function ModelSelect({ at }: At) {
  const t = useT()
  const form = useNodeForm()
  const { names, chosen } = useChosen(at)
  const place = [...pathOf(at), 'model']
  const error = useFieldErrors(place)[0]
  const value = text(names.model)
  const models = chosen?.models ?? []
  const listed = models.find((model) => model.id === value)
  const [typing, setTyping] = useState(false)
  const about = listed ? [describe(listed, t)].filter(Boolean).join('') : undefined
  if (typing || models.length === 0 || (value !== '' && !listed)) {
    return (
      <TextField
        mono
        label={t('inspector.model')}
        required={at === undefined}
        value={value}
        placeholder={t('inspector.model_id')}
        disabled={form.disabled}
        error={error}
        aside={
          models.length > 0 && !form.disabled ? (
            <button
              type="button"
              className="link"
              onClick={() => {
                setTyping(false)
                if (!listed) form.edit.config(place, models[0]?.id)
              }}
            >
              {t('inspector.model_from_list')}
            </button>
          ) : undefined
        }
        onChange={(next) => form.edit.config(place, next === '' ? undefined : next)}
      />
    )
  }
  return (
    <Select
      label={t('inspector.model')}
      required={at === undefined}
      value={value}
      options={[
        { value: '', label: t('inspector.choose_model') },
        ...models.map((model) => ({ value: model.id, label: model.id })),
        { value: OTHER, label: t('inspector.other_model') },
      ]}
      disabled={form.disabled}
      error={error}
      hint={about || undefined}
      onChange={(next) => {
        if (next === OTHER) setTyping(true)
        else form.edit.config(place, next === '' ? undefined : next)
      }}
    />
  )
}

/** `128K context · tools, vision`. */
function describe(model: Provider['models'][number], t: ReturnType<typeof useT>): string {
  const parts: string[] = []
  if (model.context) parts.push(t('inspector.context_n', { tokens: compact(model.context) }))
  if (model.features && model.features.length > 0) parts.push(listOf(model.features))
  return parts.join(' · ')
}
