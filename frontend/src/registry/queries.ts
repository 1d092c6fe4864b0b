/** What only the registry's page asks of the API; the rest is shared (`api/servers`). */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { components } from '@/api/schema'

type Schemas = components['schemas']
export type ServerCalls = Schemas['ServerCalls']
export type Span = ServerCalls['span']
export type ListedServer = Schemas['ListedServer']

/** How a server answered in the last 24 hours or 30 days; drawn anew while it is looked at. */
export const serverCallsQuery = (server: string, span: Span) =>
  queryOptions({
    queryKey: ['server', server, 'calls', span],
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
    queryFn: () =>
      api.get('/api/mcp/servers/{server}/calls', { params: { path: { server }, query: { span } } }),
  })

/** Pages that are read of what a registry lists; one that lists on and on, or in a circle, is not followed. */
const MAX_PAGES = 30

type Page = Schemas['ListedServers']
type ModelScopeCursor = Schemas['ModelScopeFindRequest']['cursor']

/** Pages of what is listed somewhere for some words. They are not asked for again by themselves. */
const listedPages = (queryKey: readonly string[], ask: (cursor: string) => Promise<Page>) =>
  infiniteQueryOptions({
    queryKey,
    staleTime: 60_000,
    retry: false,
    initialPageParam: '',
    queryFn: ({ pageParam }) => ask(pageParam),
    getNextPageParam: (page, pages, _, cursor) =>
      page.next && pages.length < MAX_PAGES && !cursor.includes(page.next) ? page.next : null,
  })

/** What the MCP registry at a base address lists. */
export const serverSearchQuery = (at: string, q: string) =>
  listedPages(['mcp-registry', at, q], (cursor) => api.post('/api/mcp/find', { body: { at, q, cursor } }))

/** What ModelScope's public list has. How a server is run is asked for one by one. */
export const modelScopeQuery = (q: string) =>
  listedPages(['modelscope', q], (cursor) =>
    api.post('/api/mcp/modelscope/find', { body: { q, cursor: cursor as ModelScopeCursor } }),
  )

/** A server of that list with its configuration. */
export const modelScopeServerQuery = (id: string) =>
  queryOptions({
    queryKey: ['modelscope-server', id],
    staleTime: 60_000,
    retry: false,
    queryFn: () => api.post('/api/mcp/modelscope/read', { body: { id } }),
  })
