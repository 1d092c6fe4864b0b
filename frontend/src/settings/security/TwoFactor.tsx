/** The second factor: set up with an authenticator app, recovery codes, switched off. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, asApiError } from '@/api/client'
import type { components } from '@/api/schema'
import { useT } from '@/i18n'
import { Button, CopyButton, Dialog, ErrorBox, isoDate, StatusWord, TextField } from '@/ui'
import { Codes } from './Codes'
import { Proof } from './Proof'
import { SECURITY, type SecurityState } from './state'

type Setup = components['schemas']['TwoFactorSetup']
type Step =
  | { readonly is: 'begin' | 'off' | 'renew' }
  | { readonly is: 'scan'; readonly setup: Setup }
  | { readonly is: 'codes'; readonly codes: readonly string[] }

function Scan({
  setup,
  onCodes,
  onClose,
}: {
  setup: Setup
  onCodes: (codes: readonly string[]) => void
  onClose: () => void
}) {
  const t = useT()
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => api.post('/api/me/two-factor/confirm', { body: { code: code.replace(/\s/g, '') } }),
    onSuccess: (answer) => onCodes(answer.codes),
  })
  const error = confirm.error ? asApiError(confirm.error) : null
  const wrong = error?.status === 403
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirm.mutate()
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('people.factor')} size="small">
      <form className="grid gap-4" onSubmit={submit}>
        <p>{t('people.factor_scan')}</p>
        <img
          className="mx-auto size-48 rounded-md border border-line bg-white p-2"
          alt={t('people.factor_qr')}
          src={`data:image/svg+xml,${encodeURIComponent(setup.svg)}`}
        />
        <div className="grid gap-1">
          <p className="text-sm text-muted">{t('people.factor_secret')}</p>
          <div className="well flex items-center gap-2">
            <code className="min-w-0 flex-1 break-all">{setup.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
            <CopyButton text={setup.secret} />
          </div>
        </div>
        <TextField
          label={t('people.code')}
          mono
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          value={code}
          onChange={setCode}
          error={wrong ? error?.message : undefined}
        />
        {error && !wrong ? <ErrorBox error={error} /> : null}
        <Button type="submit" variant="primary" size="large" busy={confirm.isPending} disabled={!code.trim()}>
          {t('people.factor_confirm')}
        </Button>
      </form>
    </Dialog>
  )
}

export function TwoFactor({ state }: { state: SecurityState }) {
  const t = useT()
  const client = useQueryClient()
  const [step, setStep] = useState<Step | null>(null)
  const { on, since, codes_left } = state.two_factor
  const close = () => {
    setStep(null)
    void client.invalidateQueries({ queryKey: SECURITY })
  }
  const proof = { asks: state.asks_password, onClose: close }
  return (
    <section className="grid gap-3" aria-labelledby="second-factor">
      <h3 id="second-factor" className="flex items-center gap-3">
        {t('people.factor')}
        <span className="flex">
          <StatusWord status={on ? 'succeeded' : 'idle'}>
            {on && since ? t('people.factor_is_on', { date: isoDate(since) }) : t('people.factor_off')}
          </StatusWord>
        </span>
      </h3>
      <p className="text-muted">
        {on ? t('people.factor_codes', { n: codes_left }) : t('people.factor_text')}
      </p>
      <div className="flex flex-wrap gap-2">
        {on ? (
          <>
            <Button onClick={() => setStep({ is: 'renew' })}>{t('people.factor_new_codes')}</Button>
            <Button onClick={() => setStep({ is: 'off' })}>{t('people.factor_switch_off')}</Button>
          </>
        ) : (
          <Button
            variant="primary"
            blocked={state.password_set ? undefined : t('people.factor_needs_password')}
            onClick={() => setStep({ is: 'begin' })}
          >
            {t('people.factor_set_up')}
          </Button>
        )}
      </div>
      {step?.is === 'begin' ? (
        <Proof
          {...proof}
          title={t('people.factor')}
          action={t('people.continue')}
          does={(password) => api.post('/api/me/two-factor/begin', { body: { password } })}
          onDone={(setup) => setStep({ is: 'scan', setup })}
        />
      ) : null}
      {step?.is === 'renew' ? (
        <Proof
          {...proof}
          title={t('people.factor_new_codes')}
          text={t('people.factor_new_codes_text')}
          action={t('people.factor_new_codes')}
          does={(password) => api.post('/api/me/two-factor/codes', { body: { password } })}
          onDone={(answer) => setStep({ is: 'codes', codes: answer.codes })}
        />
      ) : null}
      {step?.is === 'off' ? (
        <Proof
          {...proof}
          danger
          title={t('people.factor_off_title')}
          text={t('people.factor_off_text')}
          action={t('people.factor_switch_off')}
          does={(password) => api.post('/api/me/two-factor/off', { body: { password } })}
          onDone={close}
        />
      ) : null}
      {step?.is === 'scan' ? (
        <Scan setup={step.setup} onCodes={(codes) => setStep({ is: 'codes', codes })} onClose={close} />
      ) : null}
      {step?.is === 'codes' ? <Codes codes={step.codes} onClose={close} /> : null}
    </section>
  )
}
