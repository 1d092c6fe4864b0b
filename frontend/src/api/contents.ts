/** What servers offer besides tools: resources, templates of resources, prompts. */
import { queryOptions } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'

export type Resource = components['schemas']['Resource']
export type ResourceTemplate = components['schemas']['ResourceTemplate']
export type Prompt = components['schemas']['Prompt']

/** Asking connects to the server, so what it said is good for a while. */
const FRESH_MS = 60_000

/** A server's resources and templates. */
export const resourcesQuery = (server: string) =>
  queryOptions({
    queryKey: ['server', server, 'resources'],
    staleTime: FRESH_MS,
    retry: false,
    queryFn: () => api.get('/api/mcp/servers/{server}/resources', { params: { path: { server } } }),
  })

/** A server's prompts with their arguments. */
export const promptsQuery = (server: string) =>
  queryOptions({
    queryKey: ['server', server, 'prompts'],
    staleTime: FRESH_MS,
    retry: false,
    queryFn: async () =>
      (await api.get('/api/mcp/servers/{server}/prompts', { params: { path: { server } } })).results,
  })
