/** The groups of fields that the add dialog and a server's settings share. */
import { Eye, EyeOff, Lock, LockOpen, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ApiError } from '@/api/client'
import { useT } from '@/i18n'
import {
  Button,
  Checkbox,
  Field,
  IconButton,
  relativeTime,
  Segmented,
  TextArea,
  TextField,
  type TextFieldProps,
} from '@/ui'
import { type Draft, newPair, type Pair } from './draft'

export interface FieldsProps {
  readonly draft: Draft
  readonly onChange: (change: Partial<Draft>) => void
  readonly fields: ApiError['fields']
}

/** The sentences of a field; those of its parts (`env.NAME`) too. */
export const said = (fields: ApiError['fields'], name: string): string | undefined => {
  const found = Object.entries(fields).filter(([key]) => key === name || key.startsWith(`${name}.`))
  if (found.length === 0) return undefined
  return found
    .map(([key, texts]) => `${key === name ? '' : `${key.slice(name.length + 1)}: `}${texts.join(' ')}`)
    .join(' · ')
}

/** A secret: hidden while nobody looks, and never filled in by the browser. */
export function SecretField({ ...props }: Omit<TextFieldProps, 'inputType' | 'after' | 'mono'>) {
  const t = useT()
  const [seen, setSeen] = useState(false)
  return (
    <TextField
      {...props}
      mono
      inputType={seen ? 'text' : 'password'}
      autoComplete="new-password"
      after={
        <IconButton
          size="small"
          label={seen ? t('registry.hide') : t('registry.show')}
          aria-pressed={seen}
          onClick={() => setSeen(!seen)}
        >
          {seen ? <EyeOff /> : <Eye />}
        </IconButton>
      }
    />
  )
}

export const KeptSecret = () => {
  const t = useT()
  return (
    <>
      <Lock size={12} aria-hidden /> {t('registry.kept_secret')}
    </>
  )
}

/** Rows of name and value; a lock makes a value a secret. */
export function Pairs({
  label,
  add,
  rows,
  onRows,
  error,
}: {
  readonly label: string
  readonly add: string
  readonly rows: readonly Pair[]
  readonly onRows: (rows: readonly Pair[]) => void
  readonly error: string | undefined
}) {
  const t = useT()
  const change = (id: number, changes: Partial<Pair>) =>
    onRows(rows.map((row) => (row.id === id ? { ...row, ...changes } : row)))
  return (
    <Field label={label} error={error}>
      {() => (
        <div className="grid gap-1">
          {rows.map((row) => (
            <div key={row.id} className="flex items-center gap-2">
              <TextField
                className="w-44 flex-none phone:w-32"
                mono
                aria-label={t('registry.pair_name', { label })}
                value={row.name}
                readOnly={row.kept !== null}
                onChange={(name) => change(row.id, { name })}
              />
              {row.secret ? (
                <SecretField
                  className="flex-1"
                  aria-label={t('registry.pair_value', { name: row.name || label })}
                  value={row.value}
                  placeholder={row.kept === null ? '' : t('registry.kept_as', { hint: row.kept })}
                  onChange={(value) => change(row.id, { value })}
                />
              ) : (
                <TextField
                  className="flex-1"
                  mono
                  aria-label={t('registry.pair_value', { name: row.name || label })}
                  value={row.value}
                  onChange={(value) => change(row.id, { value })}
                />
              )}
              <IconButton
                label={row.secret ? t('registry.pair_secret') : t('registry.pair_plain')}
                aria-pressed={row.secret}
                disabled={row.kept !== null}
                onClick={() => change(row.id, { secret: !row.secret })}
              >
                {row.secret ? <Lock /> : <LockOpen />}
              </IconButton>
              <IconButton
                label={t('registry.pair_remove', { name: row.name || label })}
                onClick={() => onRows(rows.filter((one) => one.id !== row.id))}
              >
                <Trash2 />
              </IconButton>
            </div>
          ))}
          <div>
            <Button icon={<Plus />} onClick={() => onRows([...rows, newPair()])}>
              {add}
            </Button>
          </div>
        </div>
      )}
    </Field>
  )
}

export function TransportAndTimeout({ draft, onChange, fields }: FieldsProps) {
  const t = useT()
  return (
    <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
      <Field label={t('registry.transport')} error={said(fields, 'transport')}>
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
      error={said(fields, 'timeout_ms')}
      after={<span className="text-muted">s</span>}
    />
  )
}

export function Auth({ draft, onChange, fields, keyHint }: FieldsProps & { readonly keyHint?: string }) {
  const t = useT()
  return (
    <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
      <Field label={t('registry.sign_in_with')} error={said(fields, 'auth_type')}>
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
              ]}
            />
          </div>
        )}
      </Field>
      {draft.auth !== 'none' ? (
        <SecretField
          label={draft.auth === 'bearer' ? t('registry.token') : t('registry.key')}
          aside={
            <>
              <Lock size={12} aria-hidden /> {t('registry.never_shown')}
            </>
          }
          value={draft.key}
          placeholder={keyHint ? t('registry.kept_as', { hint: keyHint }) : ''}
          onChange={(key) => onChange({ key })}
          error={said(fields, 'api_key')}
        />
      ) : null}
      {draft.auth === 'api_key' ? (
        <TextField
          label={t('registry.key_header')}
          mono
          value={draft.keyHeader}
          onChange={(keyHeader) => onChange({ keyHeader })}
          error={said(fields, 'api_key_header')}
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
      error={said(fields, 'headers') ?? said(fields, 'secret_headers')}
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
          error={said(fields, 'command')}
        />
        <TextArea
          label={t('registry.arguments')}
          type={t('registry.one_per_line')}
          mono
          rows={3}
          placeholder={'mcp-server-git\n--repository\n/srv/repository'}
          value={draft.args}
          onChange={(args) => onChange({ args })}
          error={said(fields, 'args')}
        />
      </div>
      <Pairs
        label={t('registry.environment')}
        add={t('registry.add_variable')}
        rows={draft.env}
        onRows={(env) => onChange({ env })}
        error={said(fields, 'env') ?? said(fields, 'secret_env')}
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
      error={said(fields, 'expires_at')}
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
        error={said(fields, 'name')}
      />
      {slug ? (
        <TextField
          label={t('registry.slug')}
          mono
          value={draft.slug}
          placeholder={t('registry.slug_from_name')}
          onChange={(next) => onChange({ slug: next })}
          error={said(fields, 'slug')}
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
              (draft.visibility === 'team' ? t('registry.who_team_means') : t('registry.who_me_means'))}
          </span>
        </div>
      )}
    </Field>
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
