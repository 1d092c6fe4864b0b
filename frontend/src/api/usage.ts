/** The queue, what was used and what is stored over HTTP, as TanStack Query has them. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type Queue = Schemas['Queue']
export type UsageReport = Schemas['UsageReport']
export type UsageRow = Schemas['UsageRow']
export type Amounts = Schemas['Amounts']
export type Storage = Schemas['Storage']
export type UsageBy = UsageReport['by']

const BUSY_MS = 4_000

/** The queue; asked again while something waits in it, for its places move without a word about one's own runs. */
export const queueQuery = queryOptions({
  queryKey: ['queue'],
  queryFn: (): Promise<Queue> => api.get('/api/queue'),
  staleTime: 1_000,
  refetchInterval: ({ state }) => (state.data?.queued ? BUSY_MS : false),
})

export const useQueue = (enabled = true) => useQuery({ ...queueQuery, enabled })

/** The sums of some days, both included (`YYYY-MM-DD`, UTC). */
export const usageQuery = (from: string, to: string, by: UsageBy) =>
  queryOptions({
    queryKey: ['usage', from, to, by],
    queryFn: (): Promise<UsageReport> => api.get('/api/usage', { params: { query: { from, to, by } } }),
    placeholderData: keepPreviousData,
  })

export const storageQuery = queryOptions({
  queryKey: ['usage', 'storage'],
  queryFn: (): Promise<Storage> => api.get('/api/usage/storage'),
  staleTime: 30_000,
})
