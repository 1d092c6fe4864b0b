/** What the team's models may use in a day; an admin sets it, everybody sees it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { spendingQuery } from '@/api/spending'
import { useT } from '@/i18n'
import { Button, ErrorBox, LoadFailed, Skeleton, TextField } from '@/ui'
import { BudgetToday } from './BudgetToday'

interface Budget {
  tokens_per_day?: number | null | undefined
  cost_per_day?: number | null | undefined
  page_cost_per_day?: number | null | undefined
}

const KEY = ['team', 'current']

export function TeamBudget() {
  const t = useT()
  const { data, error, refetch } = useQuery({ queryKey: KEY, queryFn: () => api.get('/api/teams/current') })
  return (
    <section className="grid gap-2" aria-labelledby="team-budget">
      <h3 id="team-budget">{t('settings.budget')}</h3>
      <p className="text-muted">{t('settings.budget_text')}</p>
      {error ? <LoadFailed error={asApiError(error)} onRetry={refetch} /> : null}
      {data ? <BudgetForm key={JSON.stringify(data.budget)} budget={data.budget} /> : null}
      {data ? <BudgetToday /> : null}
      {!data && !error ? <Skeleton rows={1} row={56} /> : null}
    </section>
  )
}

const shown = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : `${value}`

/** The number that was typed; null for nothing, undefined for what is no amount. */
function amount(text: string, whole: boolean): number | null | undefined {
  if (text.trim() === '') return null
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 && (!whole || Number.isInteger(value)) ? value : undefined
}

function BudgetForm({ budget }: { budget: Budget }) {
  const t = useT()
  const admin = useMay('admin')
  const client = useQueryClient()
  const [tokens, setTokens] = useState(shown(budget.tokens_per_day))
  const [cost, setCost] = useState(shown(budget.cost_per_day))
  const [page, setPage] = useState(shown(budget.page_cost_per_day))
  const save = useMutation({
    mutationFn: (next: Budget) => api.patch('/api/teams/current', { body: { budget: next } }),
    onSuccess: (team) => {
      client.setQueryData(KEY, team)
      return client.invalidateQueries({ queryKey: spendingQuery.queryKey })
    },
  })
  const limits = {
    tokens_per_day: amount(tokens, true),
    cost_per_day: amount(cost, false),
    page_cost_per_day: amount(page, false),
  }
  const changed =
    tokens !== shown(budget.tokens_per_day) ||
    cost !== shown(budget.cost_per_day) ||
    page !== shown(budget.page_cost_per_day)
  const good = Object.values(limits).every((value) => value !== undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (good) save.mutate(limits)
  }
  return (
    <form
      className="grid max-w-160 grid-cols-[1fr_1fr_1fr_auto] items-start gap-2 small:grid-cols-2 phone:grid-cols-1"
      onSubmit={submit}
    >
      <TextField
        label={t('settings.budget_tokens')}
        value={tokens}
        inputMode="numeric"
        placeholder={t('settings.no_limit')}
        disabled={!admin}
        error={limits.tokens_per_day === undefined ? t('settings.budget_whole') : undefined}
        onChange={setTokens}
      />
      <TextField
        label={t('settings.budget_cost')}
        value={cost}
        inputMode="decimal"
        placeholder={t('settings.no_limit')}
        disabled={!admin}
        error={limits.cost_per_day === undefined ? t('settings.budget_amount') : undefined}
        onChange={setCost}
      />
      <TextField
        label={t('settings.budget_page')}
        hint={t('settings.budget_page_hint')}
        value={page}
        inputMode="decimal"
        placeholder={t('settings.budget_page_default')}
        disabled={!admin}
        error={limits.page_cost_per_day === undefined ? t('settings.budget_amount') : undefined}
        onChange={setPage}
      />
      {admin ? (
        <Button
          className="mt-5 justify-self-start phone:mt-0"
          type="submit"
          disabled={!changed || !good}
          busy={save.isPending}
        >
          {t('common.save')}
        </Button>
      ) : null}
      {save.error ? <ErrorBox error={asApiError(save.error)} /> : null}
    </form>
  )
}
