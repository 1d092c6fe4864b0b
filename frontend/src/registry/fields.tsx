/** The groups of fields that the add dialog and a server's settings share. */
import { Lock } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import type { ApiError } from '@/api/client'
import { CredentialOwnerField, fieldError, Pairs, SecretField } from '@/forms'
import { useT } from '@/i18n'
import { Checkbox, Field, relativeTime, Segmented, TextArea, TextField } from '@/ui'
import { type Draft, splitCommand } from './draft'
import type { KeptClient } from './sign-in/ClientFields'
import { LateClientFields } from './sign-in/late'

export interface FieldsProps {
  readonly draft: Draft
  readonly onChange: (change: Partial<Draft>) => void
  readonly fields: ApiError['fields']
}

export function TransportAndTimeout({ draft, onChange, fields }: FieldsProps) {
  const t = useT()
  return (
    <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
      <Field label={t('registry.transport')} error={fieldError(fields, 'transport')}>
        {() => (
          <div>
            <Segmented<Draft['transport']>
              label={t('registry.transport')}
              value={draft.transport}
              onChange={(transport) => onChange({ transport })}
              options={[
                { value: 'detect', label: t('registry.detect'), tip: t('registry.detect_tip') },
                { value: 'http', label: 'HTTP' },
                { value: 'sse', label: 'SSE' },
              ]}
            />
          </div>
        )}
      </Field>
      <Timeout draft={draft} onChange={onChange} fields={fields} />
    </div>
  )
}

export function Timeout({ draft, onChange, fields }: FieldsProps) {
  const t = useT()
  return (
    <TextField
      label={t('registry.timeout')}
      inputType="number"
      min={0.001}
      step="any"
      value={draft.timeoutS}
      onChange={(timeoutS) => onChange({ timeoutS })}
      error={fieldError(fields, 'timeout_ms')}
      after={<span className="text-muted">{t('forms.timeout_type')}</span>}
    />
  )
}

export function RunsAtOnce({ draft, onChange, fields }: FieldsProps) {
  const t = useT()
  return (
    <TextField
      label={t('registry.max_runs')}
      inputType="number"
      min={1}
      max={1_000_000}
      step={1}
      value={draft.maxRuns}
      placeholder={t('registry.max_runs_none')}
      onChange={(maxRuns) => onChange({ maxRuns })}
      error={fieldError(fields, 'max_runs')}
      hint={t('registry.max_runs_hint')}
    />
  )
}

export function CallsAtOnce({ draft, onChange, fields }: FieldsProps) {
  const t = useT()
  return (
    <TextField
      label={t('registry.max_calls')}
      inputType="number"
      min={1}
      max={1000}
      step={1}
      value={draft.maxCalls}
      placeholder={t('registry.max_calls_none')}
      onChange={(maxCalls) => onChange({ maxCalls })}
      error={fieldError(fields, 'max_calls')}
      hint={t('registry.max_calls_hint')}
    />
  )
}

export function Auth({
  draft,
  onChange,
  fields,
  keyHint,
  keyElsewhere = false,
  kept,
}: FieldsProps & {
  readonly keyHint?: string
  /** The key is entered among one's own credentials. */
  readonly keyElsewhere?: boolean
  /** What of an OAuth client is kept. */
  readonly kept?: KeptClient | undefined
}) {
  const t = useT()
  return (
    <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
      <Field label={t('registry.sign_in_with')} error={fieldError(fields, 'auth_type')}>
        {() => (
          <div>
            <Segmented<Draft['auth']>
              label={t('registry.sign_in_with')}
              value={draft.auth}
              onChange={(auth) => onChange({ auth })}
              options={[
                { value: 'none', label: t('registry.auth_none') },
                { value: 'api_key', label: t('registry.auth_api_key') },
                { value: 'bearer', label: t('registry.auth_bearer') },
                { value: 'oauth', label: t('registry.auth_oauth') },
              ]}
            />
          </div>
        )}
      </Field>
      {draft.auth === 'oauth' ? (
        <Suspense fallback={null}>
          <LateClientFields draft={draft} onChange={onChange} fields={fields} kept={kept} />
        </Suspense>
      ) : null}
      {(draft.auth === 'api_key' || draft.auth === 'bearer') && !keyElsewhere ? (
        <SecretField
          label={draft.auth === 'bearer' ? t('registry.token') : t('registry.key')}
          aside={
            <>
              <Lock size={12} aria-hidden /> {t('forms.never_shown')}
            </>
          }
          value={draft.key}
          placeholder={keyHint ? t('forms.kept_as', { hint: keyHint }) : ''}
          onChange={(key) => onChange({ key })}
          error={fieldError(fields, 'api_key')}
        />
      ) : null}
      {draft.auth === 'api_key' ? (
        <TextField
          label={t('registry.key_header')}
          mono
          value={draft.keyHeader}
          onChange={(keyHeader) => onChange({ keyHeader })}
          error={fieldError(fields, 'api_key_header')}
        />
      ) : null}
    </div>
  )
}

