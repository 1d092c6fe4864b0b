/** One server of a pasted configuration: where it goes, what is kept secret, and a field for each placeholder. */
import { Ban, Info, KeyRound, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { components } from '@/api/schema'
import { KeptSecret, SecretField } from '@/forms'
import { listOf, useT } from '@/i18n'
import { Checkbox, Chip, Select, TextArea, TextField, visible } from '@/ui'

export type ServerMatch = components['schemas']['FoundServer']
type Question = components['schemas']['ImportQuestion']
export type Answers = Readonly<Record<string, string>>

/** What an answer is until something is typed. */
export const answerOf = (question: Question, answers: Answers): string =>
  answers[question.id] ?? question.default

/** The first placeholder without which the server cannot be added; a secret of a variable or header may wait. */
export const firstOpen = (server: ServerMatch, answers: Answers): Question | undefined =>
  server.questions.find(
    (question) =>
      question.required &&
      question.where !== 'env' &&
      question.where !== 'headers' &&
      !answerOf(question, answers).trim(),
  )

function Line({ tone, icon, children }: { tone: 'muted' | 'waiting'; icon: ReactNode; children: ReactNode }) {
  return (
    <p
      className={`flex items-start gap-1 pl-6 text-xs ${tone === 'waiting' ? 'text-waiting' : 'text-muted'}`}
    >
      <span className="mt-0.5 shrink-0">{icon}</span>
      <span className="min-w-0 break-words">{children}</span>
    </p>
  )
}

export function FoundServer({
  server,
  chosen,
  answers,
  onChoose,
  onAnswer,
}: {
  readonly server: ServerMatch
  readonly chosen: boolean
  readonly answers: Answers
  readonly onChoose: (on: boolean) => void
  readonly onAnswer: (id: string, answer: string) => void
}) {
  const t = useT()
  const questionIds = new Set(server.questions.map((question) => question.id))
  const missing = server.missing.filter((name) => !questionIds.has(name) && server.questions.length === 0)
  return (
    <div className="grid grid-cols-1 gap-1 rounded-md border border-line px-3 py-1">
      <Checkbox
        checked={chosen}
        onChange={onChoose}
        label={
          <span className="inline-flex items-center gap-2">
            {visible(server.name)} <Chip>{server.transport}</Chip>
            {server.alternative ? <Chip>{t('registry.alternative')}</Chip> : null}
          </span>
        }
      />
      <p className="truncate pl-6 font-mono text-xs text-muted" data-tip={server.target}>
        {server.target}
      </p>
      {server.transport === 'stdio' ? (
        <Line tone="waiting" icon={<TriangleAlert size={12} aria-hidden />}>
          {t('registry.full_trust')}
        </Line>
      ) : null}
      {server.secrets.length > 0 ? (
        <Line tone="muted" icon={<KeyRound size={12} aria-hidden />}>
          {t('registry.become_secret', { names: listOf(server.secrets) })}
        </Line>
      ) : null}
      {missing.length > 0 ? (
        <Line tone="waiting" icon={<TriangleAlert size={12} aria-hidden />}>
          {t('registry.to_be_given', { names: listOf(missing) })}
        </Line>
      ) : null}
      {server.denied.length > 0 ? (
        <Line tone="muted" icon={<Ban size={12} aria-hidden />}>
          {t('registry.tools_denied', { names: listOf(server.denied) })}
        </Line>
      ) : null}
      {server.allowed ? (
        <Line tone="muted" icon={<Ban size={12} aria-hidden />}>
          {t('registry.tools_others_denied', { names: listOf(server.allowed) })}
        </Line>
      ) : null}
      {server.notes.map((note) => (
        <Line key={note} tone="waiting" icon={<Info size={12} aria-hidden />}>
          {note}
        </Line>
      ))}
      {chosen && server.questions.length > 0 ? (
        <fieldset className="grid grid-cols-1 gap-3 py-2 pl-6">
          <legend className="sr-only">{t('registry.values_of', { name: server.name })}</legend>
          {server.questions.map((question) => (
            <Answer
              key={question.id}
              question={question}
              value={answerOf(question, answers)}
              onChange={(answer) => onAnswer(question.id, answer)}
            />
          ))}
        </fieldset>
      ) : null}
    </div>
  )
}

function Answer({
  question,
  value,
  onChange,
}: {
  readonly question: Question
  readonly value: string
  readonly onChange: (answer: string) => void
}) {
  const t = useT()
  const later = question.where === 'env' || question.where === 'headers'
  const hint =
    question.description ||
    (later && question.secret ? t('registry.may_be_given_later') : undefined) ||
    (question.token && question.token !== question.label
      ? t('registry.stands_for', { token: question.token })
      : undefined)
  const props = {
    label: question.label,
    required: question.required && !later,
    value,
    onChange,
    hint,
  }
  if (question.choices.length > 0)
    return (
      <Select
        {...props}
        options={[
          { value: '', label: t('registry.choose') },
          ...question.choices.map((choice) => ({ value: choice, label: choice })),
        ]}
      />
    )
  if (question.secret) return <SecretField {...props} aside={<KeptSecret />} />
  if (question.multiple) return <TextArea {...props} mono rows={3} aside={t('registry.one_per_line')} />
  return <TextField {...props} mono />
}
