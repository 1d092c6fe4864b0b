/** How a request signs in: with a secret of the team, by its name. */
import { isRecord } from '@/forms'
import { type Key, listOf, useT } from '@/i18n'
import { TextEntry, useFieldErrors, useNodeForm } from '@/inspector/node-form'
import { Select, TextField } from '@/ui'
import { useSecrets } from './secrets'

const KINDS = ['none', 'bearer', 'basic', 'header'] as const

export function Auth() {
  const t = useT()
  const form = useNodeForm()
  const auth = isRecord(form.node.config.auth) ? form.node.config.auth : {}
  const errors = useFieldErrors(['auth'])
  const kind = KINDS.find((each) => each === auth.kind) ?? 'none'
  return (
    <>
      <Select
        label={t('http.auth')}
        value={kind}
        disabled={form.disabled}
        error={kind === 'none' ? errors[0] : undefined}
        options={KINDS.map((value) => ({ value, label: t(`http.auth_${value}` as Key as 'http.auth_none') }))}
        onChange={(next) => form.edit.config(['auth'], next === 'none' ? undefined : { ...auth, kind: next })}
      />
      {kind === 'basic' ? (
        <TextEntry label={t('http.user')} path={['auth', 'user']} value={auth.user} />
      ) : null}
      {kind === 'header' ? (
        <TextField
          mono
          label={t('http.header')}
          value={typeof auth.header === 'string' ? auth.header : 'X-API-Key'}
          disabled={form.disabled}
          onChange={(next) => form.edit.config(['auth', 'header'], next)}
        />
      ) : null}
      {kind === 'none' ? null : <SecretSelect name={typeof auth.secret === 'string' ? auth.secret : ''} />}
    </>
  )
}

function SecretSelect({ name }: { name: string }) {
  const t = useT()
  const form = useNodeForm()
  const secrets = useSecrets()
  const errors = useFieldErrors(['auth'])
  const chosen = secrets?.find((secret) => secret.name === name)
  const options = [
    { value: '', label: t('http.choose_secret') },
    ...(secrets ?? []).map((secret) => ({ value: secret.name, label: secret.name })),
  ]
  if (name && !chosen)
    options.push({ value: name, label: secrets ? t('http.secret_unknown', { name }) : name })
  const hint = chosen
    ? chosen.hosts.length > 0
      ? t('http.secret_goes', { name, hosts: listOf(chosen.hosts) })
      : t('http.secret_nowhere', { name })
    : undefined
  return (
    <Select
      label={t('http.secret')}
      value={name}
      options={options}
      hint={hint}
      disabled={form.disabled}
      error={errors[0]}
      onChange={(next) => form.edit.config(['auth', 'secret'], next)}
    />
  )
}
