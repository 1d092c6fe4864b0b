/** The registry: the team's servers, one of them opened beside the list, and a place to try a tool. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Hand, Plus, Search } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useLocation, useParams, useSearch } from 'wouter'
import { asApiError } from '@/api/client'
import { useMay, useMe } from '@/api/queries'
import {
  presetsQuery,
  type Server,
  serversFoundQuery,
  serversQuery,
  waitingDeclarationsQuery,
} from '@/api/servers'
import { useT } from '@/i18n'
import {
  Button,
  Callout,
  EmptyState,
  ErrorBox,
  Kbd,
  PageBar,
  Scroll,
  Segmented,
  Skeleton,
  Splitter,
  TextField,
  useActions,
  usePhone,
  useRested,
  useStoredSize,
  visible,
} from '@/ui'
import { AddServer } from './AddServer'
import { Declarations } from './Declarations'
import { needsAttention, targetOf } from './health'
import { ProgramsButton } from './Programs'
import { ServerDetail, TABS, type Tab } from './ServerDetail'
import { ServerList } from './ServerList'
import { type Tried, TryTool } from './TryTool'

type Filter = 'all' | 'attention' | 'mine'

/** The servers that fit a search: by name, address or one of their tools. */
function useFound(
  servers: readonly Server[],
  search: string,
): { readonly found: readonly Server[]; readonly looking: boolean } {
  const wanted = search.trim().toLowerCase()
  const asked = useRested(wanted)
  const { data: ids, isFetching } = useQuery({
    ...serversFoundQuery(asked),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  if (!wanted) return { found: servers, looking: false }
  const found = servers.filter((server) => {
    const text = `${server.name} ${server.slug} ${server.description} ${targetOf(server)}`
    return text.toLowerCase().includes(wanted) || ids?.has(server.id)
  })
  return { found, looking: isFetching || asked !== wanted }
}

const isTab = (text: string | undefined): text is Tab => TABS.includes(text as Tab)

const DETAIL = { min: 380, max: 900 }
const TRY = { min: 140, max: 640 }

export default function RegistryPage() {
  const t = useT()
  const me = useMe()
  const admin = useMay('admin')
  const phone = usePhone()
  const params = useParams<{ server?: string; tab?: string }>()
  const [, navigate] = useLocation()
  const { data: servers, error, refetch } = useQuery(serversQuery)
  const { data: waiting } = useQuery(waitingDeclarationsQuery)
  // so that the add dialog opens with them
  useQuery({ ...presetsQuery, enabled: admin })
  const [filter, setFilter] = useState<Filter>('all')
  const [search, setSearch] = useState('')
  // The rack's "add a server" leads here with the dialog open.
  const [adding, setAdding] = useState(useSearch().includes('add=1'))
  const [deciding, setDeciding] = useState(false)
  const [tried, setTried] = useState<Tried | null>(null)
  const [detailSize, setDetailSize] = useStoredSize('registry.detail', 600, DETAIL)
  const [trySize, setTrySize] = useStoredSize('registry.try', 400, TRY)
  const searchField = useRef<HTMLInputElement>(null)
  useActions([
    {
      id: 'registry.search',
      title: t('registry.find'),
      group: t('app.registry'),
      keys: '/',
      run: () => searchField.current?.focus(),
    },
    {
      id: 'registry.add',
      title: t('registry.add_server'),
      group: t('app.registry'),
      when: () => admin,
      run: () => setAdding(true),
    },
  ])

  const all = useMemo(() => servers ?? [], [servers])
  const groups = useMemo(
    () => ({
      all,
      attention: all.filter((server) => needsAttention(server)),
      mine: all.filter((server) => server.created_by === me.id),
    }),
    [all, me.id],
  )
  /** Nothing is counted before the list is there. */
  const count = (rows: readonly Server[]) => (servers ? rows.length : '')
  const { found, looking } = useFound(groups[filter], search)
  const selected = all.find((server) => server.slug === params.server || server.id === params.server)
  /** A link may be older than the server it leads to: then nothing else is shown in its place. */
  const stale = params.server !== undefined && servers !== undefined && !selected ? params.server : null
  const shown = selected ?? (phone || params.server !== undefined ? undefined : all[0])
  const tab = isTab(params.tab) ? params.tab : 'tools'
  const open = (server: Server, at: Tab = 'tools') =>
    navigate(`/registry/${server.slug}${at === 'tools' ? '' : `/${at}`}`)

  const find = (
    <TextField
      ref={searchField}
      className="w-56 phone:w-full"
      inputType="search"
      before={<Search aria-hidden />}
      after={phone ? undefined : <Kbd>/</Kbd>}
      placeholder={t('registry.find')}
      aria-label={t('registry.find')}
      value={search}
      onChange={setSearch}
    />
  )
  const list = (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-11 flex-none items-center gap-2 border-b border-line px-4 phone:h-auto phone:flex-wrap phone:py-2">
        <Segmented<Filter>
          label={t('common.filter')}
          value={filter}
          onChange={setFilter}
          options={[
            { value: 'all', label: t('registry.filter_all', { n: count(groups.all) }) },
            { value: 'attention', label: t('registry.filter_attention', { n: count(groups.attention) }) },
            { value: 'mine', label: t('registry.filter_mine') },
          ]}
        />
        {waiting?.length ? (
          <Button
            variant="quiet"
            className="ml-auto"
            icon={<Hand data-tone="person" />}
            onClick={() => setDeciding(true)}
          >
            {t('registry.declarations_wait', { n: waiting.length })}
          </Button>
        ) : null}
        <ProgramsButton />
        {phone ? find : null}
      </div>
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
            actions={
              <Button
                variant="primary"
                icon={<Plus />}
                blocked={admin ? undefined : t('registry.admins_only')}
                onClick={() => setAdding(true)}
              >
                {t('registry.add_server')}
              </Button>
            }
          />
        ) : found.length === 0 ? (
          <p className="p-4 text-muted">
            {looking ? '' : search ? t('registry.no_server_fits') : t('registry.none_here')}
          </p>
        ) : (
          <ServerList servers={found} selected={shown?.slug} onSelect={(server) => open(server)} />
        )}
      </Scroll>
    </div>
  )
  const detail = shown ? (
    <ServerDetail
      key={shown.id}
      server={shown}
      servers={all}
      tab={tab}
      onTab={(next) => open(shown, next)}
      tried={tried ?? null}
      onTried={setTried}
      onClose={() => navigate('/registry')}
    />
  ) : null

  return (
    <>
      {phone && selected ? null : (
        <PageBar title={t('app.registry')}>
          {phone ? null : find}
          <Button
            variant="primary"
            size={phone ? 'medium' : 'large'}
            icon={<Plus />}
            blocked={admin ? undefined : t('registry.admins_only')}
            onClick={() => setAdding(true)}
          >
            {t('registry.add_server')}
          </Button>
        </PageBar>
      )}
      {phone ? (
        selected ? (
          detail
        ) : (
          <div className="flex min-h-0 flex-1 flex-col bg-surface">
            {stale ? <Stale slug={stale} /> : null}
            {list}
          </div>
        )
      ) : (
        <div className="flex min-h-0 flex-1">
          <div className="flex min-w-0 flex-1 flex-col bg-surface">
            {stale ? <Stale slug={stale} /> : null}
            {list}
            {all.length > 0 ? (
              <>
                <Splitter
                  panel={t('registry.try_a_tool')}
                  orientation="horizontal"
                  size={trySize}
                  onSize={setTrySize}
                  initial={400}
                  after
                  {...TRY}
                />
                <section
                  className="flex flex-none flex-col"
                  style={{ height: trySize }}
                  aria-label={t('registry.try_a_tool')}
                >
                  <div className="flex h-9 flex-none items-center gap-2 border-b border-line px-4">
                    <h2 className="text-base! font-semibold">{t('registry.try_a_tool')}</h2>
                    <span className="ml-auto text-xs text-muted">{t('registry.gate_holds')}</span>
                  </div>
                  <TryTool servers={all} tried={tried} fallback={shown?.slug} onTried={setTried} />
                </section>
              </>
            ) : null}
          </div>
          {detail ? (
            <>
              <Splitter
                panel={t('registry.server')}
                orientation="vertical"
                size={detailSize}
                onSize={setDetailSize}
                initial={600}
                after
                {...DETAIL}
              />
              <div className="flex min-h-0 flex-none" style={{ width: detailSize, maxWidth: '62vw' }}>
                {detail}
              </div>
            </>
          ) : null}
        </div>
      )}
      {adding ? (
        <AddServer
          onClose={() => setAdding(false)}
          onAdded={(made) => {
            const [first] = made
            if (first) open(first)
          }}
        />
      ) : null}
      {deciding ? <Declarations waiting={waiting ?? []} onClose={() => setDeciding(false)} /> : null}
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
