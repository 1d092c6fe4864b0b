/** The end of one's account, with what becomes of one's teams. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asApiError } from '@/api/client'
import type { Key } from '@/i18n'
import { useT } from '@/i18n'
import { Button, Callout, Confirm, ErrorBox, PasswordField, Skeleton, TextField } from '@/ui'

const FATES = {
  left: 'people.end_fate_left',
  deleted: 'people.end_fate_deleted',
  blocked: 'people.end_fate_blocked',
} as const satisfies Record<string, Key>

function Asking({ email, onEnded, onClose }: { email: string; onEnded: () => void; onClose: () => void }) {
  const t = useT()
  const [typed, setTyped] = useState('')
  const [password, setPassword] = useState('')
  const fates = useQuery({
    queryKey: ['end-preview'],
    queryFn: async () => (await api.get('/api/me/end')).results,
    staleTime: 0,
  })
  const security = useQuery({ queryKey: ['security'], queryFn: () => api.get('/api/me/security') })
  const end = useMutation({
    mutationFn: () => api.post('/api/me/end', { body: { email: typed.trim(), password } }),
    onSuccess: onEnded,
  })
  const asks = security.data?.asks_password ?? true
  const blocked = fates.data?.some((team) => team.fate === 'blocked') ?? true
  const error = end.error ? asApiError(end.error) : null
  const wrong = error?.status === 403
  const failed = error && !wrong ? error : fates.error ? asApiError(fates.error) : null
  return (
    <Confirm
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={t('people.end_title')}
      action={t('people.end')}
      busy={end.isPending}
      disabled={blocked || typed.trim().toLowerCase() !== email || (asks && !password)}
      onConfirm={() => end.mutate()}
    >
      <div className="grid gap-4">
        <p>{t('people.end_section_text')}</p>
        {fates.data ? (
          <ul className="grid list-disc gap-1 pl-4">
            {fates.data.map((team) => (
              <li key={team.id}>
                <b className="font-semibold">{team.name}</b>: {t(FATES[team.fate])}
              </li>
            ))}
          </ul>
        ) : fates.error ? null : (
          <Skeleton rows={2} row={20} />
        )}
        {fates.data && blocked ? <Callout tone="waiting">{t('people.end_blocked')}</Callout> : null}
        <TextField label={t('people.type_name', { name: email })} value={typed} onChange={setTyped} />
        {asks ? (
          <PasswordField
            label={t('people.password_old')}
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
            error={wrong ? t('people.password_wrong') : undefined}
          />
        ) : null}
        {failed ? <ErrorBox error={failed} /> : null}
      </div>
    </Confirm>
  )
}

export function EndAccount({
  email,
  provider = null,
  onEnded,
}: {
  readonly email: string
  readonly provider?: string | null
  readonly onEnded: () => void
}) {
  const t = useT()
  const [asking, setAsking] = useState(false)
  return (
    <section className="grid gap-3" aria-labelledby="end-account">
      <h3 id="end-account">{t('people.end_section')}</h3>
      <p className="text-muted">{t('people.end_section_text')}</p>
      <div>
        <Button
          variant="danger"
          blocked={provider === null ? undefined : t('people.provider_end', { name: provider })}
          onClick={() => setAsking(true)}
        >
          {t('people.end')}
        </Button>
      </div>
      {asking ? <Asking email={email} onEnded={onEnded} onClose={() => setAsking(false)} /> : null}
    </section>
  )
}
