/** Servers, their tools and presets over HTTP, as TanStack Query has them; the registry and the palette panel share them. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type Server = Schemas['Server']
export type ServerPage = Schemas['ServerList']
export type Tool = Schemas['Tool']
/** What a list to choose from shows of a tool. */
export type ToolName = Schemas['ToolName']
export type Preset = Schemas['Preset']
export type Declaration = Schemas['Declaration']
export type Program = Schemas['Program']
export type TestReport = Schemas['Test']

const MOST_PAGES = 20

/** All pages of a list, newest first. */
export async function allPages<Row>(
  load: (cursor: string | undefined) => Promise<{ results: readonly Row[]; next: string | null }>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const { results, next } = await load(cursor)
    rows.push(...results)
    if (!next) break
    cursor = next
  }
  return rows
}

/** The ids of servers that one switched off for models in one's own runs. */
export const serversOffQuery = queryOptions({
  queryKey: ['server', 'off'],
  queryFn: async (): Promise<readonly string[]> =>
    (await api.get('/api/me/servers-off')).servers.map((server) => server.id),
})

/** Which servers the registry's list shows. */
export type ServerFilter = 'all' | 'attention' | 'mine'

/** Servers that are read at once. */
const SERVERS_AT_ONCE = 50

/** The team's servers or agents by name, page by page; `search` looks into names, addresses, commands and tools. */
export const serverPagesQuery = (only: ServerFilter = 'all', search = '', kind: Server['kind'] = 'server') =>
  infiniteQueryOptions({
    queryKey: ['server', 'pages', only, search, kind],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      api.get('/api/mcp/servers', {
        params: {
          query: {
            kind,
            sort: 'name',
            limit: SERVERS_AT_ONCE,
            ...(only === 'all' ? {} : { only }),
            ...(search ? { q: search } : {}),
            ...(pageParam ? { cursor: pageParam } : {}),
          },
        },
      }),
    getNextPageParam: (page) => page.next,
  })

/** One server, by its id or slug. */
export const serverQuery = (server: string) =>
  queryOptions({
    queryKey: ['server', server, 'alone'],
    queryFn: () => api.get('/api/mcp/servers/{server}', { params: { path: { server } } }),
  })

/** Workflows that name a server. */
export const workflowsNamingQuery = (server: Pick<Server, 'id' | 'slug'>) =>
  queryOptions({
    queryKey: ['workflow', 'naming', server.slug],
    queryFn: () =>
      api.get('/api/mcp/servers/{server}/workflows', { params: { path: { server: server.id } } }),
  })

/** All servers of the team, by name: for what is chosen from, where a page of them is not enough. */
export const serversQuery = queryOptions({
  queryKey: ['server', 'list'],
  queryFn: () =>
    allPages((cursor) =>
      api.get('/api/mcp/servers', {
        params: { query: { sort: 'name', limit: 200, ...(cursor ? { cursor } : {}) } },
      }),
    ),
})

interface Asking {
  readonly server: string
  readonly done: (names: readonly ToolName[] | Promise<readonly ToolName[]>) => void
}
let asking: Asking[] = []
const MOST_AT_ONCE = 100

const ofOne = async (server: string): Promise<readonly ToolName[]> =>
  (await api.get('/api/mcp/servers/{server}/tool-names', { params: { path: { server } } })).results

/** One request for what is asked of several servers in the same moment; one that it does not find is asked for alone. */
function askTogether() {
  const all = asking
  asking = []
  for (let start = 0; start < all.length; start += MOST_AT_ONCE) {
    const some = all.slice(start, start + MOST_AT_ONCE)
    const server = some.map((request) => request.server)
    const names = api.get('/api/mcp/tool-names', { params: { query: { server } } })
    for (const request of some) {
      const named = names.then(({ results }) =>
        results.find((row) => row.id === request.server || row.slug === request.server),
      )
      request.done(named.then((row) => row?.results ?? ofOne(request.server)))
    }
  }
}

/** The palette asks for the tools of all servers at once: fifty requests would take fifty times as long as one. */
function toolNamesOf(server: string): Promise<readonly ToolName[]> {
  return new Promise((done) => {
    asking.push({ server, done })
    if (asking.length > 1) return
    queueMicrotask(() => {
      const [only, ...more] = asking
      if (!only || more.length > 0) return askTogether()
      asking = []
      only.done(ofOne(only.server))
    })
  })
}

/** What there is to choose from a server, without schemas; connects to nothing. `server` is an id or a slug. */
export const toolNamesQuery = (server: string) =>
  queryOptions({
    queryKey: ['server', server, 'tool-names'],
    queryFn: () => toolNamesOf(server),
  })

/** Some tools of a server, with their schemas. */
export const toolsNamedQuery = (server: string, name: string[]) =>
  queryOptions({
    queryKey: ['server', server, 'tools-named', name],
    queryFn: async () =>
      (await api.get('/api/mcp/servers/{server}/tools', { params: { path: { server }, query: { name } } }))
        .results,
  })

/** Tools that are read at once: as many as a tall screen shows. */
export const TOOLS_AT_ONCE = 50

/** A server's tools page by page, changed ones first; `search` looks into names, titles and descriptions. */
export const toolPagesQuery = (server: string, search = '') =>
  infiniteQueryOptions({
    queryKey: ['server', server, 'tool-pages', search],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      api.get('/api/mcp/servers/{server}/tools', {
        params: {
          path: { server },
          query: {
            limit: TOOLS_AT_ONCE,
            ...(search ? { q: search } : {}),
            ...(pageParam ? { cursor: pageParam } : {}),
          },
        },
      }),
    getNextPageParam: (page) => page.next,
  })

/** One tool with its schemas. */
export const toolQuery = (server: string, tool: string) =>
  queryOptions({
    queryKey: ['server', server, 'tool', tool],
    queryFn: () => api.get('/api/mcp/servers/{server}/tools/{tool}', { params: { path: { server, tool } } }),
  })

export const presetsQuery = queryOptions({
  queryKey: ['preset'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async () => (await api.get('/api/mcp/presets')).results,
})

/** Servers declared inside documents that an admin has not decided about. */
export const waitingDeclarationsQuery = queryOptions({
  queryKey: ['declaration', 'waiting'],
  queryFn: async () =>
    (await api.get('/api/mcp/declarations', { params: { query: { state: 'waiting' } } })).results,
})

/** Whether what is declared is an agent of others. */
export const declaresAgent = ({ config }: Pick<Declaration, 'config'>): boolean =>
  typeof config === 'object' && config !== null && 'transport' in config && config.transport === 'a2a'

/** Those that an admin approved and that go on being looked after: started from an installed package, or agents. */
export const approvedDeclarationsQuery = queryOptions({
  queryKey: ['declaration', 'approved'],
  queryFn: async () => {
    const rows = await allPages((cursor) =>
      api.get('/api/mcp/declarations', {
        params: { query: { state: 'approved', ...(cursor ? { cursor } : {}) } },
      }),
    )
    return rows.filter((declaration) => declaration.package?.version || declaresAgent(declaration))
  },
})

/** How many programs operators were asked about, of all teams; only operators may read it. Other teams' are not announced. */
export const programCountsQuery = (operator: boolean) =>
  queryOptions({
    queryKey: ['server', 'program-counts'],
    enabled: operator,
    refetchInterval: 60_000,
    queryFn: async () =>
      (await api.get('/api/operator/programs', { params: { query: { limit: 1 } } })).counts,
  })
