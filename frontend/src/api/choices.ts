/** What a choice offers of a list that may be long: searched by the server, page by page; and the names of what is chosen. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useDebounced } from '@/ui/debounced'
import type { Choices } from '@/ui/floating/search-select'
import { api } from './client'
import { loadNextPage } from './next-page'
import type { components } from './schema'
import type { WorkflowSummary } from './workflows'

export type Member = components['schemas']['Member']

type WorkflowName = Pick<WorkflowSummary, 'id' | 'name' | 'slug'>

export interface SearchResults<Row> {
  readonly rows: readonly Row[]
  readonly search: string
  readonly onSearch: (search: string) => void
  readonly busy: boolean
  /** Nothing of it was read yet. */
  readonly pending: boolean
  readonly error: unknown
  readonly refetch: () => unknown
  readonly more: (() => void) | undefined
  /** The next page did not come. */
  readonly failed: boolean
  /** There is more than a page of it: it is worth searching. */
  readonly long: boolean
}

interface Page<Row> {
  readonly results: readonly Row[]
  readonly next: string | null
}

interface PageQuery {
  readonly limit: number
  readonly q?: string
  readonly cursor?: string
}

/** The rows of a list that match what is typed, from the moment on in which they are `wanted`. */
export function useSearchResults<Row>(
  key: readonly unknown[],
  load: (query: PageQuery) => Promise<Page<Row>>,
  enabled: boolean,
): SearchResults<Row> {
  const [search, onSearch] = useState('')
  const q = useDebounced(search.trim())
  const query = useInfiniteQuery({
    queryKey: [...key, q],
    queryFn: ({ pageParam }) =>
      load({ limit: 50, ...(q ? { q } : {}), ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: '',
    getNextPageParam: (page: Page<Row>) => page.next,
    // of other words, what was there stays until the rows are; of another list, nothing
    placeholderData: (before, query) =>
      String(query?.queryKey.slice(0, -1)) === String(key) ? before : undefined,
    enabled: enabled,
  })
  return {
    rows: query.data?.pages.flatMap((page) => page.results) ?? [],
    search,
    onSearch,
    busy: query.isFetching,
    pending: query.isPending,
    error: query.error,
    refetch: query.refetch,
    long: query.hasNextPage || (query.data?.pages.length ?? 0) > 1 || search !== '',
    more: query.hasNextPage ? () => void loadNextPage(query) : undefined,
    failed: query.isFetchNextPageError,
  }
}

export const asChoices = <Row>(
  { rows, search, onSearch, busy, more, failed }: SearchResults<Row>,
  shape: (row: Row) => Choices['options'][number],
): Choices => ({ search, onSearch, busy, more, failed, options: rows.map(shape) })

/** The team's workflows, the last changed first. */
export const useWorkflowSearch = (enabled: boolean, published = false): SearchResults<WorkflowName> =>
  useSearchResults(
    ['workflow', 'found', published],
    (query) =>
      api.get('/api/workflows', { params: { query: { ...query, ...(published ? { published } : {}) } } }),
    enabled,
  )

/** The programs that started runs of the team, by name. */
export const useCallerSearch = (enabled: boolean): SearchResults<{ readonly name: string }> =>
  useSearchResults(['run', 'callers'], (query) => api.get('/api/run-callers', { params: { query } }), enabled)

/** The team's members, the newest first. */
export const useMemberSearch = (enabled: boolean): SearchResults<Member> =>
  useSearchResults(
    ['member', 'found'],
    (query) => api.get('/api/teams/members', { params: { query } }),
    enabled,
  )

/** The names of these workflows, by id and by slug; those that are gone are not in it. */
export function useWorkflowNames(references: readonly string[]): ReadonlyMap<string, string> {
  const names = [...new Set(references)].sort()
  const { data } = useQuery({
    queryKey: ['workflow', 'names', ...names],
    enabled: names.length > 0,
    queryFn: () => api.get('/api/workflows', { params: { query: { limit: 200, id: names.slice(0, 200) } } }),
  })
  return new Map(data?.results.flatMap(({ id, slug, name }) => [id, slug].map((key) => [key, name] as const)))
}

/** A member by the id of the person. */
export function useMemberOf(user: string): Member | undefined {
  return useQuery({
    queryKey: ['member', 'of', user],
    enabled: user !== '',
    queryFn: () => api.get('/api/teams/members', { params: { query: { limit: 1, user } } }),
  }).data?.results[0]
}
