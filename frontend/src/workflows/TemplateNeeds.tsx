/** What a template works with: a server of the team's or one added for it here, a provider, a model. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { providersQuery } from '@/api/providers'
import { useMay } from '@/api/queries'
import { type Preset, serversQuery } from '@/api/servers'
import { inLanguage, useT } from '@/i18n'
import { Checkbox, Select, TextField } from '@/ui'
import { type Fitting, NEW, type Template, useAddable } from './fitting'

export function TemplateNeeds({ template, fitting }: { template: Template; fitting: Fitting }) {
  const t = useT()
  const added = Object.values(fitting.added)
  return (
    <fieldset className="grid gap-3">
      <legend className="section-title mb-2">{t('workflows.template_needs')}</legend>
      {template.needs.map((need) =>
        need.kind === 'server' ? (
          <ServerNeed key={need.name} need={need} fitting={fitting} />
        ) : (
          <ModelNeed key={need.name} fitting={fitting} />
        ),
      )}
      {added.some((preset) => preset.transport === 'stdio') ? (
        <Checkbox
          checked={fitting.known}
          onChange={fitting.setKnown}
          label={t('workflows.template_known')}
          hint={t('workflows.template_trust')}
        />
      ) : null}
      <p className="field-hint">
        {added.length > 0 ? t('workflows.template_connects') : t('workflows.template_later')}
      </p>
    </fieldset>
  )
}

function ServerNeed({ need, fitting }: { need: Template['needs'][number]; fitting: Fitting }) {
  const t = useT()
  const servers = useQuery(serversQuery).data
  const may = useMay('admin')
  const preset = useAddable()(need)
  const adding = fitting.added[need.name]
  const value = adding ? NEW : (fitting.uses[need.name] ?? '')
  const missing = value === '' && servers
  return (
    <>
      <Select
        label={t('workflows.template_server', { name: need.name })}
        value={value}
        options={[
          { value: '', label: t('workflows.template_none') },
          ...(preset
            ? [{ value: NEW, label: t('workflows.template_new', { name: inLanguage(preset.name) }) }]
            : []),
          ...(servers ?? []).map((server) => ({ value: server.slug, label: server.name })),
        ]}
        hint={
          missing && may ? (
            <Link className="link" href="/registry">
              {t('workflows.template_add_server')}
            </Link>
          ) : missing ? (
            t('workflows.template_ask_admin')
          ) : undefined
        }
        onChange={(next) => fitting.choose(need.name, next)}
      />
      {adding ? <NeedFields need={need.name} preset={adding} fitting={fitting} /> : null}
    </>
  )
}

/** The fields of the preset by which a server is added. */
function NeedFields({ need, preset, fitting }: { need: string; preset: Preset; fitting: Fitting }) {
  return preset.inputs.map((field) => (
    <TextField
      key={field.name}
      mono
      label={inLanguage(field.label)}
      required={field.required}
      placeholder={field.placeholder ?? ''}
      value={fitting.values[`${need}.${field.name}`] ?? ''}
      onChange={(value) => fitting.type(`${need}.${field.name}`, value)}
    />
  ))
}

function ModelNeed({ fitting }: { fitting: Fitting }) {
  const t = useT()
  const providers = useQuery(providersQuery).data
  const provider = fitting.uses.provider ?? ''
  const models = providers?.find((entry) => entry.slug === provider)?.models ?? []
  return (
    <div className="grid grid-cols-2 gap-3 phone:grid-cols-1">
      <Select
        label={t('workflows.template_provider')}
        value={provider}
        options={[
          { value: '', label: t('workflows.template_none') },
          ...(providers ?? []).map((provider) => ({ value: provider.slug, label: provider.name })),
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
          ...models.map((model) => ({ value: model.id, label: model.id })),
        ]}
        onChange={(next) => fitting.choose('model', next)}
      />
    </div>
  )
}
