/** A question of a run inside its conversation: forms are answered here, an approval never is. */
import { useQueryClient } from '@tanstack/react-query'
import { Hand, Inbox, ListChecks } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Turn } from '@/api/chat'
import { useMe } from '@/api/queries'
import type { Answer, Interaction } from '@/api/run-types'
import { useT } from '@/i18n'
import { Expiry } from '@/interactions/Expiry'
import { headingOf, toolName } from '@/interactions/kinds'
import { QuestionForm } from '@/interactions/QuestionForm'
import { Button, clock, RiskBadge, visible } from '@/ui'
import { forgetAnswers, keepAnswers, keptAnswers } from './unsent'

/** Kinds that are answered in a conversation. */
const HERE: readonly string[] = ['form', 'params', 'elicitation']

export function ChatQuestion({ question: latest }: { readonly question: Turn['questions'][number] }) {
  const question = latest as unknown as Interaction
  if (question.state !== 'open') return <Done question={question} />
  return HERE.includes(question.kind) ? <Form question={question} /> : <Elsewhere question={question} />
}

function Form({ question }: { readonly question: Interaction }) {
  const t = useT()
  const client = useQueryClient()
  const { email } = useMe()
  const [first] = useState(() => keptAnswers(question.id))
  // until the conversation says so itself: what was sent is not to be filled in once more
  const [given, setAnswer] = useState<Answer | null>(null)
  if (given) return <Done question={answeredWith(question, given, email)} />
  const answered = (answer: Answer) => {
    forgetAnswers(question.id)
    setAnswer(answer)
    void client.invalidateQueries({ queryKey: ['conversation'] })
  }
  return (
    <section className="chat-asked" data-open aria-label={headingOf(question, t)}>
      <h3 className="chat-asked-head">
        <ListChecks size={16} aria-hidden className="text-person" />
        {headingOf(question, t)}
      </h3>
      <QuestionForm
        question={question}
        place="dock"
        {...(first === null ? {} : { first })}
        onValues={(values) => keepAnswers(question.id, values)}
        onAnswered={answered}
      />
    </section>
  )
}

const answeredWith = (question: Interaction, { action, values }: Answer, by: string): Interaction => ({
  ...question,
  state: 'answered',
  answer: { action, values },
  answered_by: by,
})

function Elsewhere({ question }: { readonly question: Interaction }) {
  const t = useT()
  const [, navigate] = useLocation()
  const tool = toolName(question.tool)
  return (
    <section className="chat-asked" data-open aria-label={t('chat.waits_person')}>
      <h3 className="chat-asked-head">
        <Hand size={16} aria-hidden className="text-person" />
        <span className="flex-1">{t('chat.waits_person')}</span>
        {question.risk ? <RiskBadge level={question.risk.level} /> : null}
      </h3>
      <p className="px-3 text-sm text-muted">
        <span className="text-fg">{tool ? <code>{tool}</code> : visible(question.title)}</span>{' '}
        {t('chat.not_here')}
      </p>
      <div className="flex items-center gap-2 px-3 pb-3">
        <Button icon={<Inbox aria-hidden />} onClick={() => navigate(`/inbox/${question.id}`)}>
          {t('chat.open_inbox')}
        </Button>
        <span className="flex-1" />
        <Expiry question={question} />
      </div>
    </section>
  )
}

/** What was answered, as names and values. */
function Done({ question }: { readonly question: Interaction }) {
  const t = useT()
  const values = question.answer?.values
  const rows = typeof values === 'object' && values !== null ? Object.entries(values) : []
  const declined = question.state !== 'answered' || question.answer?.action !== 'accept'
  return (
    <section className="chat-asked" aria-label={headingOf(question, t)}>
      <h3 className="chat-asked-head">
        <ListChecks size={16} aria-hidden className="text-muted" />
        <span className="min-w-0 flex-1">{headingOf(question, t)}</span>
        <span className="text-xs font-normal text-muted">
          {declined ? t('chat.not_answered') : null}
          {question.answered_by ? ` ${question.answered_by}` : null}
          {question.answered_at ? `, ${clock(question.answered_at)}` : null}
        </span>
      </h3>
      {rows.length > 0 && !declined ? (
        <dl className="chat-given">
          {rows.map(([name, value]) => (
            <div key={name} className="contents">
              <dt>{visible(name)}</dt>
              <dd>{visible(typeof value === 'string' ? value : JSON.stringify(value))}</dd>
            </div>
          ))}
        </dl>
      ) : null}
    </section>
  )
}
