/** A workflow as an agent, over HTTP and over A2A itself. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, newRequestId } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type Agent = Schemas['OfferedAgent']

/** Its key begins with `run`: every task is one, and is seen as it comes. */
export const agentQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['run', 'agent', workflow],
    queryFn: (): Promise<Agent> =>
      api.get('/api/workflows/{workflow}/agent', { params: { path: { workflow } } }),
  })

/** Whether it is offered, and whether everybody may read its card. */
export function useChangeAgent(workflow: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { expose_as_agent?: boolean; agent_card_public?: boolean }) =>
      api.patch('/api/workflows/{workflow}', { params: { path: { workflow } }, body }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['run', 'agent', workflow] }),
        client.invalidateQueries({ queryKey: ['workflow', 'shared', workflow] }),
      ]),
  })
}

/** A token for a client: it runs this workflow alone, reads its files and answers what it asks. */
export function useAgentToken(workflow: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (name: string) => {
      const scopes: ('read' | 'run' | 'answer')[] = ['read', 'run', 'answer']
      const body = { name, scopes, expires_in_days: 90, workflows: [workflow] }
      return (await api.post('/api/tokens', { body })).token ?? ''
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ['token'] }),
  })
}

export interface Card {
  readonly name: string
  readonly version: string
}

interface Part {
  readonly text?: string
  readonly data?: unknown
}

interface Status {
  readonly state: string
  readonly message?: { readonly parts?: readonly Part[] }
}

interface Artifact {
  readonly artifactId: string
  readonly parts: readonly Part[]
}

/** One event of a task's stream. */
export interface TaskEvent {
  readonly task?: { readonly id: string; readonly status: Status; readonly artifacts?: readonly Artifact[] }
  readonly statusUpdate?: { readonly status: Status }
  readonly artifactUpdate?: { readonly artifact: Artifact; readonly append?: boolean }
}

const headers = (token: string) => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  'A2A-Version': '1.0',
})

/** The agent's card, as a client reads it: by the token alone. */
export async function readCard(url: string, token: string): Promise<Card> {
  const response = await fetch(new Request(url, { credentials: 'omit', headers: headers(token) }))
  const body = parsed(await response.text())
  if (!response.ok) throw refusalOf(body, response.status)
  return body as unknown as Card
}

/** Sends a message of these parts, and gives what its task tells, as it comes. */
export async function* sendMessage(
  url: string,
  token: string,
  parts: readonly Part[],
): AsyncGenerator<TaskEvent> {
  const message = { messageId: newRequestId() + newRequestId(), role: 'ROLE_USER', parts }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } })
  const request = new Request(url, { method: 'POST', credentials: 'omit', headers: headers(token), body })
  const response = await fetch(request)
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    yield resultOf(parsed(await response.text()), response.status)
    return
  }
  for await (const text of dataOf(response)) yield resultOf(parsed(text), response.status)
}

/** The data of each server-sent event. */
async function* dataOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) return
    const lines = (rest + value).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) yield line.slice(6)
  }
}

function resultOf(message: Record<string, unknown>, status: number): TaskEvent {
  if (message.result !== undefined) return message.result as TaskEvent
  throw refusalOf(message, status)
}

function refusalOf(message: Record<string, unknown>, status: number): Error {
  const error = message.error as { readonly message?: string } | undefined
  return new Error(error?.message ?? String(message.message ?? `HTTP ${status}`))
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
