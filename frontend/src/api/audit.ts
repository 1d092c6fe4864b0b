/** The audit trail over HTTP: pages that a filter leaves, and the address of the same as a file. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'

export type AuditEntry = components['schemas']['AuditEntry']

/** What narrows the list; what is absent narrows nothing. */
export interface Filter {
  /** Id of a person. */
  readonly actor?: string
  /** "run.started", or "run" for all of its kind. */
  readonly action?: string
  /** Id of what it was done to. */
  readonly target?: string
  /** A moment, ISO 8601. */
  readonly from?: string
  readonly q?: string
}

/** The audit trail, newest first, page by page. */
export const auditQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam }) =>
      api.get('/api/audit', {
        params: { query: { ...filter, ...(pageParam ? { cursor: pageParam } : {}) } },
      }),
    initialPageParam: '',
    getNextPageParam: (page: components['schemas']['AuditList']) => page.next,
  })

/** How far the chain that the audit trail stands in was verified. */
export const chainQuery = queryOptions({
  queryKey: ['audit', 'chain'],
  queryFn: () => api.get('/api/audit/chain'),
})

/** Where the same rows are as a file. */
export function exportPath(filter: Filter, format: 'csv' | 'jsonl'): string {
  const query = new URLSearchParams({ ...filter, format })
  return `/api/audit/export?${query}`
}
