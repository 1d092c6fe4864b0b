/** Which provider and which of its models a node asks. A model that the provider does not list may be named too. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { type Provider, providersQuery } from '@/api/providers'
import { useT } from '@/i18n'
import { compact, Select, TextField } from '@/ui'
import { useFieldErrors, useNodeForm } from '../../node-form'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function useChosen(): { providers: readonly Provider[] | undefined; chosen: Provider | undefined } {
  const { config } = useNodeForm().node
  const providers = useQuery(providersQuery).data
  const name = text(config.provider)
  return { providers, chosen: providers?.find((one) => one.slug === name || one.id === name) }
}

export function ProviderSelect() {
  const t = useT()
  const form = useNodeForm()
  const { providers, chosen } = useChosen()
  const error = useFieldErrors(['provider'])[0]
  const value = text(form.node.config.provider)
  const options = [
    { value: '', label: t('inspector.choose_provider') },
    ...(providers ?? []).map((one) => ({ value: one.slug, label: one.name })),
  ]
  if (value !== '' && !options.some((option) => option.value === value)) {
    const label = chosen?.name ?? (providers ? t('inspector.unknown_provider', { name: value }) : value)
    options.push({ value, label })
  }
  const none = providers?.length === 0
  return (
    <Select
      label={t('inspector.provider')}
      value={value}
      options={options}
      disabled={form.disabled}
      error={none ? undefined : error}
      hint={
        none ? (
          <>
            {t('inspector.no_providers')}{' '}
            <Link className="link" href="/settings/providers">
              {t('inspector.add_provider')}
            </Link>
          </>
        ) : undefined
      }
      onChange={(next) => {
        if (next === value) return
        const models = providers?.find((one) => one.slug === next)?.models ?? []
        const model = text(form.node.config.model)
        const kept = model !== '' && models.some((one) => one.id === model)
        const { provider: _before, model: _model, ...others } = form.node.config
        const first = kept ? model : models[0]?.id
        form.edit.config([], {
          ...(next !== '' && { provider: next }),
          ...(first !== undefined ? { model: first } : model !== '' && { model }),
          ...others,
        })
      }}
    />
  )
}

const OTHER = ' other'

export function ModelSelect() {
  const t = useT()
  const form = useNodeForm()
  const { chosen } = useChosen()
  const error = useFieldErrors(['model'])[0]
  const value = text(form.node.config.model)
  const models = chosen?.models ?? []
  const listed = models.find((one) => one.id === value)
  const [typing, setTyping] = useState(false)
  const about = listed ? [describe(listed, t)].filter(Boolean).join('') : undefined
  if (typing || models.length === 0 || (value !== '' && !listed)) {
    return (
      <TextField
        mono
        label={t('inspector.model')}
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
                if (!listed) form.edit.config(['model'], models[0]?.id)
              }}
            >
              {t('inspector.model_from_list')}
            </button>
          ) : undefined
        }
        onChange={(next) => form.edit.config(['model'], next === '' ? undefined : next)}
      />
    )
  }
  return (
    <Select
      label={t('inspector.model')}
      value={value}
      options={[
        { value: '', label: t('inspector.choose_model') },
        ...models.map((one) => ({ value: one.id, label: one.id })),
        { value: OTHER, label: t('inspector.other_model') },
      ]}
      disabled={form.disabled}
      error={error}
      hint={about || undefined}
      onChange={(next) => {
        if (next === OTHER) setTyping(true)
        else form.edit.config(['model'], next === '' ? undefined : next)
      }}
    />
  )
}

/** `128K context · tools, vision`. */
function describe(model: Provider['models'][number], t: ReturnType<typeof useT>): string {
  const parts: string[] = []
  if (model.context) parts.push(t('inspector.context_n', { tokens: compact(model.context) }))
  if (model.features && model.features.length > 0) parts.push(model.features.join(', '))
  return parts.join(' · ')
}
