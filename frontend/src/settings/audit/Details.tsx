/** One entry in full: before and after, what was written with it, and the ids that a script asks for. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { AuditEntry } from '@/api/audit'
import { useT } from '@/i18n'
import { CodeBlock, CopyButton, dateTime } from '@/ui'
import { shownValue } from './entry-text'

export function Details({ entry }: { readonly entry: AuditEntry }) {
  const t = useT()
  const changes = Object.entries(entry.changes)
  const written = Object.keys(entry.content).length > 0
  const facts = Object.entries(entry.data).filter(([name, value]) => says(value) && name !== 'changed')
  return (
    <div className="audit-details">
      {changes.length > 0 ? (
        <table className="audit-changes">
          <thead>
            <tr>
              <th>{t('audit.field')}</th>
              <th>{t('audit.before')}</th>
              <th>{t('audit.after')}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(([field, [before, after]]) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td data-side="before">{shownValue(t, before)}</td>
                <td data-side="after">{shownValue(t, after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {written ? (
        <CodeBlock small code={JSON.stringify(entry.content, null, 2)} label={t('audit.written')} />
      ) : null}
      {entry.erased ? <p className="text-sm text-muted">{t('audit.erased')}</p> : null}
      <dl className="audit-facts">
        <Fact name={t('audit.when')}>{dateTime(entry.at)}</Fact>
        <Fact name={t('audit.action')}>
          <code>{entry.action}</code>
        </Fact>
        {entry.actor ? (
          <IdFact name={t('audit.who')} id={entry.actor.id} message={entry.actor.email} />
        ) : null}
        {entry.token ? (
          <IdFact name={t('audit.token')} id={entry.token.id} message={entry.token.name} />
        ) : null}
        {entry.target ? (
          <IdFact name={t('audit.target')} id={entry.target} message={entry.kind}>
            <Link href={`/settings/audit?target=${entry.target}`} className="link">
              {t('audit.all_of_it')}
            </Link>
          </IdFact>
        ) : null}
        {entry.link ? (
          <Fact name={t('audit.chain_place')}>
            {entry.link.position} <code data-tip={entry.link.digest}>{entry.link.digest.slice(0, 12)}…</code>
          </Fact>
        ) : null}
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            <code>{shownValue(t, value)}</code>
          </Fact>
        ))}
      </dl>
    </div>
  )
}

/** Whether a fact says anything. */
const says = (value: unknown): boolean =>
  value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function IdFact({
  name,
  id,
  message,
  children,
}: {
  readonly name: string
  readonly id: string
  readonly message: string | null
  readonly children?: ReactNode
}) {
  return (
    <Fact name={name}>
      {message ? <span>{message}</span> : null} <code className="text-muted">{id}</code>{' '}
      <CopyButton text={id} />
      {children}
    </Fact>
  )
}
