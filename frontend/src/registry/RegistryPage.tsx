/** The registry: the team's servers, one of them opened beside the list, and a place to try a tool. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { type ReactNode, type RefObject, useMemo, useRef, useState } from 'react'
import { useLocation, useParams, useSearch } from 'wouter'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { presetsQuery, type Server, type ServerFilter, serverPagesQuery, serverQuery } from '@/api/servers'
import { useT } from '@/i18n'
import {
  Callout,
  Kbd,
  PageBar,
  Splitter,
  TextField,
  useActions,
  useDebounced,
  usePhone,
  useStoredSize,
  visible,
} from '@/ui'
import { AddServer } from './add/AddServer'
import { AddButton, FilteredServers } from './list/FilteredServers'
import { ServerDetail, TABS, type Tab } from './server/ServerDetail'
import { type Tried, TryTool } from './tools/TryTool'

const isTab = (text: string | undefined): text is Tab => TABS.includes(text as Tab)

const DETAIL = { min: 380, max: 900 }
const TRY = { min: 140, max: 640 }

/** The place below the list where a tool is tried, as high as somebody made it. */
function TryPanel(props: Parameters<typeof TryTool>[0]) {
  const t = useT()
  const [size, setSize] = useStoredSize('registry.try', 400, TRY)
  return (
    <>
      <Splitter
        panel={t('registry.try_a_tool')}
        orientation="horizontal"
        size={size}
        onSize={setSize}
        initial={400}
        after
        {...TRY}
      />
      <section
        className="flex flex-none flex-col"
        style={{ height: size }}
        aria-label={t('registry.try_a_tool')}
      >
        <div className="flex h-9 flex-none items-center gap-2 border-b border-line px-4">
          <h2 className="text-base! font-semibold">{t('registry.try_a_tool')}</h2>
          <span className="ml-auto text-xs text-muted">{t('registry.gate_holds')}</span>
        </div>
        <TryTool {...props} />
      </section>
    </>
  )
}

/** The open server beside the list, as wide as somebody made it. */
function DetailPanel({ children }: { readonly children: ReactNode }) {
  const t = useT()
  const [size, setSize] = useStoredSize('registry.detail', 600, DETAIL)
  return (
    <>
      <Splitter
        panel={t('registry.server')}
        orientation="vertical"
        size={size}
        onSize={setSize}
        initial={600}
        after
        {...DETAIL}
      />
      <div className="flex min-h-0 flex-none" style={{ width: size, maxWidth: '62vw' }}>
        {children}
      </div>
    </>
  )
}

interface OpenServer {
  readonly shown: Server | undefined
  /** Whether the address names it. */
  readonly named: boolean
  /** A link may be older than the server it leads to: then nothing else is shown in its place. */
  readonly stale: string | null
  readonly tab: Tab
  readonly open: (server: Server, time?: Tab) => void
  readonly close: () => void
}

/** A server by its id or slug: as the list has it, else asked for alone. */
function useServer(servers: readonly Server[] | undefined, reference: string | undefined) {
  const listed = servers?.find((server) => server.slug === reference || server.id === reference)
  const { data, error } = useQuery({
    ...serverQuery(reference ?? ''),
    enabled: reference !== undefined && servers !== undefined && listed === undefined,
    retry: false,
  })
  // one that leaves the list while one searches stays as it was until it is read alone
  const last = useRef<Server>(undefined)
  if (listed) last.current = listed
  const before = [last.current?.slug, last.current?.id].includes(reference) ? last.current : undefined
  const found = listed ?? (error ? undefined : (data ?? before))
  return { found, gone: !found && error !== null && asApiError(error).status === 404 }
}

/** Which server is open, as the address says; the team's first where there is room and it says nothing. */
function useOpenServer(servers: readonly Server[] | undefined, whole: boolean): OpenServer {
  const phone = usePhone()
  const params = useParams<{ server?: string; tab?: string }>()
  const [, navigate] = useLocation()
  // what is searched for meanwhile changes the list, not what is open
  const first = useRef<string>(undefined)
  if (whole && servers) first.current = servers[0]?.slug
  const { found, gone } = useServer(servers, params.server ?? (phone ? undefined : first.current))
  return {
    shown: found,
    named: params.server !== undefined && found !== undefined,
    stale: params.server !== undefined && gone ? params.server : null,
    tab: isTab(params.tab) ? params.tab : 'tools',
    open: (server, time = 'tools') =>
      navigate(`/registry/${server.slug}${time === 'tools' ? '' : `/${time}`}`),
    close: () => navigate('/registry'),
  }
}

