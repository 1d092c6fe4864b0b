/** What servers offer besides tools: resources, templates of resources, prompts. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'

export type Resource = components['schemas']['Resource']
export type ResourceTemplate = components['schemas']['ResourceTemplate']
export type Prompt = components['schemas']['Prompt']
export type ContentChange = components['schemas']['ContentChange']
export type KeptList = components['schemas']['Kept']

/** Asking connects to the server, so what it said is good for a while. */
const FRESH_MS = 60_000
/** As many as a choice needs at once; what is further down can be written. */
const TO_CHOOSE = 500

/** A server's resources and templates, to choose from. */
export const resourcesQuery = (server: string) =>
  queryOptions({
    queryKey: ['server', server, 'resources'],
    staleTime: FRESH_MS,
    retry: false,
    queryFn: () =>
      api.get('/api/mcp/servers/{server}/resources', {
        params: { path: { server }, query: { limit: TO_CHOOSE } },
      }),
  })

/** A server's prompts with their arguments, to choose from. */
export const promptsQuery = (server: string) =>
  queryOptions({
    queryKey: ['server', server, 'prompts'],
    staleTime: FRESH_MS,
    retry: false,
    queryFn: async () =>
      (
        await api.get('/api/mcp/servers/{server}/prompts', {
          params: { path: { server }, query: { limit: TO_CHOOSE } },
        })
      ).results,
  })

const paged = (pageParam: string) => ({ limit: 50, ...(pageParam ? { cursor: pageParam } : {}) })

/** A server's resources page by page; templates come with the first. */
export const resourcePagesQuery = (server: string) =>
  infiniteQueryOptions({
    queryKey: ['server', server, 'resource-pages'],
    initialPageParam: '',
    staleTime: FRESH_MS,
    retry: false,
    queryFn: ({ pageParam }) =>
      api.get('/api/mcp/servers/{server}/resources', {
        params: { path: { server }, query: paged(pageParam) },
      }),
    getNextPageParam: (page) => page.next,
  })

/** A server's prompts page by page. */
export const promptPagesQuery = (server: string) =>
  infiniteQueryOptions({
    queryKey: ['server', server, 'prompt-pages'],
    initialPageParam: '',
    staleTime: FRESH_MS,
    retry: false,
    queryFn: ({ pageParam }) =>
      api.get('/api/mcp/servers/{server}/prompts', {
        params: { path: { server }, query: paged(pageParam) },
      }),
    getNextPageParam: (page) => page.next,
  })

/** Asks the server for both lists, whatever was kept. */
export async function listAnew(server: string): Promise<void> {
  const params = { path: { server }, query: { limit: 1, refresh: true } }
  await api.get('/api/mcp/servers/{server}/resources', { params })
  await api.get('/api/mcp/servers/{server}/prompts', { params })
}

type Values = Readonly<Record<string, string>>

export const readResource = (server: string, uri: string, values: Values) =>
  api.post('/api/mcp/servers/{server}/resources/read', {
    params: { path: { server } },
    body: { uri, arguments: values },
  })

export const getPrompt = (server: string, prompt: string, values: Values) =>
  api.post('/api/mcp/servers/{server}/prompts/get', {
    params: { path: { server } },
    body: { prompt, arguments: values },
  })

/** Accepts one thing as the server last listed it, or all that changed of its kind. */
export const acceptContents = (server: string, kind: ContentChange['kind'], name: string | undefined) =>
  api.post('/api/mcp/servers/{server}/contents/accept', {
    params: { path: { server } },
    body: { kind, ...(name === undefined ? {} : { name }) },
  })