export function Headers({ draft, onChange, fields }: FieldsProps) {
  const t = useT()
  return (
    <Pairs
      label={t('registry.headers')}
      add={t('registry.add_header')}
      rows={draft.headers}
      onRows={(headers) => onChange({ headers })}
      error={fieldError(fields, 'headers') ?? fieldError(fields, 'secret_headers')}
    />
  )
}

export function Program({ draft, onChange, fields }: FieldsProps) {
  const t = useT()
  return (
    <>
      <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-3 phone:grid-cols-1">
        <TextField
          label={t('registry.command')}
          mono
          required
          placeholder="uvx"
          value={draft.command}
          onChange={(command) => onChange({ command })}
          onBlur={() => {
            const split = splitCommand(draft)
            if (split) onChange(split)
          }}
          error={fieldError(fields, 'command')}
        />
        <TextArea
          label={t('registry.arguments')}
          type={t('registry.one_per_line')}
          mono
          rows={3}
          placeholder={'mcp-server-git\n--repository\n/srv/repository'}
          value={draft.args}
          onChange={(args) => onChange({ args })}
          error={fieldError(fields, 'args')}
        />
      </div>
      <Pairs
        label={t('registry.environment')}
        add={t('registry.add_variable')}
        rows={draft.env}
        onRows={(env) => onChange({ env })}
        error={fieldError(fields, 'env') ?? fieldError(fields, 'secret_env')}
      />
    </>
  )
}

export function Expires({ draft, onChange, fields }: FieldsProps) {
  const t = useT()
  return (
    <TextField
      label={t('registry.expires')}
      inputType="date"
      value={draft.expires}
      onChange={(expires) => onChange({ expires })}
      error={fieldError(fields, 'expires_at')}
      hint={t('registry.expires_hint')}
      aside={draft.expires ? relativeTime(`${draft.expires}T23:59:59`) : undefined}
    />
  )
}

export function NameAndSlug({
  draft,
  onChange,
  fields,
  placeholder,
  slug = true,
}: FieldsProps & { readonly placeholder?: string; readonly slug?: boolean }) {
  const t = useT()
  return (
    <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
      <TextField
        label={t('common.name')}
        value={draft.name}
        placeholder={placeholder}
        onChange={(name) => onChange({ name })}
        error={fieldError(fields, 'name')}
      />
      {slug ? (
        <TextField
          label={t('registry.slug')}
          mono
          value={draft.slug}
          placeholder={t('registry.slug_from_name')}
          onChange={(next) => onChange({ slug: next })}
          error={fieldError(fields, 'slug')}
          hint={t('registry.slug_hint')}
        />
      ) : null}
    </div>
  )
}

export function WhoMayUse({
  draft,
  onChange,
  note,
}: Omit<FieldsProps, 'fields'> & { readonly note?: ReactNode }) {
  const t = useT()
  return (
    <Field label={t('registry.who')}>
      {() => (
        <div className="flex flex-wrap items-center gap-2">
          <Segmented<Draft['visibility']>
            label={t('registry.who')}
            value={draft.visibility}
            onChange={(visibility) => onChange({ visibility })}
            options={[
              { value: 'team', label: t('registry.who_team') },
              { value: 'private', label: t('registry.who_me') },
            ]}
          />
          <span className="text-xs text-muted">
            {note ??
              (draft.visibility === 'private'
                ? t('registry.who_me_means')
                : draft.credentials === 'user'
                  ? t('registry.who_team_own_means')
                  : t('registry.who_team_means'))}
          </span>
        </div>
      )}
    </Field>
  )
}

export function Whose({ draft, onChange, fields }: FieldsProps) {
  return (
    <CredentialOwnerField
      value={draft.credentials}
      onChange={(credentials) => onChange({ credentials })}
      error={fieldError(fields, 'credentials')}
    />
  )
}

export function Trust({ draft, onChange }: Omit<FieldsProps, 'fields'>) {
  const t = useT()
  return (
    <Checkbox
      checked={draft.trust}
      onChange={(trust) => onChange({ trust })}
      label={t('registry.trust')}
      hint={t('registry.trust_hint')}
    />
  )
}
