/** Collections over HTTP: what is in them, what clients see of it, and tokens that open nothing else. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'
import { allPages } from './servers'

type Schemas = components['schemas']
export type Collection = Schemas['Collection']
export type CollectionDetail = Schemas['CollectionDetail']
export type CollectionTool = Schemas['CollectionTool']
export type CollectionContent = Schemas['CollectionContent']
export type CollectionCall = Schemas['CollectionCall']
export type CollectionToken = Schemas['Token']

export const collectionsQuery = queryOptions({
  queryKey: ['collection', 'list'],
  queryFn: () =>
    allPages((cursor) =>
      api.get('/api/collections', { params: { query: { limit: 200, ...(cursor ? { cursor } : {}) } } }),
    ),
})

/** Those with a tool of this server, the first of them. */
export const collectionsWithQuery = (server: string) =>
  queryOptions({
    queryKey: ['collection', 'with', server],
    queryFn: async () =>
      (await api.get('/api/collections', { params: { query: { server, limit: 50 } } })).results,
  })

export const collectionQuery = (key: string) =>
  queryOptions({
    queryKey: ['collection', key, 'whole'],
    queryFn: () => api.get('/api/collections/{key}', { params: { path: { key } } }),
  })

export const collectionTokensQuery = (key: string) =>
  queryOptions({
    queryKey: ['collection', key, 'tokens'],
    queryFn: () =>
      allPages((cursor) =>
        api.get('/api/collections/{key}/tokens', {
          params: { path: { key }, query: { limit: 200, ...(cursor ? { cursor } : {}) } },
        }),
      ),
  })

/** A change after which everything of collections is asked for again. */
function useChange<Given, Result>(change: (input: Given) => Promise<Result>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => client.invalidateQueries({ queryKey: ['collection'] }),
  })
}

export interface CollectionWords {
  readonly name: string
  readonly description: string
  readonly slug?: string
}

export const useNewCollection = () =>
  useChange((body: CollectionWords) => api.post('/api/collections', { body }))

export const useChangeCollection = (key: string) =>
  useChange((body: Partial<CollectionWords> & { readonly enabled?: boolean }) =>
    api.patch('/api/collections/{key}', { params: { path: { key } }, body }),
  )

export const useDeleteCollection = (key: string) =>
  useChange(() => api.delete('/api/collections/{key}', { params: { path: { key } } }))

/** A tool of a server, or a workflow, that is to be in a collection. */
export type ToAdd = { readonly server: string; readonly tool: string } | { readonly workflow: string }

export const useAddTool = (key: string) =>
  useChange((body: ToAdd) => api.post('/api/collections/{key}/tools', { params: { path: { key } }, body }))

export const useEditTool = (key: string, entry: string) =>
  useChange((body: { readonly name?: string; readonly description?: string | null }) =>
    api.patch('/api/collections/{key}/tools/{entry}', { params: { path: { key, entry } }, body }),
  )

export const useRemoveTool = (key: string, entry: string) =>
  useChange(() => api.delete('/api/collections/{key}/tools/{entry}', { params: { path: { key, entry } } }))

/** A resource, a template or a prompt of a server that is to be in a collection. */
export type ContentToAdd = { readonly server: string } & (
  | { readonly resource: string }
  | { readonly template: string }
  | { readonly prompt: string }
)

export const useAddContent = (key: string) =>
  useChange((body: ContentToAdd) =>
    api.post('/api/collections/{key}/contents', { params: { path: { key } }, body }),
  )

export const useEditContent = (key: string, content: string) =>
  useChange((body: { readonly name?: string; readonly description?: string | null }) =>
    api.patch('/api/collections/{key}/contents/{content}', { params: { path: { key, content } }, body }),
  )

export const useRemoveContent = (key: string, content: string) =>
  useChange(() =>
    api.delete('/api/collections/{key}/contents/{content}', { params: { path: { key, content } } }),
  )

/** A token for a client, for 90 days; it lists, calls and looks at its own runs. */
export const useNewCollectionToken = (key: string) =>
  useChange(
    async (name: string) =>
      (
        await api.post('/api/collections/{key}/tokens', {
          params: { path: { key } },
          body: { name, expires_in_days: 90 },
        })
      ).token ?? '',
  )

export const useEndToken = () =>
  useChange((key: string) => api.delete('/api/tokens/{key}', { params: { path: { key } } }))
