/** The list of the team's servers: filtered, searched, with what waits for somebody to decide. */
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Hand, Plus } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { asApiError } from '@/api/client'
import { useMay, useMe } from '@/api/queries'
import {
  packagedDeclarationsQuery,
  type Server,
  serversFoundQuery,
  waitingDeclarationsQuery,
} from '@/api/servers'
import { useT } from '@/i18n'
import { ProgramsButton } from '@/registry/server/Programs'
import { Button, EmptyState, ErrorBox, Scroll, Segmented, Skeleton, useDebounced } from '@/ui'
import { Declarations } from './Declarations'
import { needsAttention, targetOf } from './health'
import { ServerList } from './ServerList'

type Filter = 'all' | 'attention' | 'mine'

/** The servers that fit a search: by name, address or one of their tools. */
function useFound(
  servers: readonly Server[],
  search: string,
): { readonly found: readonly Server[]; readonly looking: boolean } {
  const wanted = search.trim().toLowerCase()
  const asked = useDebounced(wanted)
  const { data: ids, isFetching } = useQuery({
    ...serversFoundQuery(asked),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  if (!wanted) return { found: servers, looking: false }
  const matchingServers = servers.filter((server) => {
    const text = `${server.name} ${server.slug} ${server.description} ${targetOf(server)}`
    return text.toLowerCase().includes(wanted) || ids?.has(server.id)
  })
  return { found: matchingServers, looking: isFetching || asked !== wanted }
}

/** The list by filter: all, those that need attention, one's own. */
function useGroups(all: readonly Server[]): Readonly<Record<Filter, readonly Server[]>> {
  const me = useMe()
  return useMemo(
    () => ({
      all,
      attention: all.filter((server) => needsAttention(server)),
      mine: all.filter((server) => server.created_by === me.id),
    }),
    [all, me.id],
  )
}

interface FilterBarProps {
  readonly groups: Readonly<Record<Filter, readonly Server[]>>
  /** Nothing is counted before the list is there. */
  readonly counted: boolean
  readonly filter: Filter
  readonly onFilter: (filter: Filter) => void
  /** The search field, where it has no room above. */
  readonly find: ReactNode
}

/** Which servers are listed, and what waits for somebody to decide. */
function FilterBar({ groups, counted, filter, onFilter, find }: FilterBarProps) {
  const t = useT()
  const count = (rows: readonly Server[]) => (counted ? rows.length : '')
  return (
    <div className="flex min-h-11 flex-none flex-wrap items-center gap-2 border-b border-line px-4 py-1.5 phone:py-2">
      <Segmented<Filter>
        label={t('common.filter')}
        value={filter}
        onChange={onFilter}
        options={[
          { value: 'all', label: t('registry.filter_all', { n: count(groups.all) }) },
          { value: 'attention', label: t('registry.filter_attention', { n: count(groups.attention) }) },
          { value: 'mine', label: t('registry.filter_mine') },
        ]}
      />
      <div className="ml-auto flex min-w-0 flex-wrap items-center narrow:-ml-3">
        <DeclarationsButton />
        <ProgramsButton />
      </div>
      {find}
    </div>
  )
}

/** Where a workflow declares servers: the way to those that wait, and to those that are started from packages. */
function DeclarationsButton() {
  const t = useT()
  const { data: waiting } = useQuery(waitingDeclarationsQuery)
  const { data: packaged } = useQuery(packagedDeclarationsQuery)
  const [open, setOpen] = useState(false)
  const updates = packaged?.filter((one) => one.package?.offered).length ?? 0
  if (!waiting?.length && !packaged?.length && !open) return null
  return (
    <>
      <Button
        variant="quiet"
        icon={<Hand data-tone={waiting?.length ? 'person' : undefined} />}
        onClick={() => setOpen(true)}
      >
        {waiting?.length
          ? t('registry.declarations_wait', { n: waiting.length })
          : updates
            ? t('registry.declarations_updates', { n: updates })
            : t('registry.declarations')}
      </Button>
      {open ? (
        <Declarations waiting={waiting ?? []} packaged={packaged ?? []} onClose={() => setOpen(false)} />
      ) : null}
    </>
  )
}

interface FoundProps {
  readonly servers: readonly Server[]
  readonly search: string
  readonly selected: string | undefined
  readonly onOpen: (server: Server) => void
}

function Found({ servers, search, selected, onOpen }: FoundProps) {
  const t = useT()
  const { found, looking } = useFound(servers, search)
  if (found.length > 0) return <ServerList servers={found} selected={selected} onSelect={onOpen} />
  return (
    <p className="p-4 text-muted">
      {looking ? '' : search ? t('registry.no_server_fits') : t('registry.none_here')}
    </p>
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
  return (
    <Button
      variant="primary"
      size={size}
      icon={<Plus />}
      blocked={admin ? undefined : t('registry.admins_only')}
      onClick={onAdd}
    >
      {t('registry.add_server')}
    </Button>
  )
}

interface FilteredProps extends Omit<FoundProps, 'servers' | 'search'> {
  readonly query: Pick<UseQueryResult<readonly Server[]>, 'data' | 'error' | 'refetch'>
  readonly search: string
  readonly find: ReactNode
  readonly onAdd: () => void
}

/** The team's servers, filtered and searched. */
export function FilteredServers({ query, search, find, onAdd, ...opening }: FilteredProps) {
  const t = useT()
  const [filter, setFilter] = useState<Filter>('all')
  const { data: servers, error, refetch } = query
  const all = useMemo(() => servers ?? [], [servers])
  const groups = useGroups(all)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <FilterBar
        groups={groups}
        counted={servers !== undefined}
        filter={filter}
        onFilter={setFilter}
        find={find}
      />
      <Scroll label={t('registry.servers')} className="flex-1">
        {error && !servers ? (
          <div className="p-4">
            <ErrorBox
              error={asApiError(error)}
              actions={<Button onClick={() => void refetch()}>{t('common.retry')}</Button>}
            />
          </div>
        ) : !servers ? (
          <Skeleton rows={8} />
        ) : all.length === 0 ? (
          <EmptyState
            title={t('registry.empty_title')}
            text={t('registry.empty_text')}
            actions={<AddButton size="medium" onAdd={onAdd} />}
          />
        ) : (
          <Found servers={groups[filter]} search={search} {...opening} />
        )}
      </Scroll>
    </div>
  )
}
