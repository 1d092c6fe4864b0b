/** A workflow as a tool of MCP clients, over HTTP and over MCP itself. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from './client'
import type { components } from './schema'
import { fetchWorkflow } from './workflows'

type Schemas = components['schemas']
export type Offer = Schemas['Offer']
export type OfferedCall = Schemas['OfferedCall']

/** Its key begins with `run`: every call is one, and is seen as it comes. */
export const offerQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['run', 'offer', workflow],
    queryFn: (): Promise<Offer> =>
      api.get('/api/workflows/{workflow}/offer', { params: { path: { workflow } } }),
  })

/** What of a workflow says to whom it is offered. */
export type OfferField = 'expose_as_tool' | 'expose_as_agent' | 'expose_as_agui'

/** The workflow as its page *Share* needs it. */
export const sharedWorkflowQuery = (id: string) =>
  queryOptions({ queryKey: ['workflow', 'shared', id], queryFn: () => fetchWorkflow(id) })

/** Whether it is offered, and the words that a model reads. */
export function useChangeOffer(workflow: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { readonly [Field in OfferField]?: boolean } & { readonly description?: string }) =>
      api.patch('/api/workflows/{workflow}', { params: { path: { workflow } }, body }),
    onSuccess: () =>
      Promise.all([
        ...['offer', 'agent', 'agui'].map((door) =>
          client.invalidateQueries({ queryKey: ['run', door, workflow] }),
        ),
        client.invalidateQueries({ queryKey: ['workflow', 'shared', workflow] }),
      ]),
  })
}

/** A token for a client of MCP: it lists, starts and looks at runs; of one workflow alone, or of all that are offered. */
export function useClientToken(workflow: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ name, only }: { readonly name: string; readonly only: boolean }) => {
      const bounds = only ? { workflows: [workflow] } : {}
      const body = { name, scopes: ['read' as const, 'run' as const], expires_in_days: 90, ...bounds }
      return (await api.post('/api/tokens', { body })).token ?? ''
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ['token'] }),
  })
}

/** What the API gives a program that has this token, or why it refuses. The person's own session is left out. */
export async function askRest<Result>(path: string, token: string): Promise<Result> {
  const response = await fetch(
    new Request(`${window.location.origin}${path}`, {
      credentials: 'omit',
      headers: { Authorization: `Bearer ${token}` },
    }),
  )
  const answer = parsed(await response.text())
  if (response.ok) return answer as Result
  throw new Error(String(answer.message ?? `HTTP ${response.status}`))
}

const REVISION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'patchbay-share', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** What a request of MCP is answered with, or why it is refused. Asked as a client of others would: by the token alone. */
export async function askMcp<Result>(url: string, token: string, method: string): Promise<Result> {
  const response = await fetch(
    new Request(url, {
      method: 'POST',
      credentials: 'omit',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': REVISION,
        'Mcp-Method': method,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: META } }),
    }),
  )
  const text = await response.text()
  const event = /^data: (.*)$/m.exec(text)?.[1]
  const message = parsed(event ?? text)
  if (message.result !== undefined) return message.result as Result
  const error = message.error as { readonly message?: string } | undefined
  throw new Error(error?.message ?? String(message.message ?? `HTTP ${response.status}`))
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
