/** What an error carries beside its sentence and hint: inside of an `ErrorBox`, the nearest to the cause first. */
import type { ReactNode } from 'react'
import { isRef } from '@/api/run-types'
import { useT } from '@/i18n'
import { JsonTree, visible } from '@/ui'
import { Content } from './Content'
import { drawn } from './drawn'
import { type Carrying, type Facts, factsOf, isBare } from './facts'
import { LongText } from './LongText'
import { Stored } from './Stored'
import './results.css'

export function ErrorFacts({
  error,
  shown,
}: {
  readonly error: Carrying
  /** Fields that stand at their inputs already. */
  readonly shown?: boolean
}): ReactNode {
  const t = useT()
  const { detail } = error
  if (isRef(detail)) {
    return (
      <Stored stored={detail} label={t('results.details')}>
        {(whole) => <ErrorFacts error={{ ...error, detail: whole }} />}
      </Stored>
    )
  }
  const { fields: _, ...without } = error
  const facts = factsOf(shown ? without : error)
  return isBare(facts) ? null : <FactList facts={facts} />
}

const isThere = (value: unknown) => value !== null && value !== undefined

function FactList({ facts }: { facts: Facts }) {
  const t = useT()
  const { why, status, fields, headers, raw, content, structured, data, stderr, rest } = facts
  const answered = (Array.isArray(content) && content.length > 0) || isRef(content) || isThere(structured)
  return (
    <div className="error-facts">
      {why.map((sentence) => (
        <p key={sentence} className="error-why">
          {visible(sentence)}
        </p>
      ))}
      {status.length > 0 ? <p className="error-status">{status.join(' · ')}</p> : null}
      <Pairs title={t('results.fields')} of={fields} />
      {answered ? (
        <Part title={t('results.tool_said')}>
          <Content content={content} structured={structured} />
        </Part>
      ) : null}
      {isThere(data) ? (
        <Part title={t('results.data')}>
          <Tree value={data} />
        </Part>
      ) : null}
      <Pairs title={t('results.headers')} of={headers} />
      {raw ? (
        <Part title={t('results.raw')}>
          <LongText text={raw} label={t('results.raw')} maxHeight={200} />
        </Part>
      ) : null}
      {stderr ? (
        <Part title={t('results.stderr')}>
          <LongText text={stderr} label={t('results.stderr')} maxHeight={160} />
        </Part>
      ) : null}
      {Object.keys(rest).length > 0 ? (
        <Part title={t('results.more')}>
          <Tree value={rest} />
        </Part>
      ) : null}
    </div>
  )
}

function Tree({ value }: { value: unknown }) {
  return (
    <div className="well result-tree">
      <JsonTree value={value} open={3} whole={drawn} />
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid grid-cols-1 gap-1" aria-label={title}>
      <h4 className="section-title">{title}</h4>
      {children}
    </section>
  )
}

function Pairs({ title, of }: { title: string; of: readonly (readonly [string, string])[] }) {
  if (of.length === 0) return null
  return (
    <Part title={title}>
      <dl className="error-pairs">
        {of.map(([name, value]) => (
          <div key={name}>
            <dt>{visible(name)}</dt>
            <dd>{visible(value)}</dd>
          </div>
        ))}
      </dl>
    </Part>
  )
}
