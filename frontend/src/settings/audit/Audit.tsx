/** The audit trail: who did what, on what, when; filtered, searched, each entry in full, all of it as a file. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight, Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { type AuditEntry, auditQuery, chainQuery, exportPath, type Filter } from '@/api/audit'
import { asChoices, type Member, useMemberOf, useMemberSearch } from '@/api/choices'
import { asApiError } from '@/api/client'
import { download } from '@/api/download'
import { loadNextPage } from '@/api/next-page'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import {
  Button,
  Callout,
  cx,
  EmptyState,
  LoadFailed,
  Menu,
  RelativeTime,
  Select,
  Skeleton,
  TextField,
  toast,
} from '@/ui'
import { SearchSelect } from '@/ui/floating/search-select'
import { Details } from './Details'
import { actionName, KINDS, targetHref, targetName } from './entry-text'
import './audit.css'

const PERIODS = ['', '1', '7', '30'] as const
type Period = (typeof PERIODS)[number]
const TYPED_MS = 300

export function Audit() {
  const t = useT()
  return useMay('admin') ? <Trail /> : <Callout tone="idle">{t('settings.admins_only')}</Callout>
}

type AuditFilters = Record<'who' | 'what' | 'target' | 'days' | 'q', string>
type Change = (next: Partial<Record<string, string>>) => void

/** The filter as the address has it, so that a link leads to what was seen. */
function useFilter(): [AuditFilters, Change] {
  const search = useSearch()
  const [, navigate] = useLocation()
  const params = new URLSearchParams(search)
  const get = (name: string) => params.get(name) ?? ''
  const now = { who: get('who'), what: get('what'), target: get('target'), days: get('days'), q: get('q') }
  const change = (next: Partial<Record<string, string>>) => {
    const entries = Object.entries({ ...now, ...next }).filter(([, value]) => value)
    const text = new URLSearchParams(entries as [string, string][]).toString()
    navigate(text ? `/settings/audit?${text}` : '/settings/audit', { replace: true })
  }
  return [now, change]
}

/** Midnight so many days ago: the same moment all day, so that the list is not asked for anew with every drawing. */
function since(days: string): string | undefined {
  if (!days) return undefined
  const start = new Date()
  start.setHours(0, 0, 0, 0)
  start.setDate(start.getDate() - Number(days) + 1)
  return start.toISOString()
}

function Trail() {
  const t = useT()
  const [filters, change] = useFilter()
  const from = since(filters.days)
  const filter: Filter = {
    ...(filters.who ? { actor: filters.who } : {}),
    ...(filters.what ? { action: filters.what } : {}),
    ...(filters.target ? { target: filters.target } : {}),
    ...(filters.q ? { q: filters.q } : {}),
    ...(from ? { from } : {}),
  }
  const query = useInfiniteQuery(auditQuery(filter))
  const entries = query.data?.pages.flatMap((page) => page.results)
  const narrowed = Object.values(filters).some(Boolean)
  return (
    <>
      <p className="text-muted">{t('audit.intro')}</p>
      <Chain />
      <Filters filters={filters} change={change} filter={filter} />
      {filters.target ? (
        <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
          {t('audit.only_target')} <code className="font-mono">{filters.target}</code>
          <Button size="small" onClick={() => change({ target: '' })}>
            {t('audit.show_all')}
          </Button>
        </p>
      ) : null}
      {query.error && !query.isFetchNextPageError ? (
        <LoadFailed error={asApiError(query.error)} onRetry={query.refetch} />
      ) : null}
      {query.error && !entries ? null : <Entries entries={entries} narrowed={narrowed} />}
      {query.hasNextPage ? (
        <div>
          <Button busy={query.isFetchingNextPage} onClick={() => void loadNextPage(query)}>
            {t('audit.more')}
          </Button>
        </div>
      ) : null}
    </>
  )
}

function Filters({ filters, change, filter }: { filters: AuditFilters; change: Change; filter: Filter }) {
  const t = useT()
  return (
    <div className="audit-filters">
      <Search value={filters.q} onChange={(q) => change({ q })} />
      <Who value={filters.who} onChange={(who) => change({ who })} />
      <Select
        aria-label={t('audit.what')}
        value={filters.what}
        onChange={(what) => change({ what })}
        options={[
          { value: '', label: t('audit.any_action') },
          ...KINDS.map((kind) => ({ value: kind, label: t(`audit.kind_${kind}`) })),
          ...(filters.what.includes('.')
            ? [{ value: filters.what, label: actionName(t, filters.what) }]
            : []),
        ]}
      />
      <Select<Period>
        aria-label={t('audit.period')}
        value={PERIODS.find((period) => period === filters.days) ?? ''}
        onChange={(days) => change({ days })}
        options={PERIODS.map((value) => ({
          value,
          label: value ? t('audit.last_days', { n: Number(value) }) : t('audit.any_time'),
        }))}
      />
      <Export filter={filter} />
    </div>
  )
}

