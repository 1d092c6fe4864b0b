/** The fields of a change side by side: short values in two cells, long ones line against line. */
import { useState } from 'react'
import type { FieldPair } from '@/graph/compare/compare'
import type { NodeTypes } from '@/graph/types'
import { useT } from '@/i18n'
import { Diff, diffLines, Segmented, visible } from '@/ui'
import { type Change, documentWord, fieldWord } from './changes'

const SHORT = 48
/** What says nothing new of an item that came or went: its icon and its head say it. */
const PLAIN: ReadonlySet<string> = new Set(['type', 'v', 'kind'])
/** Equal lines around a change. */
const AROUND = 2

/** A value as text; nothing for what is not there. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

interface Sides {
  /** What both sides are called. */
  readonly before: string
  readonly after: string
}

function Cell({ value, name, side }: { value: string; name: string; side: 'before' | 'after' }) {
  const t = useT()
  return (
    <div className="field-cell" data-side={side} data-empty={value === '' || undefined}>
      <span className="sr-only">{name}: </span>
      {value === '' ? t('versions.not_set') : visible(value)}
    </div>
  )
}

function FieldDifference({ pair, label, sides }: { pair: FieldPair; label: string; sides: Sides }) {
  const t = useT()
  const [before, after] = [textOf(pair.before), textOf(pair.after)]
  const long = [before, after].some((text) => text.length > SHORT || text.includes('\n'))
  const [lines, setLines] = useState(true)
  const both = before !== '' && after !== ''
  const differ = long && both ? diffLines(before, after).filter((line) => line.kind !== 'same').length : 0
  return (
    <section className="field-difference" aria-label={label}>
      <div className="field-difference-head">
        <h4>{label}</h4>
        {differ > 0 ? <span className="text-muted">{t('versions.lines_differ', { n: differ })}</span> : null}
        {long && both ? (
          <span className="ml-auto">
            <Segmented
              small
              label={t('versions.how_shown', { field: label })}
              value={lines ? 'lines' : 'beside'}
              onChange={(next) => setLines(next === 'lines')}
              options={[
                { value: 'lines', label: t('versions.lines') },
                { value: 'beside', label: t('versions.beside') },
              ]}
            />
          </span>
        ) : null}
      </div>
      {long && both && lines ? (
        <Diff before={before} after={after} around={AROUND} />
      ) : (
        <div className="field-cells">
          <Cell value={before} name={sides.before} side="before" />
          <Cell value={after} name={sides.after} side="after" />
        </div>
      )}
    </section>
  )
}

function Same({ pairs, word }: { pairs: readonly FieldPair[]; word: (path: string) => string }) {
  const t = useT()
  if (pairs.length === 0) return null
  return (
    <details className="fields-same">
      <summary>{t('versions.fields_same', { n: pairs.length })}</summary>
      <dl>
        {pairs.map(({ path, after }) => (
          <div key={path}>
            <dt>{word(path)}</dt>
            <dd>{visible(textOf(after))}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

export interface ChangeFieldsProps {
  readonly change: Change
  readonly types: NodeTypes
  readonly sides: Sides
}

/** What differs of a change, and folded what does not. */
export function ChangeFields({ change, types, sides }: ChangeFieldsProps) {
  const t = useT()
  if (change.of === 'edge')
    return (
      <p className="text-sm">
        {t(change.item.kind === 'added' ? 'versions.edge_added' : 'versions.edge_removed', {
          from: `${change.item.edge.source} / ${change.item.edge.source_port}`,
          to: change.item.edge.target,
        })}
      </p>
    )
  if (change.of === 'document')
    return <FieldDifference pair={change.item} label={documentWord(change.item.path, t)} sides={sides} />
  const { item } = change
  const type = change.of === 'node' ? (change.item.after ?? change.item.before)?.type : undefined
  const word = (path: string) => fieldWord(path, type, types, t)
  const says = ({ path }: FieldPair) => item.kind === 'changed' || !PLAIN.has(path)
  return (
    <div className="fields">
      {item.moved ? <p className="text-sm text-muted">{t('versions.stands_elsewhere')}</p> : null}
      {item.fields.filter(says).map((pair) => (
        <FieldDifference key={pair.path} pair={pair} label={word(pair.path)} sides={sides} />
      ))}
      <Same pairs={item.same} word={word} />
    </div>
  )
}
