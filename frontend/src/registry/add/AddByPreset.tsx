/** Adding a server from a ready configuration: only what it asks for is filled in. */
import { useQuery } from '@tanstack/react-query'
import { ExternalLink, Search } from 'lucide-react'
import { useState } from 'react'
import { type Preset, presetsQuery, type Server } from '@/api/servers'
import { fieldError, KeptSecret, SecretField } from '@/forms'
import { inLanguage, useT } from '@/i18n'
import { type Draft, emptyDraft } from '@/registry/draft'
import { Expires, NameAndSlug, Trust, WhoMayUse } from '@/registry/fields'
import { ServerIcon } from '@/registry/list/ServerIcon'
import type { NewServer } from '@/registry/mutations'
import { Callout, Checkbox, cx, Skeleton, TextField } from '@/ui'
import { Foot, Outcome, useAdding } from './AddFoot'

/** What stands under a preset's name: its id in the square, its command, or its address. */
export const under = (preset: Preset): string =>
  preset.modelscope_id ?? (preset.transport === 'stdio' ? shortCommand(preset) : (preset.url ?? ''))

const shortCommand = (preset: Preset): string =>
  [preset.command?.split('/').at(-1) ?? '', ...(preset.args ?? [])].join(' ')

const KINDS = ['modelscope', 'reference', 'custom'] as const