/** The rows that were found; `narrowed` = a filter is set. */
function Entries({ entries, narrowed }: { entries: readonly AuditEntry[] | undefined; narrowed: boolean }) {
  const t = useT()
  const [open, setOpen] = useState<string | null>(null)
  if (!entries) return <Skeleton rows={8} />
  if (entries.length === 0)
    return (
      <EmptyState
        flush
        title={t(narrowed ? 'audit.none_found' : 'audit.none')}
        text={narrowed ? undefined : t('audit.none_text')}
      />
    )
  return (
    <ul className="audit-list" aria-label={t('audit.title')}>
      {entries.map((entry) => (
        <Row
          key={entry.id}
          entry={entry}
          open={open === entry.id}
          onToggle={() => setOpen(open === entry.id ? null : entry.id)}
        />
      ))}
    </ul>
  )
}

/** Asks once the typing rests. */
function Search({ value, onChange }: { readonly value: string; readonly onChange: (q: string) => void }) {
  const t = useT()
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = window.setTimeout(() => onChange(text.trim()), TYPED_MS)
    return () => window.clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <TextField
      type="search"
      aria-label={t('audit.search')}
      placeholder={t('audit.search')}
      value={text}
      onChange={setText}
      className="audit-search"
    />
  )
}

function Who({ value, onChange }: { readonly value: string; readonly onChange: (who: string) => void }) {
  const t = useT()
  const [open, setOpen] = useState(false)
  const results = useMemberSearch(open)
  const member = useMemberOf(value)
  return (
    <SearchSelect
      aria-label={t('audit.who')}
      value={value}
      shown={value ? called(member) || value : t('audit.anybody')}
      nothing={t('audit.anybody')}
      onChange={onChange}
      onOpenChange={setOpen}
      choices={asChoices(results, (person) => ({ value: person.user, label: called(person) }))}
    />
  )
}

const called = (person: Member | undefined): string => person?.name || person?.email || ''

/** How far the rows are known to be as they were written. */
function Chain() {
  const t = useT()
  const chain = useQuery(chainQuery).data
  if (!chain) return null
  if (chain.broken !== null)
    return <Callout tone="failed">{t('audit.chain_broken', { n: chain.broken })}</Callout>
  return (
    <p className="text-sm text-muted" data-tip={chain.digest || undefined}>
      {chain.verified_at ? (
        <>
          {t('audit.chain_verified', { n: chain.verified })}
          <RelativeTime value={chain.verified_at} />
        </>
      ) : (
        t('audit.chain_waits')
      )}
      {chain.waiting ? ` · ${t('audit.chain_waiting', { n: chain.waiting })}` : ''}
    </p>
  )
}

function Export({ filter }: { readonly filter: Filter }) {
  const t = useT()
  const [busy, setBusy] = useState(false)
  const take = (format: 'csv' | 'jsonl') => async () => {
    setBusy(true)
    try {
      await download(exportPath(filter, format))
    } catch (thrown) {
      toast.error({
        title: t('audit.export_failed'),
        text: asApiError(thrown).message,
        reference: asApiError(thrown).reference,
      })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Menu
      label={t('audit.export')}
      trigger={
        <Button icon={<Download />} busy={busy}>
          {t('audit.export')}
        </Button>
      }
      items={[
        { label: t('audit.export_csv'), onSelect: take('csv') },
        { label: t('audit.export_lines'), onSelect: take('jsonl') },
      ]}
    />
  )
}

interface RowProps {
  readonly entry: AuditEntry
  readonly open: boolean
  readonly onToggle: () => void
}

function Row({ entry, open, onToggle }: RowProps) {
  const t = useT()
  const Icon = open ? ChevronDown : ChevronRight
  return (
    <li data-open={open || undefined}>
      <div className="audit-row">
        <button type="button" className="audit-toggle" aria-expanded={open} onClick={onToggle}>
          <Icon aria-hidden />
          <span className="audit-action">{actionName(t, entry.action)}</span>
        </button>
        <Target entry={entry} />
        <span className="audit-who">
          <Person entry={entry} />
          {entry.token ? <span className="text-muted"> · {entry.token.name ?? t('audit.token')}</span> : null}
        </span>
        <span className="audit-when">
          <RelativeTime value={entry.at} />
        </span>
      </div>
      {open ? <Details entry={entry} /> : null}
    </li>
  )
}

function Target({ entry }: { readonly entry: AuditEntry }) {
  const t = useT()
  const href = targetHref(entry)
  const name = entry.kind === 'user' && entry.target === entry.actor?.id ? '' : targetName(t, entry)
  const look = cx('audit-target', name === entry.target && 'font-mono text-xs')
  if (!name) return <span className={look} />
  return href ? (
    <Link href={href} className={cx(look, 'link')}>
      {name}
    </Link>
  ) : (
    <span className={look}>{name}</span>
  )
}

function Person({ entry }: { readonly entry: AuditEntry }) {
  const t = useT()
  if (!entry.actor) return <span className="text-muted">{t('audit.nobody')}</span>
  if (entry.actor.email === null) return <span className="text-muted">{t('audit.gone')}</span>
  return <span data-tip={entry.actor.email}>{entry.actor.name || entry.actor.email}</span>
}
