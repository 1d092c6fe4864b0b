/** Finding a server in an MCP registry or at ModelScope: who published it, how it is run or reached, and what it asks for. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Search, TriangleAlert } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { asApiError } from '@/api/client'
import { loadNextPage } from '@/api/next-page'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { LateDeployed } from '@/registry/modelscope/late'
import {
  type ListedServer,
  modelScopeQuery,
  modelScopeServerQuery,
  serverSearchQuery,
} from '@/registry/queries'
import {
  Button,
  Chip,
  cx,
  ErrorBox,
  isoDate,
  More,
  Segmented,
  Skeleton,
  TextField,
  useDebounced,
  visible,
} from '@/ui'
import { FoundList } from './FoundList'
import { useServerMatches } from './importing'

const OFFICIAL = 'https://registry.modelcontextprotocol.io'
/** Where this browser keeps the address that was searched last. */
const KEPT = 'patchbay.mcp-registry'

function Listed({
  server,
  chosen,
  onChoose,
}: {
  readonly server: ListedServer
  readonly chosen: boolean
  readonly onChoose: () => void
}) {
  const t = useT()
  return (
    <button
      type="button"
      aria-pressed={chosen}
      onClick={onChoose}
      className={cx(
        'grid w-full gap-0.5 border-t border-line px-3 py-1.5 text-left hover:bg-hover',
        chosen &&
          'bg-[color-mix(in_srgb,var(--accent)_8%,var(--surface))] shadow-[inset_2px_0_0_var(--accent)]',
      )}
    >
      <span className="flex items-center gap-2">
        <span className="min-w-0 truncate font-medium">{visible(server.title)}</span>
        <span className="ml-auto flex-none">
          {server.deprecated ? (
            <Chip tone="waiting">{t('registry.find_deprecated')}</Chip>
          ) : (
            <Chip>{visible(server.ways[0]?.kind ?? '')}</Chip>
          )}
        </span>
      </span>
      <span className="truncate font-mono text-xs text-muted">{visible(server.name)}</span>
    </button>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}

function Away({ address }: { readonly address: string }) {
  return (
    <a href={address} target="_blank" rel="noreferrer noopener" className="link break-all">
      {visible(address.replace(/^https?:\/\//, ''))}
    </a>
  )
}

function Facts({ server }: { readonly server: ListedServer }) {
  const t = useT()
  const listed = server.updated_at ? isoDate(server.updated_at) : ''
  return (
    <>
      <h3 className="text-base font-semibold">{visible(server.title)}</h3>
      <p className="whitespace-pre-line">{visible(server.description)}</p>
      <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm">
        <Fact name={t('registry.find_publisher')}>{visible(server.publisher) || '–'}</Fact>
        {server.repository ? (
          <Fact name={t('registry.find_repository')}>
            <Away address={server.repository} />
          </Fact>
        ) : null}
        {server.website ? (
          <Fact name={t('registry.find_website')}>
            <Away address={server.website} />
          </Fact>
        ) : null}
        {server.version || listed ? (
          <Fact name={t('registry.find_version')}>
            {[visible(server.version), listed].filter(Boolean).join(' · ')}
          </Fact>
        ) : null}
        <Fact name={t('registry.find_ways')}>
          <ul>
            {server.ways.map((way) => (
              <li key={`${way.kind} ${way.target}`} className="font-mono text-xs break-all">
                {visible(`${way.kind} ${way.target}`)}
              </li>
            ))}
          </ul>
        </Fact>
      </dl>
      <p className="flex items-start gap-1 text-xs text-muted">
        <TriangleAlert size={12} aria-hidden className="mt-0.5 shrink-0" />
        {t('registry.find_proves')}
      </p>
    </>
  )
}

/** A listing with what it asks for, and adding it. Another listing is another one of these. */
function Chosen({
  server,
  onAdded,
}: {
  readonly server: ListedServer
  readonly onAdded: (servers: readonly Server[]) => void
}) {
  const t = useT()
  const all = useServerMatches(server.config, 0, onAdded)
  return (
    <>
      <div className="grid min-h-0 flex-1 grid-cols-1 content-start gap-3 overflow-auto p-4">
        <Facts server={server} />
        {all.error ? <ErrorBox error={all.error} /> : null}
        {all.looking ? <Skeleton rows={2} /> : <FoundList all={all} />}
      </div>
      <div className="dialog-foot">
        <p className="mr-auto text-xs text-muted phone:hidden">{t('registry.creating_connects_not')}</p>
        <Button size="large" variant="primary" busy={all.adding} blocked={all.blocked} onClick={all.add}>
          {all.chosen.length > 0 ? t('registry.add_n', { n: all.chosen.length }) : t('registry.add_some')}
        </Button>
      </div>
    </>
  )
}

/** A listing of ModelScope: how it is run is read when it is chosen; one without a configuration is hosted alone. */
function Read({
  server,
  onAdded,
}: {
  readonly server: ListedServer
  readonly onAdded: (servers: readonly Server[]) => void
}) {
  const t = useT()
  const { data, error } = useQuery(modelScopeServerQuery(server.name))
  if (data?.config) return <Chosen server={data} onAdded={onAdded} />
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 content-start gap-3 overflow-auto p-4">
      <Facts server={data ?? server} />
      {error ? <ErrorBox error={asApiError(error)} /> : data ? null : <Skeleton rows={2} />}
      {data ? <p role="status">{t('registry.find_no_config')}</p> : null}
    </div>
  )
}

function Results({
  query,
  onAdded,
}: {
  readonly query: ReturnType<typeof serverSearchQuery>
  readonly onAdded: (servers: readonly Server[]) => void
}) {
  const t = useT()
  const [name, setName] = useState('')
  const list = useInfiniteQuery(query)
  const { data, error, hasNextPage, isFetching, isFetchNextPageError } = list
  if (!data)
    return (
      <div className="flex-1 p-4">
        {error ? <ErrorBox error={asApiError(error)} /> : <Skeleton rows={5} />}
      </div>
    )
  const rows = data.pages.flatMap((page) => page.results)
  const chosen = rows.find((row) => row.name === name) ?? rows[0]
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[240px_minmax(0,1fr)] overflow-hidden phone:grid-cols-1 phone:overflow-auto">
      <div className="min-h-0 overflow-auto border-r border-line phone:max-h-56 phone:border-r-0 phone:border-b">
        <p className="px-3 py-1.5 text-xs text-muted" role="status">
          {rows.length > 0 ? t('registry.find_count', { n: rows.length }) : t('registry.find_none')}
        </p>
        {rows.map((row) => (
          <Listed key={row.name} server={row} chosen={row === chosen} onChoose={() => setName(row.name)} />
        ))}
        {hasNextPage ? (
          <More busy={isFetching} failed={isFetchNextPageError} load={() => void loadNextPage(list)} />
        ) : data.pages.at(-1)?.next ? (
          <p className="px-3 py-2 text-xs text-muted">{t('registry.find_ends')}</p>
        ) : null}
      </div>
      <div className="flex min-h-0 min-w-0 flex-col">
        {chosen?.config ? <Chosen key={chosen.name} server={chosen} onAdded={onAdded} /> : null}
        {chosen && !chosen.config ? <Read key={chosen.name} server={chosen} onAdded={onAdded} /> : null}
      </div>
    </div>
  )
}

interface Adds {
  readonly onAdded: (servers: readonly Server[]) => void
}

type Source = 'registry' | 'modelscope' | 'deployed'

/** Words to search for, and where an MCP registry is. */
function SearchIn({ source, onAdded }: { readonly source: 'registry' | 'modelscope' } & Adds) {
  const t = useT()
  const [words, setWords] = useState('')
  const [address, setAddress] = useState(() => window.localStorage.getItem(KEPT) || OFFICIAL)
  const search = useDebounced(words.trim())
  const at = useDebounced(address.trim())
  const change = (next: string) => {
    setAddress(next)
    window.localStorage.setItem(KEPT, next)
  }
  const registry = source === 'registry'
  return (
    <>
      <div className="grid grid-cols-2 gap-3 border-b border-line p-3 phone:grid-cols-1">
        <TextField
          inputType="search"
          autoFocus
          before={<Search aria-hidden />}
          label={registry ? t('registry.find_words') : t('registry.find_words_modelscope')}
          value={words}
          onChange={setWords}
        />
        {registry ? <TextField label={t('registry.find_at')} mono value={address} onChange={change} /> : null}
      </div>
      {search && (at || !registry) ? (
        <Results
          key={`${source} ${at} ${search}`}
          query={registry ? serverSearchQuery(at, search) : modelScopeQuery(search)}
          onAdded={onAdded}
        />
      ) : (
        <p className="flex-1 p-4 text-sm text-muted">
          {registry ? t('registry.find_hint') : t('registry.find_hint_modelscope')}
        </p>
      )}
    </>
  )
}

export function FindServer({ onAdded }: Adds) {
  const t = useT()
  const [source, setSource] = useState<Source>('registry')
  return (
    <div className="flex min-h-80 flex-1 flex-col overflow-hidden">
      <div className="overflow-x-auto px-3 pt-3">
        <Segmented<Source>
          small
          label={t('registry.find_in')}
          value={source}
          onChange={setSource}
          options={[
            { value: 'registry', label: t('registry.find_in_registry') },
            { value: 'modelscope', label: t('registry.find_in_modelscope') },
            { value: 'deployed', label: t('registry.find_in_deployed') },
          ]}
        />
      </div>
      {source === 'deployed' ? (
        <Suspense fallback={<Skeleton rows={4} />}>
          <LateDeployed onAdded={onAdded} />
        </Suspense>
      ) : (
        <SearchIn key={source} source={source} onAdded={onAdded} />
      )}
    </div>
  )
}
