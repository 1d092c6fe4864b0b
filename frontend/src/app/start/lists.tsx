/** What waits for somebody, and the newest runs, whoever started them. */

import { Link } from 'wouter'
import { useOpenQuestions } from '@/api/queries'
import type { Interaction, Run } from '@/api/run-types'
import { flatten, useInteractions, useRuns } from '@/api/runs'
import { useT } from '@/i18n'
import { Urgency } from '@/interactions/Expiry'
import { headingOf, KindIcon, placeOf } from '@/interactions/kinds'
import { startedBy, statusOf, tokensOf, useTook } from '@/runs/list/run-parts'
import { compact, duration, RelativeTime, StatusWord, visible } from '@/ui'
import { Part } from './parts'

const MOST_QUESTIONS = 4
const MOST_RUNS = 7

/** What one does with a question, in a word. */
const DO: Partial<Record<Interaction['kind'], `workflows.busy_${'review' | 'fill_in' | 'answer'}`>> = {
  approval: 'workflows.busy_review',
  params: 'workflows.busy_fill_in',
  form: 'workflows.busy_fill_in',
  elicitation: 'workflows.busy_answer',
}

function Question({ question }: { readonly question: Interaction }) {
  const t = useT()
  const heading = headingOf(question, t)
  const what = t(DO[question.kind] ?? 'workflows.busy_decide')
  return (
    <li className="busy-row">
      <KindIcon question={question} />
      <span className="grid min-w-0 flex-1 gap-0.5">
        <span className="flex min-w-0 items-center gap-2 phone:flex-wrap phone:gap-y-1">
          <span className="truncate font-medium phone:break-words phone:whitespace-normal" data-tip={heading}>
            {heading}
          </span>
          <Urgency question={question} />
        </span>
        <span className="truncate text-xs text-muted">{placeOf(question)}</span>
      </span>
      <span className="text-xs whitespace-nowrap text-muted phone:hidden">
        <RelativeTime value={question.created_at} />
      </span>
      <Link
        className="btn btn-small"
        href={`/inbox/${question.id}`}
        aria-label={t('workflows.busy_open_named', { what, name: heading })}
      >
        {what}
      </Link>
    </li>
  )
}

/** Nothing stands here while nothing waits. */
export function NeedsYou() {
  const t = useT()
  const { interactions } = useInteractions({ state: 'open' })
  const count = useOpenQuestions()
  if (interactions.length === 0) return null
  return (
    <Part
      title={t('workflows.busy_needs_you')}
      note={Math.max(count, interactions.length)}
      all={{ href: '/inbox', label: t('workflows.busy_inbox') }}
    >
      <ul>
        {interactions.slice(0, MOST_QUESTIONS).map((question) => (
          <Question key={question.id} question={question} />
        ))}
      </ul>
    </Part>
  )
}

function RunRow({ run }: { readonly run: Run }) {
  const t = useT()
  const ms = useTook(run)
  const tokens = tokensOf(run)
  return (
    <li className="busy-row busy-run">
      <StatusWord status={statusOf(run)} />
      <Link href={`/runs/${run.id}`} className="truncate font-medium hover:underline">
        {visible(run.workflow_name ?? run.workflow)}
      </Link>
      <span className="busy-by truncate text-sm text-muted">{startedBy(run)}</span>
      <span className="busy-tokens text-right text-sm text-muted tabular-nums">
        {tokens > 0 ? `${compact(tokens)} ${t('runs.col_tokens')}` : ''}
      </span>
      <span className="text-right text-sm text-muted tabular-nums">{ms === null ? '' : duration(ms)}</span>
      <span className="text-right text-xs whitespace-nowrap text-muted">
        <RelativeTime value={run.started_at ?? run.queued_at} />
      </span>
    </li>
  )
}

export function RecentRuns() {
  const t = useT()
  const runs = flatten(useRuns({}).data).slice(0, MOST_RUNS)
  if (runs.length === 0) return null
  return (
    <Part title={t('workflows.busy_recent')} all={{ href: '/runs', label: t('workflows.busy_all_runs') }}>
      <ul>
        {runs.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
    </Part>
  )
}
