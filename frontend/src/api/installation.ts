/** What operators ask of the whole installation, as TanStack Query has it. */
import { queryOptions } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type InstallationFacts = Schemas['Installation']
export type Allowance = Schemas['Allowance']
export type AllowanceKind = Allowance['kind']
export type TeamStorage = Schemas['TeamStorage']
export type InstallationWorker = Schemas['InstallationWorker']

export const installationQuery = queryOptions({
  queryKey: ['installation', 'facts'],
  queryFn: () => api.get('/api/operator/installation'),
})

export const installationStorageQuery = queryOptions({
  queryKey: ['installation', 'storage'],
  refetchInterval: 60_000,
  queryFn: () => api.get('/api/operator/storage'),
})

export const installationWorkersQuery = queryOptions({
  queryKey: ['installation', 'workers'],
  refetchInterval: 5_000,
  queryFn: () => api.get('/api/operator/workers'),
})