/** What the keyboard and the command palette do here. */
function useRegistryActions(find: () => void, add: () => void): void {
  const t = useT()
  const admin = useMay('admin')
  const group = t('app.registry')
  useActions([
    { id: 'registry.search', title: t('registry.find'), group, keys: '/', run: find },
    { id: 'registry.add', title: t('registry.add_server'), group, when: () => admin, run: add },
  ])
}

function FindField({ phone, ref, ...typed }: FindFieldProps) {
  const t = useT()
  return (
    <TextField
      ref={ref}
      className="w-56 phone:w-full"
      inputType="search"
      before={<Search aria-hidden />}
      after={phone ? undefined : <Kbd>/</Kbd>}
      placeholder={t('registry.find')}
      aria-label={t('registry.find')}
      {...typed}
    />
  )
}

interface FindFieldProps {
  readonly phone: boolean
  readonly ref: RefObject<HTMLInputElement | null>
  readonly value: string
  readonly onChange: (text: string) => void
}

export default function RegistryPage() {
  const t = useT()
  const admin = useMay('admin')
  const phone = usePhone()
  // so that the add dialog opens with them
  useQuery({ ...presetsQuery, enabled: admin })
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<ServerFilter>('all')
  const wanted = search.trim()
  const asked = useDebounced(wanted)
  const query = useInfiniteQuery({ ...serverPagesQuery(filter, asked), placeholderData: keepPreviousData })
  // The palette's "add a server" leads here with the dialog open.
  const [adding, setAdding] = useState(useSearch().includes('add=1'))
  const [tried, setTried] = useState<Tried | null>(null)
  const searchField = useRef<HTMLInputElement>(null)
  const add = () => setAdding(true)
  useRegistryActions(() => searchField.current?.focus(), add)
  const pages = query.data?.pages
  const rows = useMemo(() => pages?.flatMap((page) => page.results), [pages])
  const looking = query.isPlaceholderData || asked !== wanted
  const whole = filter === 'all' && asked === '' && !query.isPlaceholderData
  const { shown, named, stale, tab, open, close } = useOpenServer(rows, whole)
  // the server of a tool that is tried stays to be chosen, whatever is listed now
  const { found: held } = useServer(rows, tried?.server)
  const choice = [
    ...new Map(
      [...(rows ?? []), shown, held].flatMap((row) => (row ? [[row.id, row] as const] : [])),
    ).values(),
  ]

  const find = <FindField phone={phone} ref={searchField} value={search} onChange={setSearch} />
  const trying = { servers: choice, tried, fallback: shown?.slug, onTried: setTried }
  const list = (
    <>
      {stale ? <Stale slug={stale} /> : null}
      <FilteredServers
        query={query}
        rows={rows}
        filter={filter}
        onFilter={setFilter}
        searched={wanted !== ''}
        looking={looking}
        find={phone ? find : null}
        selected={shown?.slug}
        onOpen={(server) => open(server)}
        onAdd={add}
      />
    </>
  )
  const detail = shown ? (
    <ServerDetail
      key={shown.id}
      server={shown}
      servers={choice}
      tab={tab}
      onTab={(next) => open(shown, next)}
      tried={tried}
      onTried={setTried}
      onClose={close}
    />
  ) : null
  return (
    <>
      {phone && named ? null : (
        <PageBar title={t('app.registry')}>
          {phone ? null : find}
          <AddButton size={phone ? 'medium' : 'large'} onAdd={add} />
        </PageBar>
      )}
      {phone ? (
        (detail ?? <div className="flex min-h-0 flex-1 flex-col bg-surface">{list}</div>)
      ) : (
        <div className="flex min-h-0 flex-1">
          <div className="flex min-w-0 flex-1 flex-col bg-surface">
            {list}
            {choice.length > 0 ? <TryPanel {...trying} /> : null}
          </div>
          {detail ? <DetailPanel>{detail}</DetailPanel> : null}
        </div>
      )}
      {adding ? (
        <AddServer
          onClose={() => setAdding(false)}
          onAdded={([first]) => {
            if (first) open(first)
          }}
        />
      ) : null}
    </>
  )
}

function Stale({ slug }: { slug: string }) {
  const t = useT()
  return (
    <div className="p-3" role="status">
      <Callout tone="waiting">{t('registry.stale', { slug: visible(slug) })}</Callout>
    </div>
  )
}
