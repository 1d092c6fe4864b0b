/** The registry: the team's servers, or its agents, one of them opened beside or below the list, and a place to try a tool. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Play, Search, X } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation, useParams, useSearch } from 'wouter'
import { asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { presetsQuery, type Server, type ServerFilter, serverPagesQuery, serverQuery } from '@/api/servers'
import { useT } from '@/i18n'
import {
  Button,
  Callout,
  cx,
  IconButton,
  Kbd,
  PageBar,
  Splitter,
  TextField,
  useActions,
  useDebounced,
  useNarrow,
  usePhone,
  useStoredSize,
  visible,
} from '@/ui'
import { AddServer } from './add/AddServer'
import { LIST_OF, useListedKind } from './kind'
import { AddButton, FilteredServers } from './list/FilteredServers'
import { ServerDetail, TABS, type Tab } from './server/ServerDetail'
import { useRequestedTool } from './tools/ToolList'
import { type Tried, TryTool } from './tools/TryTool'

const isTab = (text: string | undefined): text is Tab => TABS.includes(text as Tab)

const DETAIL = { min: 380, max: 900 }
const BELOW = { min: 200, max: 900 }
const TRY = { min: 140, max: 640 }
/** Of the page's height, what stands below the list may have. */
const MOST_HIGH = '66%'

type TryPanelProps = Parameters<typeof TryTool>[0] & {
  /** Set where it is opened and closed. */
  readonly onClose?: (() => void) | undefined
}

/** The place below the list where a tool is tried, as high as somebody made it. */
function TryPanel({ onClose, ...props }: TryPanelProps) {
  const t = useT()
  const { trial } = useListedKind()
  const [size, setSize] = useStoredSize('registry.try', 400, TRY)
  return (
    <>
      <Splitter
        panel={t(trial)}
        orientation="horizontal"
        size={size}
        onSize={setSize}
        initial={400}
        after
        {...TRY}
      />
      <section
        className="flex flex-none flex-col"
        style={{ height: size, maxHeight: MOST_HIGH }}
        aria-label={t(trial)}
      >
        <div className="flex h-9 flex-none items-center gap-2 border-b border-line px-4">
          <h2 className="text-base! font-semibold">{t(trial)}</h2>
          <span className="ml-auto text-xs text-muted">{t('registry.gate_holds')}</span>
          {onClose ? (
            <IconButton size="small" label={t('common.close')} onClick={onClose}>
              <X />
            </IconButton>
          ) : null}
        </div>
        <TryTool {...props} />
      </section>
    </>
  )
}

