/** Workflows and their documents over HTTP. Graphs stay `unknown` here; `graph/read.ts` makes them safe to draw. */
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { NodeType, Problem } from '@/graph/types'
import { currentLanguage } from '@/i18n'
import { send } from './client'
import type { RunState } from './run-types'

export interface DraftInfo {
  readonly revision: number
  readonly by: string | null
  readonly at: string
}

export interface WorkflowSummary {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly draft: DraftInfo
  readonly published_version: number | null
  readonly node_count: number
  readonly problem_count: number
  readonly servers: readonly string[]
  readonly updated_at: string
}

/** A workflow of the list, with its newest run; null where it never ran. */
export interface ListedWorkflow extends WorkflowSummary {
  readonly last_run: {
    readonly id: string
    readonly state: RunState
    readonly queued_at: string
    readonly waits_for_person: boolean
    readonly waits_for_client: boolean
  } | null
}

export interface Workflow extends Omit<WorkflowSummary, 'draft'> {
  readonly draft: DraftInfo & { readonly graph: unknown }
  /** Whether publishing demands that the saved tests pass. */
  readonly tests_required: boolean
  /** To whom it is offered: clients of MCP, other agents, front ends. */
  readonly expose_as_tool: boolean
  readonly expose_as_agent: boolean
  readonly expose_as_agui: boolean
}

export interface Version {
  readonly version: number
  readonly note: string
  readonly published_at: string
  readonly published_by: string | null
}

export interface DraftSaved {
  readonly revision: number
  readonly problems: readonly Problem[]
}

interface Page<T> {
  readonly results: readonly T[]
  readonly next: string | null
}

const place = (id: string): string => `/api/workflows/${encodeURIComponent(id)}`

/** The list page by page, each workflow with its newest run; `search` looks into names and descriptions. */
export const workflowListQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['workflow-list', search],
    queryFn: ({ pageParam }) =>
      send<Page<ListedWorkflow>>(
        'GET',
        `/api/workflows?${new URLSearchParams({
          limit: '50',
          ...(search ? { q: search } : {}),
          ...(pageParam ? { cursor: pageParam } : {}),
        })}`,
      ),
    initialPageParam: '',
    getNextPageParam: (page: Page<ListedWorkflow>) => page.next,
  })

/** A workflow with its draft. The editor reads it once and then keeps the graph itself. */
export const fetchWorkflow = (id: string): Promise<Workflow> => send<Workflow>('GET', place(id))

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['version', id],
    queryFn: async () => (await send<Page<Version>>('GET', `${place(id)}/versions?limit=50`)).results,
  })

export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ['version', id, version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => send<Version & { graph: unknown }>('GET', `${place(id)}/versions/${version}`),
  })

/** Node types by name, in the order of the palette; texts in the chosen language. */
export const nodeTypesQuery = (language = currentLanguage()) =>
  queryOptions({
    queryKey: ['node-types', language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const { results } = await send<{ results: NodeType[] }>('GET', '/api/node-types')
      return new Map(results.map((type) => [type.type, type]))
    },
  })

export const saveDraft = (id: string, revision: number, graph: unknown): Promise<DraftSaved> =>
  send<DraftSaved>('PUT', `${place(id)}/draft`, { revision, graph })

export const validateDraft = (id: string): Promise<{ ok: boolean; problems: readonly Problem[] }> =>
  send('POST', `${place(id)}/validate`, {})

export const createWorkflow = (body: {
  name: string
  description?: string
  graph?: unknown
}): Promise<Workflow> => send<Workflow>('POST', '/api/workflows', body)

export const publishDraft = (id: string, note: string): Promise<Version> =>
  send<Version>('POST', `${place(id)}/publish`, { note })

/** Where the document is as a file. */
export const exportAddress = (id: string, format: 'yaml' | 'json', version?: number): string =>
  `${place(id)}/export?format=${format}${version === undefined ? '' : `&version=${version}`}`

/** The changes that the list of workflows makes. */
export function useWorkflowChanges() {
  const client = useQueryClient()
  const onSuccess = () =>
    Promise.all(['workflow', 'workflow-list'].map((kind) => client.invalidateQueries({ queryKey: [kind] })))
  return {
    create: useMutation({ mutationFn: createWorkflow, onSuccess }),
    rename: useMutation({
      mutationFn: ({ id, name }: { id: string; name: string }) =>
        send<Workflow>('PATCH', place(id), { name }),
      onSuccess,
    }),
    duplicate: useMutation({
      mutationFn: ({ id, name }: { id: string; name: string }) =>
        send<Workflow>('POST', `${place(id)}/duplicate`, { name }),
      onSuccess,
    }),
    remove: useMutation({ mutationFn: (id: string) => send<void>('DELETE', place(id)), onSuccess }),
  }
}
