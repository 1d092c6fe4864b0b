/** The settings of a webhook: methods, proof, key, answer. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api } from '@/api/client'
import { sentenceGap, useT } from '@/i18n'
import { Checkbox, Field, Select, TextArea, TextField } from '@/ui'
import { ANSWERS, type Draft, METHODS, PROOFS } from './draft'
import type { FormPart } from './fields'
import { RowsField, useHeaderWords } from './RowsField'

function Methods({ draft, change, errorOf }: FormPart) {
  const t = useT()
  return (
    <Field label={t('triggers.methods')} error={errorOf('config.methods')}>
      {() => (
        <fieldset className="flex flex-wrap gap-x-4 gap-y-1" aria-label={t('triggers.methods')}>
          {METHODS.map((method) => (
            <Checkbox
              key={method}
              label={method}
              checked={draft.methods.includes(method)}
              onChange={(on) =>
                change({ methods: METHODS.filter((m) => (m === method ? on : draft.methods.includes(m))) })
              }
            />
          ))}
        </fieldset>
      )}
    </Field>
  )
}

function SecretChoice({ draft, change, errorOf }: FormPart) {
  const t = useT()
  const { data } = useQuery({ queryKey: ['secret'], queryFn: () => api.get('/api/secrets') })
  const names = data?.results.map(({ name }) => name) ?? []
  const kept = draft.secret && !names.includes(draft.secret) ? [draft.secret] : []
  const options = [
    { value: '', label: t('triggers.choose_secret') },
    ...[...kept, ...names].map((name) => ({ value: name, label: name })),
  ]
  const none = data !== undefined && names.length === 0
  return (
    <Select
      label={t('triggers.secret')}
      required
      value={draft.secret}
      onChange={(secret) => change({ secret })}
      options={options}
      error={errorOf('config.verify.secret')}
      hint={
        <>
          {t(none ? 'triggers.no_secrets' : 'triggers.secret_hint')}
          {sentenceGap()}
          <Link className="link" href="/settings/secrets">
            {t('triggers.open_secrets')}
          </Link>
        </>
      }
    />
  )
}

/** What a signature of one's own form is made of. */
function SignatureFields({ draft, change, errorOf }: FormPart) {
  const t = useT()
  const of = (name: string) => errorOf(`config.verify.${name}`)
  return (
    <>
      <div className="trigger-pair">
        <TextField
          mono
          label={t('triggers.prefix')}
          hint={t('triggers.prefix_hint')}
          value={draft.prefix}
          onChange={(prefix) => change({ prefix })}
          error={of('prefix')}
        />
        <Select<Draft['encoding']>
          label={t('triggers.encoding')}
          value={draft.encoding}
          onChange={(encoding) => change({ encoding })}
          options={[
            { value: 'hex', label: 'hex' },
            { value: 'base64', label: 'base64' },
          ]}
          error={of('encoding')}
        />
      </div>
      <TextField
        mono
        label={t('triggers.payload')}
        hint={t('triggers.payload_hint', { body: '{body}', timestamp: '{timestamp}' })}
        value={draft.payload}
        onChange={(payload) => change({ payload })}
        error={of('payload')}
      />
      <div className="trigger-pair">
        <TextField
          mono
          label={t('triggers.timestamp_header')}
          value={draft.timestampHeader}
          onChange={(timestampHeader) => change({ timestampHeader })}
          error={of('timestamp_header')}
        />
        <TextField
          inputType="number"
          label={t('triggers.tolerance')}
          value={draft.tolerance}
          onChange={(tolerance) => change({ tolerance })}
          error={of('tolerance_s')}
        />
      </div>
    </>
  )
}

function Proof(part: FormPart) {
  const t = useT()
  const { draft, change, errorOf } = part
  const { proof } = draft
  return (
    <>
      <Select<Draft['proof']>
        label={t('triggers.proof')}
        value={proof}
        onChange={(next) => change({ proof: next })}
        options={PROOFS.map((value) => ({ value, label: t(`triggers.proof_${value}`) }))}
        error={errorOf('config.verify.kind') ?? (proof === 'none' ? errorOf('config.verify') : undefined)}
      />
      {proof === 'none' ? null : <SecretChoice {...part} />}
      {proof === 'header' || proof === 'hmac' ? (
        <TextField
          mono
          required
          label={t('triggers.header')}
          placeholder={proof === 'header' ? 'X-Key' : 'X-Signature'}
          value={draft.header}
          onChange={(header) => change({ header })}
          error={errorOf('config.verify.header')}
        />
      ) : null}
      {proof === 'hmac' ? <SignatureFields {...part} /> : null}
    </>
  )
}

function CustomAnswer({ draft, change, errorOf }: FormPart) {
  const t = useT()
  const words = useHeaderWords()
  return (
    <>
      <TextField
        mono
        label={t('triggers.status')}
        hint={t('triggers.status_hint')}
        value={draft.status}
        onChange={(status) => change({ status })}
        error={errorOf('config.answer.status')}
      />
      <RowsField
        label={t('triggers.answer_headers')}
        rows={draft.headers}
        words={words}
        error={errorOf('config.answer.headers')}
        onChange={(headers) => change({ headers })}
      />
      <TextArea
        mono
        rows={3}
        label={t('triggers.answer_body')}
        hint={t('triggers.answer_body_hint')}
        value={draft.body}
        onChange={(body) => change({ body })}
        error={errorOf('config.answer.body')}
      />
    </>
  )
}

function Answer(part: FormPart) {
  const t = useT()
  const { draft, change, errorOf } = part
  return (
    <>
      <Select<Draft['answer']>
        label={t('triggers.answer')}
        value={draft.answer}
        onChange={(answer) => change({ answer })}
        options={ANSWERS.map((value) => ({ value, label: t(`triggers.answer_${value}`) }))}
        error={errorOf('config.answer.mode')}
      />
      {draft.answer === 'accepted' ? null : (
        <TextField
          inputType="number"
          label={t('triggers.wait')}
          hint={t('triggers.wait_hint')}
          value={draft.wait}
          onChange={(wait) => change({ wait })}
          error={errorOf('config.answer.wait_s')}
        />
      )}
      {draft.answer === 'custom' ? <CustomAnswer {...part} /> : null}
    </>
  )
}

export function WebhookFields(part: FormPart) {
  const t = useT()
  const { draft, change, errorOf } = part
  return (
    <>
      <Methods {...part} />
      <Proof {...part} />
      <TextField
        mono
        label={t('triggers.key')}
        hint={t('triggers.key_hint')}
        placeholder="{{ request.body.id }}"
        value={draft.key}
        onChange={(key) => change({ key })}
        error={errorOf('config.key')}
      />
      <Answer {...part} />
    </>
  )
}
