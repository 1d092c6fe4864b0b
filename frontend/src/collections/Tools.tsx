/** What is in a collection: what clients see of each tool beside its pinned original, and what the gate makes of it. */
import { ChevronRight, Lock, Plus, Search, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { CollectionDetail, CollectionTool } from '@/api/collections'
import { useMay } from '@/api/queries'
import { sentenceGap, useT } from '@/i18n'
import { Button, Chip, cx, EmptyState, RiskBadge, TextField, visible } from '@/ui'
import { AddTools } from './AddTools'
import { ToolWords } from './ToolWords'

/** The gate's answers in words. */
const GATES = {
  allow: 'collections.gate_allow',
  ask: 'collections.gate_ask',
  deny: 'collections.gate_deny',
} as const

/** From so many on they are filtered. */
const MANY = 8

export function Tools({ collection }: { readonly collection: CollectionDetail }) {
  const t = useT()
  const may = useMay('editor')
  const [words, setWords] = useState('')
  const [open, setOpen] = useState<string | null>(null)
  const [adding, setAdding] = useState(false)
  const { entries } = collection
  const query = words.trim().toLowerCase()
  const rows = entries.filter((entry) =>
    [entry.name, entry.original.name, entry.server_name ?? '', entry.description].some((text) =>
      text.toLowerCase().includes(query),
    ),
  )
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('collections.tools')}>
      <div className="coll-head">
        <h3 className="section-title">
          {t('collections.tools')} <span className="count">{entries.length}</span>
        </h3>
        <Sum entries={entries} />
        {entries.length < MANY ? null : (
          <TextField
            className="w-44 phone:w-full"
            inputType="search"
            before={<Search aria-hidden />}
            aria-label={t('collections.filter')}
            placeholder={t('collections.filter')}
            value={words}
            onChange={setWords}
          />
        )}
        {may ? (
          <Button icon={<Plus aria-hidden />} onClick={() => setAdding(true)}>
            {t('collections.add')}
          </Button>
        ) : null}
      </div>
      {entries.length === 0 ? (
        <EmptyState flush title={t('collections.no_tools')} text={t('collections.no_tools_text')} />
      ) : rows.length === 0 ? (
        <p className="text-sm text-muted">{t('collections.none_fits')}</p>
      ) : (
        <div className="coll-tools">
          <Columns />
          <ul>
            {rows.map((entry) => (
              <ToolRow
                key={entry.id}
                collection={collection.id}
                entry={entry}
                open={open === entry.id}
                onToggle={() => setOpen(open === entry.id ? null : entry.id)}
              />
            ))}
          </ul>
        </div>
      )}
      {adding ? <AddTools collection={collection} onClose={() => setAdding(false)} /> : null}
    </section>
  )
}

function Sum({ entries }: { readonly entries: readonly CollectionTool[] }) {
  const t = useT()
  const size = entries.reduce((sum, entry) => sum + entry.size, 0)
  const changed = entries.filter((entry) => entry.changed).length
  return (
    <span className="flex-1 text-xs text-muted tabular-nums">
      {entries.length > 0 ? t('collections.size', { n: size }) : null}
      {changed > 0 ? ` · ${t('collections.changed_count', { n: changed })}` : null}
    </span>
  )
}

function Columns() {
  const t = useT()
  return (
    <div className="coll-row coll-columns" aria-hidden>
      <span />
      <span>{t('collections.offered_as')}</span>
      <span className="coll-from">{t('collections.original')}</span>
      <span className="text-center">{t('collections.risk')}</span>
      <span>{t('collections.gate')}</span>
      <span className="coll-size">{t('collections.tokens')}</span>
    </div>
  )
}

interface RowProps {
  readonly collection: string
  readonly entry: CollectionTool
  readonly open: boolean
  readonly onToggle: () => void
}

function ToolRow({ collection, entry, open, onToggle }: RowProps) {
  const t = useT()
  const { original } = entry
  const from =
    entry.kind === 'workflow'
      ? t('collections.of_workflow', { name: visible(original.title), version: String(entry.version ?? '–') })
      : `${entry.server}/${visible(original.name)}`
  return (
    <li data-open={open}>
      <button type="button" className="coll-row" aria-expanded={open} onClick={onToggle}>
        <ChevronRight size={14} aria-hidden className={cx('transition-transform', open && 'rotate-90')} />
        <span className="coll-name">
          <code>{visible(entry.name)}</code>
          {entry.edited ? <Chip>{t('collections.edited')}</Chip> : null}
          {entry.gone ? <Chip tone="failed">{t('collections.gone')}</Chip> : null}
          {entry.changed && !entry.gone ? <Chip tone="waiting">{t('collections.changed')}</Chip> : null}
        </span>
        <span className="coll-from">{from}</span>
        <span className="text-center">
          {entry.risk ? <RiskBadge level={entry.risk.level} reasons={entry.risk.reasons} /> : '–'}
        </span>
        <span className="text-xs" data-tone={entry.gate === 'ask' ? 'person' : undefined}>
          {t(GATES[entry.gate])}
        </span>
        <span className="coll-size">{entry.size}</span>
      </button>
      {open ? (
        <div className="coll-open">
          <Remark entry={entry} />
          <ToolWords key={`${entry.name} ${entry.description}`} collection={collection} entry={entry} />
          {entry.kind === 'workflow' ? null : (
            <p className="flex items-center gap-2 text-xs text-muted">
              <Lock size={14} aria-hidden className="flex-none" /> {t('collections.pin_decides')}
            </p>
          )}
        </div>
      ) : null}
    </li>
  )
}

/** Why a tool is not called, or asks. */
function Remark({ entry }: { readonly entry: CollectionTool }) {
  const t = useT()
  const text = entry.gone
    ? t('collections.gone_text')
    : entry.gate === 'deny'
      ? t('collections.denied_text')
      : entry.changed
        ? t('collections.changed_text')
        : null
  if (text === null) return null
  return (
    <p className="flex items-center gap-2 text-sm">
      <TriangleAlert size={14} aria-hidden data-tone="waiting" className="flex-none" />
      <span className="min-w-0 flex-1">
        {text}
        {sentenceGap()}
        {entry.changed && entry.server ? (
          <Link className="link underline" href={`/registry/${entry.server}`}>
            {t('collections.review')}
          </Link>
        ) : null}
      </span>
    </p>
  )
}
