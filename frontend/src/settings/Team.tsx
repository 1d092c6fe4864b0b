/** The team acted in: its name, who is in it, who is invited, what its models may use, and its end. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, Suspense, useState } from 'react'
import { api, asApiError } from '@/api/client'
import { meQuery, useMay, useMe } from '@/api/queries'
import { currentLanguage, loadWords, useT } from '@/i18n'
import { docsHref } from '@/i18n/docs'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { Button, Checkbox, ErrorBox, Select, TextField } from '@/ui'
import { TeamBudget } from './TeamBudget'
import { Invitations } from './team/Invitations'
import { Leaving } from './team/Leaving'
import { Members } from './team/Members'
import { ROLE_MEANINGS, ROLE_NAMES, ROLES } from './team/roles'

const RequestHosts = lazily(async () => {
  const [file] = await Promise.all([fetchCode(() => import('./team/RequestHosts')), loadWords('http')])
  return { default: file.RequestHosts }
})

function Name() {
  const t = useT()
  const me = useMe()
  const client = useQueryClient()
  const [name, setName] = useState(me.team.name)
  const rename = useMutation({
    mutationFn: () => api.patch('/api/teams/current', { body: { name: name.trim() } }),
    onSuccess: () => client.invalidateQueries({ queryKey: meQuery.queryKey }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim()) rename.mutate()
  }
  return (
    <form className="grid max-w-100 gap-2" onSubmit={submit}>
      <div className="flex items-end gap-2">
        <TextField
          className="flex-1"
          label={t('people.team_name')}
          maxLength={200}
          value={name}
          onChange={setName}
        />
        <Button type="submit" disabled={!name.trim() || name.trim() === me.team.name} busy={rename.isPending}>
          {t('common.save')}
        </Button>
      </div>
      {rename.error ? <ErrorBox error={asApiError(rename.error)} /> : null}
    </form>
  )
}

/** Currencies that are offered; another one is set over the API. */
const CURRENCIES = [
  'USD',
  'EUR',
  'CNY',
  'GBP',
  'JPY',
  'CHF',
  'INR',
  'KRW',
  'BRL',
  'CAD',
  'AUD',
  'SGD',
  'HKD',
  'TWD',
]

function Currency() {
  const t = useT()
  const me = useMe()
  const admin = useMay('admin')
  const client = useQueryClient()
  const { currency } = me.team
  const save = useMutation({
    mutationFn: (next: string) => api.patch('/api/teams/current', { body: { currency: next } }),
    onSuccess: () => client.invalidateQueries(),
  })
  const names = new Intl.DisplayNames([currentLanguage()], { type: 'currency' })
  const offered = CURRENCIES.includes(currency) ? CURRENCIES : [currency, ...CURRENCIES]
  return (
    <div className="grid max-w-100 gap-2">
      <Select
        label={t('people.currency')}
        hint={t('people.currency_hint')}
        value={currency}
        disabled={!admin || save.isPending}
        options={offered.map((code) => ({ value: code, label: `${code} · ${names.of(code)}` }))}
        onChange={(next) => save.mutate(next)}
      />
      {save.error ? <ErrorBox error={asApiError(save.error)} /> : null}
    </div>
  )
}

/** Whether members need a second factor. */
function Demand() {
  const t = useT()
  const admin = useMay('admin')
  const client = useQueryClient()
  const { data } = useQuery({ queryKey: ['team'], queryFn: () => api.get('/api/teams/current') })
  const save = useMutation({
    mutationFn: (on: boolean) => api.patch('/api/teams/current', { body: { second_factor: on } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['team'] }),
  })
  if (!data) return null
  return (
    <div className="grid max-w-100 gap-2">
      <Checkbox
        label={t('people.demand')}
        hint={t('people.demand_text')}
        checked={data.second_factor}
        disabled={!admin || save.isPending}
        onChange={(on) => save.mutate(on)}
      />
      {save.error ? <ErrorBox error={asApiError(save.error)} /> : null}
    </div>
  )
}

export function Team() {
  const t = useT()
  const me = useMe()
  const admin = useMay('admin')
  return (
    <div className="grid grid-cols-1 gap-6">
      <div className="grid grid-cols-1 gap-4">
        {admin ? (
          <Name key={me.team.name} />
        ) : (
          <p className="text-muted">
            <b className="font-semibold text-fg">{me.team.name}</b> ·{' '}
            {t('settings.you_are', { role: t(ROLE_NAMES[me.team.role]) })}
          </p>
        )}
        <Members />
        <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm">
          {ROLES.map((role) => (
            <div key={role} className="contents">
              <dt className="text-muted">{t(ROLE_NAMES[role])}</dt>
              <dd>{t(ROLE_MEANINGS[role])}</dd>
            </div>
          ))}
        </dl>
        <p className="text-sm">
          <a className="link" href={docsHref('teams')}>
            {t('people.roles_docs')}
          </a>
        </p>
      </div>
      {admin ? <Invitations /> : null}
      <Demand />
      <Currency />
      <TeamBudget />
      <Suspense fallback={null}>
        <RequestHosts />
      </Suspense>
      <Leaving />
    </div>
  )
}
