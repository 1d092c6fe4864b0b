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
const FOUND_PAGES = 30

/** What the MCP registry at a base address lists for some words, page by page. It is not asked again by itself. */
export const foundServersQuery = (at: string, q: string) =>
  infiniteQueryOptions({
    queryKey: ['mcp-registry', at, q],
    staleTime: 60_000,
    retry: false,
    initialPageParam: '',
    queryFn: ({ pageParam }) => api.post('/api/mcp/find', { body: { at, q, cursor: pageParam } }),
    getNextPageParam: (page, pages, _, asked) =>
      page.next && pages.length < FOUND_PAGES && !asked.includes(page.next) ? page.next : null,
  })
