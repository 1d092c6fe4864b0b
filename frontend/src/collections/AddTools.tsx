/** Tools of the team's servers, and its published workflows, are looked for and put into a collection one by one. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Check, ChevronRight, Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { failureOf } from '@/api/client'
import { type CollectionDetail, type ToAdd, useAddTool } from '@/api/collections'
import { type Server, serverPagesQuery, toolNamesQuery } from '@/api/servers'
import { workflowListQuery } from '@/api/workflows'
import { useT } from '@/i18n'
import {
  Button,
  cx,
  Dialog,
  More,
  RiskBadge,
  Scroll,
  Skeleton,
  TextField,
  toast,
  useDebounced,
  visible,
} from '@/ui'

interface AddProps {
  readonly collection: CollectionDetail
  readonly onClose: () => void
}

export function AddTools({ collection, onClose }: AddProps) {
  const t = useT()
  const [search, setSearch] = useState('')
  const wanted = useDebounced(search.trim())
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('collections.add_title', { name: visible(collection.name) })}
      header={
        <div className="px-4 pb-3">
          <TextField
            inputType="search"
            before={<Search aria-hidden />}
            aria-label={t('collections.search')}
            placeholder={t('collections.search')}
            value={search}
            onChange={setSearch}
          />
        </div>
      }
      bare
      footer={
        <Button size="large" onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      <Scroll label={t('collections.add')} className="coll-found">
        <Servers collection={collection} wanted={wanted} />
        <Workflows collection={collection} wanted={wanted} />
      </Scroll>
    </Dialog>
  )
}

interface FoundProps {
  readonly collection: CollectionDetail
  readonly wanted: string
}

function Servers({ collection, wanted }: FoundProps) {
  const t = useT()
  const query = useInfiniteQuery(serverPagesQuery('all', wanted))
  const rows = query.data?.pages.flatMap((page) => page.results).filter((row) => row.visibility === 'team')
  const [open, setOpen] = useState<string | null>(null)
  return (
    <section aria-label={t('collections.servers')}>
      <h3 className="section-title px-4 py-2">{t('collections.servers')}</h3>
      {rows ? null : <Skeleton rows={3} />}
      {rows?.length === 0 ? (
        <p className="px-4 pb-2 text-sm text-muted">{t('collections.nothing_found')}</p>
      ) : null}
      {rows?.map((server) => (
        <ServerTools
          key={server.id}
          collection={collection}
          server={server}
          wanted={wanted}
          open={open === server.id || (wanted !== '' && rows.length === 1)}
          onToggle={() => setOpen(open === server.id ? null : server.id)}
        />
      ))}
      {query.hasNextPage ? (
        <More
          busy={query.isFetchingNextPage}
          failed={query.isFetchNextPageError}
          load={() => void query.fetchNextPage()}
        />
      ) : null}
    </section>
  )
}

interface ServerToolsProps extends FoundProps {
  readonly server: Server
  readonly open: boolean
  readonly onToggle: () => void
}

function ServerTools({ collection, server, wanted, open, onToggle }: ServerToolsProps) {
  const t = useT()
  const { data } = useQuery({ ...toolNamesQuery(server.id), enabled: open })
  const there = data?.filter((tool) => !tool.gone)
  const fitting = there?.filter((tool) =>
    `${tool.name} ${tool.title}`.toLowerCase().includes(wanted.toLowerCase()),
  )
  const shown = fitting?.length ? fitting : there
  const held = new Set(
    collection.entries.filter((entry) => entry.server === server.slug).map((entry) => entry.original.name),
  )
  return (
    <div>
      <button type="button" className="coll-server" aria-expanded={open} onClick={onToggle}>
        <ChevronRight size={14} aria-hidden className={cx('transition-transform', open && 'rotate-90')} />
        <span className="min-w-0 truncate font-medium">{visible(server.name)}</span>
        <code className="min-w-0 truncate text-xs text-muted">{server.slug}</code>
      </button>
      {open && !there ? <Skeleton rows={2} /> : null}
      {open && there?.length === 0 ? (
        <p className="px-4 pb-2 text-sm text-muted">{t('collections.no_listed')}</p>
      ) : null}
      {open
        ? shown?.map((tool) => (
            <div key={tool.name} className="coll-candidate">
              <div className="min-w-0 flex-1">
                <code>{visible(tool.name)}</code>
                <p className="truncate text-xs text-muted">{visible(tool.description)}</p>
              </div>
              <RiskBadge level={tool.risk.level} reasons={tool.risk.reasons} />
              <AddButton
                collection={collection.id}
                name={tool.name}
                held={held.has(tool.name)}
                what={{ server: server.slug, tool: tool.name }}
              />
            </div>
          ))
        : null}
    </div>
  )
}

function Workflows({ collection, wanted }: FoundProps) {
  const t = useT()
  const query = useInfiniteQuery(workflowListQuery(wanted))
  const rows = query.data?.pages
    .flatMap((page) => page.results)
    .filter((row) => row.published_version !== null)
  const held = new Set(
    collection.entries.filter((entry) => entry.kind === 'workflow').map((entry) => entry.workflow),
  )
  if (!rows?.length && !query.hasNextPage) return null
  return (
    <section aria-label={t('collections.workflows')}>
      <h3 className="section-title px-4 py-2">{t('collections.workflows')}</h3>
      {rows?.map((row) => (
        <div key={row.id} className="coll-candidate">
          <div className="min-w-0 flex-1">
            <p className="truncate font-medium">{visible(row.name)}</p>
            <p className="truncate text-xs text-muted">{visible(row.description)}</p>
          </div>
          <AddButton
            collection={collection.id}
            name={row.name}
            held={held.has(row.id)}
            what={{ workflow: row.id }}
          />
        </div>
      ))}
      {query.hasNextPage ? (
        <More
          busy={query.isFetchingNextPage}
          failed={query.isFetchNextPageError}
          load={() => void query.fetchNextPage()}
        />
      ) : null}
    </section>
  )
}

interface AddButtonProps {
  readonly collection: string
  readonly name: string
  readonly held: boolean
  readonly what: ToAdd
}

function AddButton({ collection, name, held, what }: AddButtonProps) {
  const t = useT()
  const add = useAddTool(collection)
  if (held)
    return (
      <span className="flex items-center gap-1 text-xs text-muted">
        <Check size={14} aria-hidden /> {t('collections.added')}
      </span>
    )
  return (
    <Button
      size="small"
      icon={<Plus aria-hidden />}
      busy={add.isPending}
      aria-label={t('collections.add_one', { name: visible(name) })}
      onClick={() => add.mutate(what, { onError: (thrown) => toast.error(failureOf(thrown)) })}
    >
      {t('common.add')}
    </Button>
  )
}
