/** A value to look at: as a tree, a table, text or JSON. */
import { type ReactNode, useState } from 'react'
import { isRef } from '@/api/run-types'
import { isRecord, jsonType } from '@/forms'
import { useT } from '@/i18n'
import { isAnswer, Stored, showsMore, Tree } from '@/results'
import { CodeBlock, Segmented } from '@/ui'

export type ViewAs = 'tree' | 'table' | 'text' | 'json'

export function useViewAs(initial: ViewAs): [ViewAs, ReactNode] {
  const t = useT()
  const [as, setAs] = useState<ViewAs>(initial)
  const choice = (
    <Segmented
      small
      label={t('inspector.view_as')}
      value={as}
      onChange={setAs}
      options={[
        { value: 'tree', label: t('inspector.tree') },
        { value: 'table', label: t('inspector.table') },
        { value: 'text', label: t('inspector.text') },
        { value: 'json', label: t('inspector.json') },
      ]}
    />
  )
  return [as, choice]
}

export function ValueView({ value, as }: { value: unknown; as: ViewAs }) {
  const t = useT()
  if (isRef(value)) {
    return (
      <Stored stored={value} label={t('inspector.view_as')}>
        {(whole) => <ValueView value={whole} as={as} />}
      </Stored>
    )
  }
  switch (as) {
    case 'tree':
      return <Tree value={value} open={1} />
    case 'table':
      return <TableView value={value} />
    case 'text':
      return isAnswer(value) && showsMore(value.content) ? <Tree value={value} /> : <TextView value={value} />
    case 'json':
      return <CodeBlock small code={JSON.stringify(value, null, 2) ?? 'null'} />
  }
}

/** The main text of an output first; the other keys in one line below. */
function TextView({ value }: { value: unknown }) {
  if (!isRecord(value))
    return (
      <CodeBlock
        small
        code={typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null')}
      />
    )
  const texts = Object.entries(value).filter(([, inner]) => typeof inner === 'string' && inner !== '')
  const [main] = [...texts].sort((a, b) => String(b[1]).length - String(a[1]).length)
  if (!main) return <CodeBlock small code={JSON.stringify(value, null, 2)} />
  const others = Object.entries(value).filter(([name]) => name !== main[0])
  return (
    <>
      <p className="section-title">{main[0]}</p>
      <CodeBlock small code={String(main[1])} />
      <p className="inspector-rest">
        {others.map(([name, inner]) => (
          <span key={name}>
            {name} <code>{shortly(inner)}</code>
          </span>
        ))}
      </p>
    </>
  )
}

function shortly(value: unknown): string {
  if (isRecord(value) || Array.isArray(value))
    return jsonType(value) === 'array' ? `[${(value as unknown[]).length}]` : '{…}'
  const text = typeof value === 'string' ? value : String(value)
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

const MOST_ROWS = 200
const MOST_COLUMNS = 12

function TableView({ value }: { value: unknown }) {
  const t = useT()
  const [all, setAll] = useState(false)
  const rows = rowsIn(value)
  if (!rows) return <p className="field-hint">{t('inspector.no_table')}</p>
  const columns = [
    ...new Set(rows.slice(0, 100).flatMap((row) => (isRecord(row) ? Object.keys(row) : []))),
  ].slice(0, MOST_COLUMNS)
  const shown = all ? rows : rows.slice(0, MOST_ROWS)
  return (
    <div className="inspector-table">
      <table className="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a value have no identity but their place
            <tr key={index}>
              {columns.map((column) => {
                const cell = isRecord(row) && Object.hasOwn(row, column) ? row[column] : undefined
                return (
                  <td key={column} title={cell === undefined ? undefined : shortly(cell)}>
                    {cell === undefined ? '' : shortly(cell)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown.length ? (
        <button type="button" className="link form-link" onClick={() => setAll(true)}>
          {t('common.show_all', { n: rows.length - shown.length })}
        </button>
      ) : null}
    </div>
  )
}

/** The first list of objects in a value, looking two levels deep. */
function rowsIn(value: unknown, depth = 2): unknown[] | undefined {
  if (Array.isArray(value)) return value.some(isRecord) ? value : undefined
  if (!isRecord(value) || depth === 0) return undefined
  for (const inner of Object.values(value)) {
    const matches = rowsIn(inner, depth - 1)
    if (matches) return matches
  }
  return undefined
}
