/** A workflow as an agent of front ends that speak AG-UI, over HTTP and at its address itself. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type FrontEndOffer = Schemas['FrontEndOffer']

/** Its key begins with `run`: every call is one, and is seen as it comes. */
export const frontEndOfferQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['run', 'agui', workflow],
    queryFn: (): Promise<FrontEndOffer> =>
      api.get('/api/workflows/{workflow}/agui', { params: { path: { workflow } } }),
  })

export function useOfferToFrontEnds(workflow: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (on: boolean) =>
      api.patch('/api/workflows/{workflow}', {
        params: { path: { workflow } },
        body: { expose_as_agui: on },
      }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['run', 'agui', workflow] }),
        client.invalidateQueries({ queryKey: ['workflow', 'shared', workflow] }),
      ]),
  })
}

/** A token for a front end's backend: it runs this workflow and answers its forms, and reads nothing else. */
export function useFrontEndToken(workflow: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (name: string) => {
      const scopes = ['run' as const, 'answer' as const]
      const body = { name, scopes, expires_in_days: 90, workflows: [workflow] }
      return (await api.post('/api/tokens', { body })).token ?? ''
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ['token'] }),
  })
}

/** An event of a stream, as far as it is shown here. */
export interface FrontEndEvent {
  readonly type: string
  readonly stepName?: string
  readonly delta?: unknown
  readonly toolCallName?: string
  readonly message?: string
  readonly outcome?: { readonly type: string }
}

/** What a new thread is told in answer to a message. Asked as a front end would: by the token alone, no cookie. */
export async function* askAgent(url: string, token: string, text: string): AsyncGenerator<FrontEndEvent> {
  const messages = text ? [{ id: crypto.randomUUID(), role: 'user', content: text }] : []
  const response = await fetch(
    new Request(url, {
      method: 'POST',
      credentials: 'omit',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'text/event-stream',
      },
      body: JSON.stringify({ threadId: crypto.randomUUID(), runId: crypto.randomUUID(), messages }),
    }),
  )
  if (!response.ok || response.body === null) throw new Error(await refusalOf(response))
  let rest = ''
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts)
        if (part.startsWith('data: ')) yield JSON.parse(part.slice('data: '.length)) as FrontEndEvent
    }
  } finally {
    void reader.cancel()
  }
}

async function refusalOf(response: Response): Promise<string> {
  try {
    const { message } = (await response.json()) as { readonly message?: string }
    if (message) return message
  } catch {
    // not one of our answers: the status says what there is to say
  }
  return `HTTP ${response.status}`
}
