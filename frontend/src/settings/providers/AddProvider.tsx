/** Adding a provider: a ready one that lacks only a key, or any OpenAI-compatible address. Adding connects to nothing. */
import { useQuery } from '@tanstack/react-query'
import { ExternalLink, Globe, Link2, Monitor } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type ApiError, asApiError } from '@/api/client'
import type { Provider } from '@/api/providers'
import { useMe } from '@/api/queries'
import { CredentialOwnerField, fieldError, KeptSecret, SecretField } from '@/forms'
import { inLanguage, useT } from '@/i18n'
import { Button, Chip, cx, Dialog, ErrorBox, Skeleton, StatusWord, TextField } from '@/ui'
import { type NewDraft, newProvider } from './draft'
import { type Preset, presetsQuery, type Report, useCreateProvider, useTrial } from './mutations'
import { WhoMayUse } from './ProviderSettings'
import { Stages } from './Stages'

const OWN = 'own'
/** Stands in a preset's address for what only its reader knows. */
const PLACEHOLDER = 'YOUR-RESOURCE'

function Choice({
  chosen,
  onChoose,
  icon,
  title,
  under,
  chip,
}: {
  chosen: boolean
  onChoose: () => void
  icon: ReactNode
  title: string
  under: string
  chip?: string | undefined
}) {
  return (
    <button
      type="button"
      aria-pressed={chosen}
      onClick={onChoose}
      className={cx(
        'flex w-full items-center gap-3 border-b border-line px-3 py-1.5 text-left hover:bg-hover',
        chosen &&
          'bg-[color-mix(in_srgb,var(--accent)_8%,var(--surface))] shadow-[inset_2px_0_0_var(--accent)]',
      )}
    >
      <span className="text-muted">{icon}</span>
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{title}</span>
          {chip ? <Chip tone="ok">{chip}</Chip> : null}
        </span>
        <span className="block truncate text-xs text-muted">{under}</span>
      </span>
    </button>
  )
}

/** Whether it can be used, in a sentence, before the stages. */
function Verdict({ report }: { report: Report }) {
  const t = useT()
  if (!report.ok) {
    return <ErrorBox error={{ code: report.code ?? '', message: report.message, hint: report.hint }} />
  }
  return (
    <p role="status">
      <StatusWord status="succeeded">
        {report.model ? t('providers.test_passed') : t('providers.test_no_model')}
      </StatusWord>
    </p>
  )
}

/** The models that come with a preset, and how old what is said of them is. */
function Catalogue({ preset }: { preset: Preset }) {
  const t = useT()
  const team = useMe().team.currency
  if (preset.catalogue.length === 0) return null
  const priced = preset.catalogue.some((model) => model.input_price !== null)
  return (
    <div className="grid gap-1 text-sm">
      <ul className="flex flex-wrap gap-1" aria-label={t('providers.catalogue')}>
        {preset.catalogue.map((model) => (
          <li key={model.id}>
            <Chip mono>{model.id}</Chip>
          </li>
        ))}
      </ul>
      <p className="text-xs text-muted">
        {priced && preset.currency !== team
          ? t('providers.catalogue_foreign', { currency: preset.currency, team })
          : t(priced ? 'providers.catalogue_priced' : 'providers.catalogue_plain', {
              date: preset.read,
              currency: preset.currency,
            })}
        {preset.prices_page ? (
          <a className="link" href={preset.prices_page} target="_blank" rel="noreferrer">
            {t('providers.prices_page')}
          </a>
        ) : null}
      </p>
    </div>
  )
}

/** What a preset is, or that any address will do. */
function About({ preset }: { preset: Preset | null }) {
  const t = useT()
  return (
    <>
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1">
          <h3 className="text-base">{preset ? inLanguage(preset.name) : t('providers.other')}</h3>
          <p className="text-sm text-muted">
            {preset ? inLanguage(preset.description) : t('providers.other_text')}
          </p>
        </div>
        {preset?.page ? (
          <a
            className="link inline-flex items-center gap-1 text-sm"
            href={preset.page}
            target="_blank"
            rel="noreferrer"
          >
            {t('providers.open_page')}
            <ExternalLink size={12} aria-hidden />
          </a>
        ) : null}
      </div>
      {preset?.found ? (
        <p className="text-sm">
          <StatusWord status="succeeded">{t('providers.runs_here', { n: preset.models.length })}</StatusWord>
        </p>
      ) : null}
      {preset ? <Catalogue preset={preset} /> : null}
    </>
  )
}

interface FieldsProps {
  readonly preset: Preset | null
  readonly draft: NewDraft
  readonly change: (next: Partial<NewDraft>) => void
  readonly errors: ApiError['fields']
}

/** What the reader must say: key, address, name, who uses it. */
function Fields({ preset, draft, change, errors }: FieldsProps) {
  const t = useT()
  const wantsKey = preset ? preset.key !== 'none' : true
  return (
    <>
      {wantsKey ? (
        <SecretField
          label={t('providers.key')}
          required={preset?.key === 'required' && draft.credentials === 'shared'}
          aside={<KeptSecret />}
          value={draft.key}
          onChange={(key) => change({ key })}
          error={fieldError(errors, 'api_key')}
          hint={
            preset?.key_page ? (
              <a className="link" href={preset.key_page} target="_blank" rel="noreferrer">
                {t('providers.get_key')}
              </a>
            ) : (
              t('providers.key_hint')
            )
          }
        />
      ) : null}
      <TextField
        label={t('providers.base_url')}
        mono
        required
        value={draft.baseUrl}
        placeholder="https://models.example.org/v1"
        onChange={(baseUrl) => change({ baseUrl })}
        error={fieldError(errors, 'base_url')}
        hint={preset ? undefined : t('providers.base_url_hint')}
      />
      <TextField
        label={t('common.name')}
        value={draft.name}
        placeholder={preset ? inLanguage(preset.name) : ''}
        onChange={(name) => change({ name })}
        error={fieldError(errors, 'name')}
      />
      <WhoMayUse value={draft.visibility} onChange={(visibility) => change({ visibility })} />
      {wantsKey ? (
        <CredentialOwnerField value={draft.credentials} onChange={(credentials) => change({ credentials })} />
      ) : null}
    </>
  )
}