/** The open server beside the list, or below it where there is no room beside; as large as somebody made it. */
function DetailPanel({ below, children }: { readonly below: boolean; readonly children: ReactNode }) {
  const t = useT()
  const [width, setWidth] = useStoredSize('registry.detail', 600, DETAIL)
  const [height, setHeight] = useStoredSize('registry.below', 468, BELOW)
  const splitter = below
    ? ({ orientation: 'horizontal', size: height, onSize: setHeight, initial: 468, ...BELOW } as const)
    : ({ orientation: 'vertical', size: width, onSize: setWidth, initial: 600, ...DETAIL } as const)
  return (
    <>
      <Splitter panel={t('registry.server')} after {...splitter} />
      <div
        className="flex min-h-0 flex-none"
        style={below ? { height, maxHeight: MOST_HIGH } : { width, maxWidth: '62vw' }}
      >
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

/** The rest of an address, with what it asks for. */
const after = (tab: string | undefined): string => `${tab ? `/${tab}` : ''}${window.location.search}`

/** Which server is open, as the address says; the team's first where there is room beside it and it says nothing. */
function useOpenServer(servers: readonly Server[] | undefined, whole: boolean): OpenServer {
  const narrow = useNarrow()
  const params = useParams<{ server?: string; tab?: string }>()
  const [, navigate] = useLocation()
  const { kind } = useListedKind()
  // what is searched for meanwhile changes the list, not what is open
  const first = useRef<string>(undefined)
  if (whole && servers) first.current = servers[0]?.slug
  const { found, gone } = useServer(servers, params.server ?? (narrow ? undefined : first.current))
  const elsewhere = found && found.kind !== kind ? found : undefined
  useEffect(() => {
    // a link need not know what it leads to
    if (elsewhere)
      navigate(`${LIST_OF[elsewhere.kind]}/${elsewhere.slug}${after(params.tab)}`, { replace: true })
  }, [elsewhere, navigate, params.tab])
  return {
    shown: found,
    named: params.server !== undefined && found !== undefined,
    stale: params.server !== undefined && gone ? params.server : null,
    tab: isTab(params.tab) ? params.tab : 'tools',
    open: (server, time = 'tools') =>
      navigate(`${LIST_OF[kind]}/${server.slug}${time === 'tools' ? '' : `/${time}`}`),
    close: () => navigate(LIST_OF[kind]),
  }
}

/** The tool that is tried: chosen here, or asked for by the address, whichever came last. */
function useTried(shown: string | undefined): readonly [Tried | null, (tried: Tried) => void] {
  const tool = useRequestedTool()
  const requested = useMemo(() => (tool && shown ? { server: shown, tool } : null), [tool, shown])
  const [chosen, setChosen] = useState<{ readonly tried: Tried; readonly after: Tried | null }>()
  const tried = chosen && (requested === null || chosen.after === requested) ? chosen.tried : requested
  return [tried, (next) => setChosen({ tried: next, after: requested })]
}

/** What the keyboard and the command palette do here. */
function useRegistryActions(find: () => void, add: () => void): void {
  const t = useT()
  const admin = useMay('admin')
  const group = t('app.registry')
  const kind = useListedKind()
  useActions([
    { id: 'registry.search', title: t(kind.find), group, keys: '/', run: find },
    { id: 'registry.add', title: t(kind.add), group, when: () => admin, run: add },
  ])
}

function FindField({ phone, ref, ...typed }: FindFieldProps) {
  const t = useT()
  const kind = useListedKind()
  return (
    <TextField
      ref={ref}
      className="w-56 phone:w-full"
      inputType="search"
      before={<Search aria-hidden />}
      after={phone ? undefined : <Kbd>/</Kbd>}
      placeholder={t(kind.find)}
      aria-label={t(kind.find)}
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

/** The servers that are listed: filtered and searched by the API, page by page. */
function useListed() {
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<ServerFilter>('all')
  const wanted = search.trim()
  const debounced = useDebounced(wanted)
  const { kind } = useListedKind()
  const query = useInfiniteQuery({
    ...serverPagesQuery(filter, debounced, kind),
    placeholderData: keepPreviousData,
  })
  const pages = query.data?.pages
  const rows = useMemo(() => pages?.flatMap((page) => page.results), [pages])
  return {
    search,
    setSearch,
    /** Every server is, as far as pages have come. */
    whole: filter === 'all' && debounced === '' && !query.isPlaceholderData,
    listed: {
      query,
      rows,
      filter,
      onFilter: setFilter,
      searched: wanted !== '',
      looking: query.isPlaceholderData || debounced !== wanted,
    },
  }
}

export default function RegistryPage() {
  const t = useT()
  const admin = useMay('admin')
  const phone = usePhone()
  const below = useNarrow() && !phone
  // so that the add dialog opens with them
  useQuery({ ...presetsQuery, enabled: admin })
  const { search, setSearch, whole, listed } = useListed()
  const { Add = AddServer } = useListedKind()
  const { rows } = listed
  // The palette's "add a server" leads here with the dialog open.
  const [adding, setAdding] = useState(useSearch().includes('add=1'))
  const searchField = useRef<HTMLInputElement>(null)
  const add = () => setAdding(true)
  useRegistryActions(() => searchField.current?.focus(), add)
  const { shown, named, stale, tab, open, close } = useOpenServer(rows, whole)
  const [tried, setTried] = useTried(shown?.slug)
  // the server of a tool that is tried stays to be chosen, whatever is listed now
  const { found: held } = useServer(rows, tried?.server)
  const choice = [
    ...new Map(
      [...(rows ?? []), shown, held].flatMap((row) => (row ? [[row.id, row] as const] : [])),
    ).values(),
  ]

  const [trying, setTrying] = useState(false)
  const show = (server: Server, time?: Tab) => {
    setTrying(false)
    open(server, time)
  }
  const find = <FindField phone={phone} ref={searchField} value={search} onChange={setSearch} />
  const trial = { servers: choice, tried, fallback: shown?.slug, onTried: setTried }
  const list = (
    <>
      {stale ? <Stale slug={stale} /> : null}
      <FilteredServers
        {...listed}
        find={phone ? find : null}
        tryIt={
          below && choice.length > 0 ? <TryButton on={trying} onToggle={() => setTrying(!trying)} /> : null
        }
        selected={shown?.slug}
        onOpen={(server) => show(server)}
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
      onTried={(next) => {
        setTried(next)
        setTrying(true)
      }}
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
      {phone && detail ? (
        detail
      ) : (
        // one element at every width: a dialog that is open in it stays when the window is made wider
        <Panes
          below={below || phone}
          list={list}
          detail={below && trying ? null : detail}
          trial={
            choice.length > 0 && !phone && (trying || !below) ? (
              <TryPanel {...trial} onClose={below ? () => setTrying(false) : undefined} />
            ) : null
          }
        />
      )}
      {adding ? (
        <Add
          onClose={() => setAdding(false)}
          onAdded={([first]) => {
            if (first) show(first)
          }}
        />
      ) : null}
    </>
  )
}

/** The list with the place to try a tool, and the open server beside them; all below each other where that is narrow. */
function Panes({
  below,
  list,
  detail,
  trial,
}: {
  readonly below: boolean
  readonly list: ReactNode
  readonly detail: ReactNode
  readonly trial: ReactNode
}) {
  return (
    <div className={cx('flex min-h-0 flex-1', below && 'flex-col')}>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
        {list}
        {trial}
      </div>
      {detail ? <DetailPanel below={below}>{detail}</DetailPanel> : null}
    </div>
  )
}

function TryButton({ on, onToggle }: { readonly on: boolean; readonly onToggle: () => void }) {
  const t = useT()
  const { trial } = useListedKind()
  return (
    <Button icon={<Play />} aria-pressed={on} onClick={onToggle}>
      {t(trial)}
    </Button>
  )
}

function Stale({ slug }: { slug: string }) {
  const t = useT()
  return (
    <div className="px-4 py-3" role="status">
      <Callout tone="waiting">{t('registry.stale', { slug: visible(slug) })}</Callout>
    </div>
  )
}
