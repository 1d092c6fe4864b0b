/** Providers of models over HTTP, as TanStack Query has them; the settings, the inspector and the palette share them. */
import { queryOptions } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'
import { allPages } from './servers'

export type Provider = components['schemas']['Provider']

/** All providers of the team that the member may use, by name. */
export const providersQuery = queryOptions({
  queryKey: ['provider', 'list'],
  queryFn: () =>
    allPages((cursor) =>
      api.get('/api/providers', {
        params: { query: { sort: 'name', limit: 200, ...(cursor ? { cursor } : {}) } },
      }),
    ),
})