/** How the trial went, or what is wrong; scrolled to once there is something to read. */
function Outcome({
  report,
  going,
  error,
}: {
  report: Report | null
  going: boolean
  error: ApiError | null
}) {
  const outcome = useRef<HTMLDivElement>(null)
  const message = going || report !== null || error !== null
  useEffect(() => {
    if (message) outcome.current?.scrollIntoView({ block: 'nearest' })
  }, [message])
  return (
    <div ref={outcome} className="grid grid-cols-1 gap-3">
      {error ? <ErrorBox error={error} /> : null}
      {report && !going ? <Verdict report={report} /> : null}
      {report || going ? <Stages report={report} going={going} /> : null}
    </div>
  )
}

/** Why it cannot be added yet. */
function useBlocked(preset: Preset | null, { baseUrl, credentials, key }: NewDraft): string | undefined {
  const t = useT()
  if (!baseUrl.trim()) return t('providers.needs_url')
  if (baseUrl.includes(PLACEHOLDER)) return t('providers.needs_own_url', { name: PLACEHOLDER })
  if (preset?.key === 'required' && credentials === 'shared' && !key.trim()) return t('providers.needs_key')
  return undefined
}

function Form({ preset, onAdded }: { preset: Preset | null; onAdded: (provider: Provider) => void }) {
  const t = useT()
  const create = useCreateProvider()
  const trial = useTrial()
  const [draft, setDraft] = useState<NewDraft>({
    name: '',
    baseUrl: preset?.base_url ?? '',
    key: '',
    visibility: 'team',
    credentials: 'shared',
  })
  const thrown = create.error ?? trial.error
  const error = thrown ? asApiError(thrown) : null
  const errors = error?.fields ?? {}
  const shown = ['name', 'base_url', 'api_key'].some((field) => fieldError(errors, field))
  const body = () => newProvider(draft, preset)
  const blocked = useBlocked(preset, draft)
  return (
    <>
      <div className="grid min-h-0 flex-1 grid-cols-1 content-start gap-4 overflow-auto p-4">
        <About preset={preset} />
        <Fields
          preset={preset}
          draft={draft}
          change={(next) => setDraft((before) => ({ ...before, ...next }))}
          errors={errors}
        />
        <Outcome report={trial.data ?? null} going={trial.isPending} error={shown ? null : error} />
      </div>
      <div className="dialog-foot">
        <p className="mr-auto text-xs text-muted phone:hidden">{t('providers.nothing_connects')}</p>
        <Button
          size="large"
          blocked={blocked}
          busy={trial.isPending}
          onClick={() => {
            create.reset()
            trial.mutate(body())
          }}
        >
          {t('providers.test_first')}
        </Button>
        <Button
          size="large"
          variant="primary"
          blocked={blocked}
          busy={create.isPending}
          onClick={() => {
            trial.reset()
            create.mutate(body(), { onSuccess: onAdded })
          }}
        >
          {t('providers.add')}
        </Button>
      </div>
    </>
  )
}

export function AddProvider({
  onClose,
  onAdded,
}: {
  readonly onClose: () => void
  readonly onAdded: (provider: Provider) => void
}) {
  const t = useT()
  // the list is there at once; whether a model server runs on this machine is seen meanwhile
  const { data: plain } = useQuery(presetsQuery(false))
  const { data: looked } = useQuery(presetsQuery(true))
  const presets = looked ?? plain
  const [chosen, setChosen] = useState<string | null>(null)
  const rows = presets ? [...presets].sort((a, b) => Number(b.found) - Number(a.found)) : undefined
  const shown = chosen ?? rows?.[0]?.id ?? OWN
  const preset = rows?.find((row) => row.id === shown) ?? null
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('providers.add')} bare>
      {rows ? (
        <div className="grid h-[min(560px,calc(100vh-140px))] min-h-0 flex-none grid-cols-[232px_minmax(0,1fr)] grid-rows-1 phone:h-auto phone:flex-1 phone:grid-cols-1 phone:grid-rows-[auto_minmax(0,1fr)]">
          <div className="min-h-0 overflow-auto border-r border-line phone:max-h-48 phone:border-r-0 phone:border-b">
            {rows.map((row) => (
              <Choice
                key={row.id}
                chosen={row.id === shown}
                onChoose={() => setChosen(row.id)}
                icon={row.local ? <Monitor size={16} aria-hidden /> : <Globe size={16} aria-hidden />}
                title={inLanguage(row.name)}
                under={row.base_url.replace(/^https?:\/\//, '')}
                chip={row.found ? t('providers.found') : undefined}
              />
            ))}
            <Choice
              chosen={shown === OWN}
              onChoose={() => setChosen(OWN)}
              icon={<Link2 size={16} aria-hidden />}
              title={t('providers.other')}
              under={t('providers.other_under')}
            />
          </div>
          <div className="flex min-h-0 flex-col">
            <Form key={`${shown}${preset?.found}`} preset={preset} onAdded={onAdded} />
          </div>
        </div>
      ) : (
        <Skeleton rows={6} />
      )}
    </Dialog>
  )
}
