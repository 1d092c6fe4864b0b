/** How long a question can still be answered. Amber in its last hour. */

import { Clock } from 'lucide-react'
import type { Interaction } from '@/api/run-types'
import { useT } from '@/i18n'
import { useNow } from '@/live/run-store'
import { Chip, duration, RiskBadge } from '@/ui'
import { expiryOf } from './kinds'

const SOON_MS = 3_600_000

export function Expiry({ question }: { question: Pick<Interaction, 'expires_at' | 'on_expire' | 'state'> }) {
  const t = useT()
  const index = expiryOf(question)
  const now = useNow(index !== null && question.state === 'open')
  if (index === null || question.state !== 'open') return null
  const left = index - now
  if (left <= 0) return <Chip tone="waiting">{t('inbox.expired')}</Chip>
  const tip =
    question.on_expire === 'decline'
      ? t('inbox.on_expire_decline')
      : question.on_expire === 'fail'
        ? t('inbox.on_expire_fail')
        : undefined
  if (left > SOON_MS) {
    return (
      <span className="text-xs text-muted tabular-nums" data-tip={tip}>
        {t('inbox.expires', { time: duration(left) })}
      </span>
    )
  }
  return (
    <Chip tone="waiting" tip={tip}>
      <Clock aria-hidden />
      <span className="tabular-nums">{t('inbox.left', { time: duration(left) })}</span>
    </Chip>
  )
}

/** What a question in a list is hurried by: a high risk, and the end of its time. */
export function Urgency({ question }: { readonly question: Interaction }) {
  return (
    <>
      {question.risk?.level === 'HIGH' ? <RiskBadge level="HIGH" /> : null}
      <Expiry question={question} />
    </>
  )
}
