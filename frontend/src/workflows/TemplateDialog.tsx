/** Begin with a template: choose one, say which of the team's servers and models it works with. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api, asApiError } from '@/api/client'
import { providersQuery } from '@/api/providers'
import type { components } from '@/api/schema'
import { serversQuery } from '@/api/servers'
import { useT } from '@/i18n'
import { Button, Dialog, ErrorBox, Select, Skeleton } from '@/ui'

type Template = components['schemas']['Template']

const templatesQuery = {
  queryKey: ['workflow-template'],
  queryFn: async () => (await api.get('/api/workflow-templates')).results,
}

export function TemplateDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const templates = useQuery(templatesQuery)
  const [chosen, setChosen] = useState<string>()
  const template = templates.data?.find((one) => one.id === chosen) ?? templates.data?.[0]
  const fitting = useFitting(template)
  const create = useMutation({
    mutationFn: (body: { template: string; uses: Record<string, string> }) =>
      api.post('/api/workflows', { body }),
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: ['workflow'] })
      navigate(`/workflows/${made.id}`)
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('workflows.from_template')}
      footer={
        <Button
          variant="primary"
          size="large"
          busy={create.isPending}
          disabled={!template}
          onClick={() => template && create.mutate({ template: template.id, uses: fitting.uses })}
        >
          {t('workflows.create')}
        </Button>
      }
    >
      <div className="grid gap-4">
        {templates.isPending ? <Skeleton rows={4} row={56} /> : null}
        {templates.error ? <ErrorBox error={asApiError(templates.error)} /> : null}
        <div className="grid gap-1" role="radiogroup" aria-label={t('workflows.from_template')}>
          {(templates.data ?? []).map((one) => (
            <label key={one.id} className="template-choice" data-on={one.id === template?.id}>
              <input
                type="radio"
                name="template"
                checked={one.id === template?.id}
                onChange={() => setChosen(one.id)}
              />
              <span className="grid min-w-0">
                <span className="font-medium">{one.name}</span>
                <span className="text-xs text-muted">{one.description}</span>
              </span>
            </label>
          ))}
        </div>
        {template && template.needs.length > 0 ? <Needs template={template} fitting={fitting} /> : null}
        {create.error ? <ErrorBox error={asApiError(create.error)} /> : null}
      </div>
    </Dialog>
  )
}

interface Fitting {
  /** What is put in for the needs: as chosen, else what fits by name. */
  uses: Record<string, string>
  choose: (name: string, value: string) => void
}

/** The choices for a template, with the team's servers of the same name or preset chosen beforehand. */
function useFitting(template: Template | undefined): Fitting {
  const servers = useQuery(serversQuery).data ?? []
  const providers = useQuery(providersQuery).data ?? []
  const [chosen, setChosen] = useState<Record<string, string>>({})
  const uses: Record<string, string> = {}
  for (const need of template?.needs ?? []) {
    if (need.kind === 'server') {
      const own = servers.find((one) => one.slug === need.name)
      const same = servers.find((one) => need.preset !== '' && one.preset === need.preset)
      const slug = chosen[need.name] ?? own?.slug ?? same?.slug
      if (slug) uses[need.name] = slug
    } else {
      const provider = chosen.provider ?? providers[0]?.slug
      const model = chosen.model ?? providers.find((one) => one.slug === provider)?.models[0]?.id
      if (provider) uses.provider = provider
      if (model) uses.model = model
    }
  }
  return {
    uses,
    choose: (name, value) =>
      setChosen((before) => {
        const next = { ...before, [name]: value }
        if (name === 'provider') delete next.model
        return next
      }),
  }
}

function Needs({ template, fitting }: { template: Template; fitting: Fitting }) {
  const t = useT()
  return (
    <fieldset className="grid gap-3">
      <legend className="section-title mb-2">{t('workflows.template_needs')}</legend>
      {template.needs.map((need) =>
        need.kind === 'server' ? (
          <ServerNeed key={need.name} name={need.name} fitting={fitting} />
        ) : (
          <ModelNeed key={need.name} fitting={fitting} />
        ),
      )}
      <p className="field-hint">{t('workflows.template_later')}</p>
    </fieldset>
  )
}

function ServerNeed({ name, fitting }: { name: string; fitting: Fitting }) {
  const t = useT()
  const servers = useQuery(serversQuery).data
  const value = fitting.uses[name] ?? ''
  return (
    <Select
      label={t('workflows.template_server', { name })}
      value={value}
      options={[
        { value: '', label: t('workflows.template_none') },
        ...(servers ?? []).map((one) => ({ value: one.slug, label: one.name })),
      ]}
      hint={
        value === '' && servers ? (
          <Link className="link" href="/registry">
            {t('workflows.template_add_server')}
          </Link>
        ) : undefined
      }
      onChange={(next) => fitting.choose(name, next)}
    />
  )
}

function ModelNeed({ fitting }: { fitting: Fitting }) {
  const t = useT()
  const providers = useQuery(providersQuery).data
  const provider = fitting.uses.provider ?? ''
  const models = providers?.find((one) => one.slug === provider)?.models ?? []
  return (
    <div className="grid grid-cols-2 gap-3 phone:grid-cols-1">
      <Select
        label={t('workflows.template_provider')}
        value={provider}
        options={[
          { value: '', label: t('workflows.template_none') },
          ...(providers ?? []).map((one) => ({ value: one.slug, label: one.name })),
        ]}
        hint={
          providers?.length === 0 ? (
            <Link className="link" href="/settings/providers">
              {t('workflows.template_add_provider')}
            </Link>
          ) : undefined
        }
        onChange={(next) => fitting.choose('provider', next)}
      />
      <Select
        label={t('workflows.template_model')}
        value={fitting.uses.model ?? ''}
        options={[
          { value: '', label: t('workflows.template_none') },
          ...models.map((one) => ({ value: one.id, label: one.id })),
        ]}
        onChange={(next) => fitting.choose('model', next)}
      />
    </div>
  )
}
