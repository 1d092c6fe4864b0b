/** Chats over HTTP: writing, and one's own conversations. Keys begin with `conversation`, as the hints do. */
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from './client'
import type { Run } from './run-types'
import type { components } from './schema'

type Schemas = components['schemas']
export type Conversation = Schemas['Conversation']
export type ConversationDetail = Schemas['ConversationDetail']
export type Turn = Schemas['Turn']
export type ChatFile = Schemas['ChatFile']
export type ChatCall = Schemas['ChatCall']

interface Page<Row> {
  readonly results: Row[]
  readonly next: string | null
}

/** The conversations in a chat, the latest first; with the draft or with what is published. */
export const conversationsQuery = (trigger: string, draft: boolean) =>
  infiniteQueryOptions({
    queryKey: ['conversation', 'list', trigger, draft],
    queryFn: ({ pageParam }): Promise<Page<Conversation>> =>
      api.get('/api/conversations', {
        params: { query: { trigger, draft, ...(pageParam ? { cursor: pageParam } : {}) } },
      }),
    initialPageParam: '',
    getNextPageParam: (page: Page<Conversation>) => page.next,
  })

/** A conversation as opened, page by page from its end. */
export const conversationQuery = (key: string) =>
  infiniteQueryOptions({
    queryKey: ['conversation', 'one', key],
    queryFn: ({ pageParam }): Promise<ConversationDetail> =>
      api.get('/api/conversations/{key}', {
        params: { path: { key }, query: pageParam ? { before: pageParam } : {} },
      }),
    initialPageParam: '',
    getNextPageParam: (page: ConversationDetail) => page.earlier,
  })

/** The first chat of a workflow; null where it has none. */
export const chatOfWorkflowQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['trigger', 'chat', workflow],
    queryFn: async () => {
      const params = { path: { workflow }, query: { limit: 200 } }
      const { results } = await api.get('/api/workflows/{workflow}/triggers', { params })
      return results.findLast(({ kind }) => kind === 'chat') ?? null
    },
  })

export interface Message {
  readonly text?: string
  readonly files?: string[]
  readonly conversation?: string
  /** The turn of which it is another version. */
  readonly replaces?: string
  readonly draft?: boolean
}

export interface Writing extends Message {
  /** The same key is the same message, however often it is sent. */
  readonly once: string
}

/** Write a message; the run says of which conversation it is. */
export function useWrite(trigger: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ once, ...body }: Writing): Promise<Run> =>
      api.post('/api/triggers/{key}/chat', {
        params: { path: { key: trigger }, header: { 'Idempotency-Key': once } },
        body,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['conversation'] }),
  })
}

export interface ConversationChange {
  readonly title?: string
  /** A turn that is to be shown. */
  readonly shown?: string
}

export function useChangeConversation(key: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ConversationChange): Promise<Conversation> =>
      api.patch('/api/conversations/{key}', { params: { path: { key } }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['conversation'] }),
  })
}

export function useDeleteConversation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (key: string) => api.delete('/api/conversations/{key}', { params: { path: { key } } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['conversation', 'list'] }),
  })
}

/** All of a conversation as a file. */
export const exportAddress = (key: string): string => `/api/conversations/${encodeURIComponent(key)}/export`
