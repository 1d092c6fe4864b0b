/** Who must approve: the rule, whose yes is there, and who can still say it. */

import { CircleCheck, Users } from 'lucide-react'
import { useMe } from '@/api/queries'
import type { Interaction } from '@/api/run-types'
import { listOf, useT } from '@/i18n'
import { dateTime, visible } from '@/ui'

/** Why this person's yes cannot count, undefined where it can. */
export function useBarred({ approval, started, state }: Interaction): string | undefined {
  const t = useT()
  const { email } = useMe()
  if (approval === undefined || approval.rule === 'anyone' || state !== 'open') return undefined
  if (approval.able.includes(email)) return undefined
  if (approval.given.some((entry) => entry.by === email)) return t('inbox.approved_by_you')
  return started?.by === email ? t('inbox.started_by_you') : undefined
}

export function Agreement({ question }: { readonly question: Interaction }) {
  const t = useT()
  const { approval } = question
  if (approval === undefined || approval.rule === 'anyone') return null
  const open = question.state === 'open'
  const { given, needed, able } = approval
  return (
    <>
      <p className="question-fact">
        <Users aria-hidden />
        <span className="min-w-0">
          {t(RULES[approval.rule])}
          {needed > 1 ? (
            <>
              {' '}
              <strong className="whitespace-nowrap">
                {t('inbox.approved_of', { n: given.length, needed })}
              </strong>
            </>
          ) : null}{' '}
          {open ? (
            <span className="text-muted">
              {able.length > 0
                ? t('inbox.approval_able', { who: visible(listOf(able)) })
                : t('inbox.approval_nobody')}
            </span>
          ) : null}
        </span>
      </p>
      {given.map((entry) => (
        <p key={`${entry.by}${entry.at}`} className="question-fact">
          <CircleCheck aria-hidden />
          <span className="min-w-0">
            {t(entry.changed ? 'inbox.approved_changed' : 'inbox.approved_by', {
              who: visible(entry.by ?? t('inbox.somebody_gone')),
            })}{' '}
            <span className="text-muted">
              {dateTime(entry.at)}
              {entry.remember === 'once' ? '' : ` · ${t(REMEMBERED[entry.remember])}`}
            </span>
          </span>
        </p>
      ))}
    </>
  )
}

const RULES = {
  not_starter: 'inbox.approval_not_starter',
  two_people: 'inbox.approval_two_people',
  two_others: 'inbox.approval_two_others',
} as const

const REMEMBERED = {
  run: 'inbox.remember_run',
  tool: 'inbox.remember_tool',
  arguments: 'inbox.remember_arguments',
} as const
