/** The list of the team's servers: filtered and searched by the API, with what waits for somebody to decide. */
import { type InfiniteData, type UseInfiniteQueryResult, useQuery } from '@tanstack/react-query'
import { Hand, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { asApiError } from '@/api/client'
import { loadNextPage } from '@/api/next-page'
import { useMay } from '@/api/queries'
import {
  approvedDeclarationsQuery,
  type Server,
  type ServerFilter,
  type ServerPage,
  waitingDeclarationsQuery,
} from '@/api/servers'
import { useT } from '@/i18n'
import { useListedKind } from '@/registry/kind'
import { ProgramsButton } from '@/registry/server/Programs'
import { Button, EmptyState, ErrorBox, More, Scroll, Segmented, Skeleton } from '@/ui'
import { RegistryLists } from '@/ui/registry-lists'
import { Declarations } from './Declarations'
import { ServerList } from './ServerList'

interface FilterBarProps {
  /** Of all servers; nothing is counted before the list is there. */
  readonly counts: ServerPage['counts'] | undefined
  readonly filter: ServerFilter
  readonly onFilter: (filter: ServerFilter) => void
  /** The search field, where it has no room above. */
  readonly find: ReactNode
  /** The way to try a tool, where there is no room for it below the list. */
  readonly tryIt: ReactNode
}

/** Which servers are listed, and what waits for somebody to decide. */
function FilterBar({ counts, filter, onFilter, find, tryIt }: FilterBarProps) {
  const t = useT()
  const agents = useListedKind().kind === 'agent'
  return (
    <div className="flex min-h-11 flex-none flex-wrap items-center gap-2 border-b border-line px-4 py-1.5 phone:py-2">
      <RegistryLists at={agents ? 'agents' : 'servers'} />
      <Segmented<ServerFilter>
        label={t('common.filter')}
        value={filter}
        onChange={onFilter}
        options={[
          { value: 'all', label: t('registry.filter_all', { n: counts?.all ?? '' }) },
          { value: 'attention', label: t('registry.filter_attention', { n: counts?.attention ?? '' }) },
          { value: 'mine', label: t('registry.filter_mine') },
        ]}
      />
      <div className="ml-auto flex min-w-0 flex-wrap items-center gap-2 phone:-ml-3">
        <DeclarationsButton />
        {agents ? null : <ProgramsButton />}
        {tryIt}
      </div>
      {find}
    </div>
  )
}

/** Where a workflow declares servers: the way to those that wait, are started from packages, or are agents. */
function DeclarationsButton() {
  const t = useT()
  const { data: waiting } = useQuery(waitingDeclarationsQuery)
  const { data: approved } = useQuery(approvedDeclarationsQuery)
  const [open, setOpen] = useState(false)
  const updates = approved?.filter((row) => row.package?.offered).length ?? 0
  const changed = approved?.filter((row) => row.changed).length ?? 0
  if (!waiting?.length && !approved?.length && !open) return null
  return (
    <>
      <Button
        variant="quiet"
        icon={<Hand data-tone={waiting?.length || changed ? 'person' : undefined} />}
        onClick={() => setOpen(true)}
      >
        {waiting?.length
          ? t('registry.declarations_wait', { n: waiting.length })
          : updates
            ? t('registry.declarations_updates', { n: updates })
            : changed
              ? t('registry.declarations_changed', { n: changed })
              : t('registry.declarations')}
      </Button>
      {open ? (
        <Declarations waiting={waiting ?? []} approved={approved ?? []} onClose={() => setOpen(false)} />
      ) : null}
    </>
  )
}

/** Adds a server; only admins may. */
export function AddButton({
  size,
  onAdd,
}: {
  readonly size: 'medium' | 'large'
  readonly onAdd: () => void
}) {
  const t = useT()
  const admin = useMay('admin')
  const kind = useListedKind()
  return (
    <Button
      variant="primary"
      size={size}
      icon={<Plus />}
      blocked={admin ? undefined : t('registry.admins_only')}
      onClick={onAdd}
    >
      {t(kind.add)}
    </Button>
  )
}

interface FilteredProps {
  readonly query: Pick<
    UseInfiniteQueryResult<InfiniteData<ServerPage>>,
    | 'data'
    | 'error'
    | 'refetch'
    | 'hasNextPage'
    | 'isFetchingNextPage'
    | 'isFetchNextPageError'
    | 'fetchNextPage'
  >
  /** Of all pages that came. */
  readonly rows: readonly Server[] | undefined
  readonly filter: ServerFilter
  readonly onFilter: (filter: ServerFilter) => void
  /** Whether words are looked for. */
  readonly searched: boolean
  /** Whether the rows are still those of another question. */
  readonly looking: boolean
  readonly selected: string | undefined
  readonly onOpen: (server: Server) => void
  readonly find: ReactNode
  readonly tryIt: ReactNode
  readonly onAdd: () => void
}

/** The team's servers, filtered and searched, page by page. */
export function FilteredServers({
  query,
  rows,
  filter,
  onFilter,
  searched,
  looking,
  selected,
  onOpen,
  find,
  tryIt,
  onAdd,
}: FilteredProps) {
  const t = useT()
  const kind = useListedKind()
  const counts = query.data?.pages[0]?.counts
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <FilterBar counts={counts} filter={filter} onFilter={onFilter} find={find} tryIt={tryIt} />
      <Scroll label={t(kind.all)} className="server-place flex-1">
        {query.error && !rows ? (
          <div className="p-4">
            <ErrorBox
              error={asApiError(query.error)}
              title={t(kind.loadFailed)}
              actions={<Button onClick={() => void query.refetch()}>{t('common.retry')}</Button>}
            />
          </div>
        ) : !rows ? (
          <Skeleton rows={8} />
        ) : rows.length > 0 ? (
          <ServerList servers={rows} selected={selected} onSelect={onOpen} />
        ) : counts?.all === 0 ? (
          <EmptyState
            title={t(kind.emptyTitle)}
            text={t(kind.emptyText)}
            actions={<AddButton size="medium" onAdd={onAdd} />}
          />
        ) : (
          <p className="p-4 text-muted">{looking ? '' : searched ? t(kind.noneFits) : t(kind.noneHere)}</p>
        )}
        {query.hasNextPage ? (
          <More
            busy={query.isFetchingNextPage}
            failed={query.isFetchNextPageError}
            load={() => void loadNextPage(query)}
          />
        ) : null}
      </Scroll>
    </div>
  )
}
