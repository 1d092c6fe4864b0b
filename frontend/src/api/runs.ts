/** Runs and their questions over HTTP, as TanStack Query has them; what is live comes from run-store.ts. */

import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { Problem } from '@/graph/types'
import { ApiError, api, send } from './client'
import type { Answer, Interaction, InteractionState, Page, Run, RunEvent, RunState } from './run-types'

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Without the entries that were not asked for. */
function defined<T extends object>(params: T): Defined<T> {
  const entries = Object.entries(params).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(entries) as Defined<T>
}

/** The events of a run that follow on `after`: one page, in order. */
export async function fetchEvents(run: string, after: number): Promise<readonly RunEvent[]> {
  const params = { path: { key: run }, query: { after, limit: 1000 } }
  return (await api.get('/api/runs/{key}/events', { params })).results
}

export interface RunFilter {
  readonly state?: RunState
  readonly workflow?: string
  /** Those that this run started. */
  readonly parent?: string
  /** Those that a program of this name started. */
  readonly caller?: string
}

/** Newest first, page by page. */
const runsQuery = (filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: ['run', 'list', filter],
    queryFn: ({ pageParam }): Promise<Page<Run>> =>
      api.get('/api/runs', { params: { query: defined({ ...filter, cursor: pageParam }) } }),
    initialPageParam: '',
    getNextPageParam: (page: Page<Run>) => page.next,
  })

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', 'one', id],
    queryFn: (): Promise<Run> => api.get('/api/runs/{key}', { params: { path: { key: id } } }),
  })

/** The newest run of a workflow, for the dock's strip. */
export const lastRunQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['run', 'last', workflow],
    queryFn: async (): Promise<Run | null> =>
      (await api.get('/api/runs', { params: { query: { workflow, limit: 1 } } })).results[0] ?? null,
  })

/** Any run, by id, with its graph; null = none asked for. */
export function useRun(id: string | null) {
  return useQuery({ ...runQuery(id ?? ''), enabled: id !== null })
}

export function useRuns(filter: RunFilter) {
  return useInfiniteQuery(runsQuery(filter))
}

export interface StartRun {
  readonly workflow: string
  readonly inputs: { [name: string]: unknown }
  readonly version?: number | 'draft'
  readonly revision?: number
  /** A node of the draft: only it and what is upstream of it runs. */
  readonly until?: string
  /** By node, what it gave: `until` then runs alone. */
  readonly outputs?: { [node: string]: unknown }
}

/** Start a run. */
export function useStartRun() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ workflow, ...body }: StartRun): Promise<Run> =>
      api.post('/api/workflows/{workflow}/runs', { params: { path: { workflow } }, body }),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['run'] }),
  })
}

/** Cancel, pause or resume a run. */
export function useRunControl(run: string) {
  return useMutation({
    mutationFn: (what: 'cancel' | 'pause' | 'resume'): Promise<Run> =>
      api.post(`/api/runs/{key}/${what}`, { params: { path: { key: run } } }),
  })
}

export interface InteractionFilter {
  readonly state?: InteractionState
  readonly run?: string
  readonly id?: string
  /** Without those that stand in the group of an outage. */
  readonly alone?: boolean
}

const interactionsQuery = (filter: InteractionFilter) =>
  infiniteQueryOptions({
    queryKey: ['interaction', 'list', filter],
    queryFn: ({ pageParam }): Promise<Page<Interaction>> =>
      api.get('/api/interactions', { params: { query: defined({ ...filter, cursor: pageParam }) } }),
    initialPageParam: '',
    getNextPageParam: (page: Page<Interaction>) => page.next,
  })

/** What all pages of a list hold. */
export const flatten = <T>(data: InfiniteData<Page<T>> | undefined): readonly T[] =>
  data?.pages.flatMap((page) => page.results) ?? []

export function useInteractions(filter: InteractionFilter, enabled = true) {
  const query = useInfiniteQuery({ ...interactionsQuery(filter), enabled })
  return { ...query, interactions: flatten(query.data) }
}

/** Answer a question. A refusal because somebody was faster brings the answer that counted. */
export function useAnswer() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...answer }: Answer & { readonly id: string }): Promise<Interaction> =>
      api.post('/api/interactions/{key}/answer', { params: { path: { key: id } }, body: answer }),
    onSettled: (_answered, error) => {
      if (error instanceof ApiError && error.status === 400) return // it is still open, nothing changed
      void client.invalidateQueries({ queryKey: ['interaction'] })
      void client.invalidateQueries({ queryKey: ['run'] })
    },
  })
}

/** The whole of a payload that an event only refers to: JSON, whatever the type of the file says. */
export function useStored(id: string, enabled: boolean) {
  return useQuery({
    queryKey: ['file', id],
    queryFn: () => send<unknown>('GET', `/api/files/${id}`),
    enabled: enabled,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The problems that a refused start names. */
export function problemsIn(error: ApiError): readonly Problem[] {
  const { problems } = (error.detail ?? {}) as { problems?: unknown }
  return Array.isArray(problems) ? (problems as Problem[]) : []
}