function PresetList({
  presets,
  chosen,
  onChoose,
}: {
  readonly presets: readonly Preset[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
}) {
  const t = useT()
  const [search, setSearch] = useState('')
  const query = search.trim().toLowerCase()
  const titles = {
    modelscope: t('registry.kind_modelscope'),
    reference: t('registry.kind_reference'),
    custom: t('registry.kind_custom'),
  }
  const fits = (preset: Preset) =>
    !query ||
    `${preset.name.en} ${preset.name.zh} ${preset.id} ${under(preset)} ${preset.description.en} ${preset.description.zh}`
      .toLowerCase()
      .includes(query)
  const matchingPresets = presets.filter(fits)
  return (
    <div className="flex min-h-0 flex-col border-r border-line phone:max-h-56 phone:border-r-0 phone:border-b">
      <div className="p-3 pb-2 phone:px-4">
        <TextField
          inputType="search"
          before={<Search aria-hidden />}
          placeholder={t('registry.find_preset')}
          aria-label={t('registry.find_preset')}
          value={search}
          onChange={setSearch}
        />
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        {matchingPresets.length === 0 ? (
          <p className="px-3 py-2 text-muted phone:px-4">{t('registry.no_preset')}</p>
        ) : null}
        {KINDS.map((kind) => {
          const rows = matchingPresets.filter((preset) => preset.kind === kind)
          if (rows.length === 0) return null
          return (
            <section key={kind}>
              <h3 className="section-title border-t border-line px-3 py-1.5 phone:px-4">{titles[kind]}</h3>
              {rows.map((preset) => (
                <button
                  key={preset.id}
                  type="button"
                  aria-pressed={preset.id === chosen}
                  onClick={() => onChoose(preset.id)}
                  className={cx(
                    'flex w-full items-center gap-3 border-t border-line px-3 py-1.5 text-left phone:px-4 hover:bg-hover',
                    preset.id === chosen &&
                      'bg-[color-mix(in_srgb,var(--accent)_8%,var(--surface))] shadow-[inset_2px_0_0_var(--accent)]',
                  )}
                >
                  <ServerIcon slug={preset.id} transport={preset.transport} />
                  <span className="min-w-0">
                    <span className="block truncate font-medium">{inLanguage(preset.name)}</span>
                    <span className="block truncate text-xs text-muted" data-tip={under(preset)}>
                      {under(preset)}
                    </span>
                  </span>
                </button>
              ))}
            </section>
          )
        })}
      </div>
    </div>
  )
}

/** What a preset is, and whether it can be used here. */
function Described({ preset }: { preset: Preset }) {
  const t = useT()
  return (
    <>
      <div className="flex items-start gap-3">
        <span className="tile">
          <ServerIcon slug={preset.id} transport={preset.transport} />
        </span>
        <div className="min-w-0 flex-1">
          <h2>{inLanguage(preset.name)}</h2>
          <p className="truncate font-mono text-xs text-muted" data-tip={under(preset)}>
            {under(preset)}
          </p>
        </div>
        {preset.page ? (
          <a
            className="link inline-flex items-center gap-1 text-sm"
            href={preset.page}
            target="_blank"
            rel="noreferrer"
          >
            {preset.kind === 'modelscope' ? t('registry.open_modelscope') : t('registry.open_page')}
            <ExternalLink size={12} aria-hidden />
          </a>
        ) : null}
      </div>
      <p className="text-sm text-muted">{inLanguage(preset.description)}</p>
      {preset.transport === 'stdio' && !preset.available ? (
        <Callout tone="waiting">{t('registry.stdio_off')}</Callout>
      ) : null}
    </>
  )
}

type Values = Readonly<Record<string, string>>

/** What a preset asks for: secrets first. */
function PresetFields({
  preset,
  values,
  onValues,
  errors,
}: {
  readonly preset: Preset
  readonly values: Values
  readonly onValues: (values: Values) => void
  readonly errors: Parameters<typeof fieldError>[0]
}) {
  const t = useT()
  return (
    <>
      {preset.secrets.map((field) => (
        <SecretField
          key={field.name}
          label={inLanguage(field.label)}
          required={field.required}
          aside={<KeptSecret />}
          placeholder={field.placeholder ?? ''}
          value={values[field.name] ?? ''}
          onChange={(value) => onValues({ ...values, [field.name]: value })}
          error={
            fieldError(errors, `values.${field.name}`) ??
            (field.in === 'url' ? fieldError(errors, 'url') : undefined)
          }
          hint={
            field.in === 'url' && preset.kind === 'modelscope' ? t('registry.modelscope_hint') : undefined
          }
        />
      ))}
      {preset.inputs.map((field) => (
        <TextField
          key={field.name}
          mono
          label={inLanguage(field.label)}
          required={field.required}
          placeholder={field.placeholder ?? ''}
          value={values[field.name] ?? ''}
          onChange={(value) => onValues({ ...values, [field.name]: value })}
          error={fieldError(errors, `values.${field.name}`)}
        />
      ))}
    </>
  )
}

/** Why it cannot be added yet; `known` = the reader knows that a program is trusted with everything. */
function useBlocked(preset: Preset, values: Values, known: boolean): string | undefined {
  const t = useT()
  const stdio = preset.transport === 'stdio'
  const missing = [...preset.secrets, ...preset.inputs].find(
    (field) => field.required && !values[field.name]?.trim(),
  )
  if (stdio && !preset.available) return t('registry.stdio_off')
  if (missing) return t('registry.needs_value', { name: inLanguage(missing.label) })
  return stdio && !known ? t('registry.needs_known') : undefined
}

function PresetForm({ preset, onAdded }: { preset: Preset; onAdded: (servers: readonly Server[]) => void }) {
  const t = useT()
  const adding = useAdding(onAdded)
  const [values, setValues] = useState<Values>({})
  const [known, setKnown] = useState(false)
  const [draft, setDraft] = useState<Draft>(() => ({ ...emptyDraft(preset.transport), trust: true }))
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }))
  const blocked = useBlocked(preset, values, known)
  const props = { draft, onChange: change, fields: adding.fields }
  const server = (): NewServer => ({
    preset: preset.id,
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim())),
    ...(draft.name.trim() ? { name: draft.name.trim() } : {}),
    ...(draft.slug.trim() ? { slug: draft.slug.trim() } : {}),
    ...(draft.expires ? { expires_at: new Date(`${draft.expires}T23:59:59`).toISOString() } : {}),
    visibility: draft.visibility,
    trust_annotations: draft.trust,
  })
  const stdio = preset.transport === 'stdio'
  return (
    <>
      <div className="grid min-h-0 flex-1 grid-cols-1 content-start gap-4 overflow-auto p-4">
        <Described preset={preset} />
        <PresetFields preset={preset} values={values} onValues={setValues} errors={adding.fields} />
        {preset.secrets.some((field) => field.in === 'url') ? (
          <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
            <Expires {...props} />
          </div>
        ) : null}
        <NameAndSlug {...props} placeholder={inLanguage(preset.name)} />
        <WhoMayUse {...props} />
        <Trust {...props} />
        {stdio ? (
          <Checkbox
            checked={known}
            onChange={setKnown}
            label={t('registry.i_know')}
            hint={t('registry.full_trust')}
          />
        ) : null}
        <Outcome
          adding={adding}
          transport={preset.transport}
          shownFields={['values', 'url', 'name', 'slug', 'expires_at']}
        />
      </div>
      <Foot adding={adding} server={server} note={t('registry.nothing_connects')} blocked={blocked} />
    </>
  )
}

export function ByPreset({ onAdded }: { onAdded: (servers: readonly Server[]) => void }) {
  const { data: presets } = useQuery(presetsQuery)
  const [chosen, setChosen] = useState('')
  if (!presets) return <Skeleton rows={6} />
  const preset = presets.find((preset) => preset.id === chosen) ?? presets[0]
  return (
    <div className="grid h-[min(520px,calc(100vh-180px))] min-h-0 flex-none grid-cols-[216px_minmax(0,1fr)] grid-rows-1 phone:h-auto phone:flex-1 phone:grid-cols-1 phone:grid-rows-[auto_minmax(0,1fr)]">
      <PresetList presets={presets} chosen={preset?.id ?? ''} onChoose={setChosen} />
      <div className="flex min-h-0 flex-col">
        {preset ? <PresetForm key={preset.id} preset={preset} onAdded={onAdded} /> : null}
      </div>
    </div>
  )
}
