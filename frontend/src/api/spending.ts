/** What the team's models used today of the team's budget, as TanStack Query has it. */
import { queryOptions } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'

export type Spending = components['schemas']['Spending']

const MINUTE = 60_000

/** Asked again every two minutes while somebody looks. */
export const spendingQuery = queryOptions({
  queryKey: ['spending'],
  staleTime: MINUTE,
  refetchInterval: 2 * MINUTE,
  queryFn: () => api.get('/api/spending'),
})
