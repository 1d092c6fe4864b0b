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
import { ApiError, send } from './client'
import type { Answer, Interaction, InteractionState, Page, Run, RunEvent, RunState } from './run-types'

function query(params: Readonly<Record<string, string | number | null | undefined>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== '') search.set(name, String(value))
  }
  const text = search.toString()
  return text ? `?${text}` : ''
}

/** The events of a run that follow on `after`: one page, in order. */
export async function fetchEvents(run: string, after: number): Promise<readonly RunEvent[]> {
  const page = await send<{ results: readonly RunEvent[] }>(
    'GET',
    `/api/runs/${run}/events${query({ after, limit: 1000 })}`,
  )
  return page.results
}

export interface RunFilter {
  readonly state?: RunState
  readonly workflow?: string
}

/** Newest first, page by page. */
export const runsQuery = (filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: ['run', 'list', filter],
    queryFn: ({ pageParam }) =>
      send<Page<Run>>(
        'GET',
        `/api/runs${query({ state: filter.state, workflow: filter.workflow, cursor: pageParam })}`,
      ),
    initialPageParam: '',
    getNextPageParam: (page: Page<Run>) => page.next,
  })

export const runQuery = (id: string) =>
  queryOptions({ queryKey: ['run', 'one', id], queryFn: () => send<Run>('GET', `/api/runs/${id}`) })

/** The newest run of a workflow, for the dock's strip. */
export const lastRunQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['run', 'last', workflow],
    queryFn: async () =>
      (await send<Page<Run>>('GET', `/api/runs${query({ workflow, limit: 1 })}`)).results[0] ?? null,
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
  readonly inputs: Readonly<Record<string, unknown>>
  readonly version?: number | 'draft'
  readonly revision?: number
}

/** Start a run; a doubled click or a repeated request starts one run only. */
export function useStartRun() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ workflow, ...body }: StartRun) =>
      send<Run>('POST', `/api/workflows/${workflow}/runs`, body),
    onSuccess: (run) => {
      client.setQueryData(runQuery(run.id).queryKey, (known: Run | undefined) => ({ ...known, ...run }))
      void client.invalidateQueries({ queryKey: ['run'] })
    },
  })
}

/** Cancel, pause or resume a run. */
export function useRunControl(run: string) {
  return useMutation({
    mutationFn: (what: 'cancel' | 'pause' | 'resume') => send<Run>('POST', `/api/runs/${run}/${what}`),
  })
}

export interface InteractionFilter {
  readonly state?: InteractionState
  readonly run?: string
}

export const interactionsQuery = (filter: InteractionFilter) =>
  infiniteQueryOptions({
    queryKey: ['interaction', 'list', filter],
    queryFn: ({ pageParam }) =>
      send<Page<Interaction>>('GET', `/api/interactions${query({ ...filter, cursor: pageParam })}`),
    initialPageParam: '',
    getNextPageParam: (page: Page<Interaction>) => page.next,
  })

const flat = <T>(data: InfiniteData<Page<T>> | undefined): readonly T[] =>
  data?.pages.flatMap((page) => page.results) ?? []

export function useInteractions(filter: InteractionFilter, enabled = true) {
  const found = useInfiniteQuery({ ...interactionsQuery(filter), enabled })
  return { ...found, interactions: flat(found.data) }
}

/** How many questions wait for someone in the team; for the badge of the rail. */
export function useOpenInteractionCount(): number {
  return useInteractions({ state: 'open' }).interactions.length
}

export const flatten = flat

/** Answer a question. A refusal because somebody was faster brings the answer that counted. */
export function useAnswer() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...answer }: Answer & { readonly id: string }) =>
      send<Interaction>('POST', `/api/interactions/${id}/answer`, answer),
    onSettled: (_answered, error) => {
      if (error instanceof ApiError && error.status === 400) return // it is still open, nothing changed
      void client.invalidateQueries({ queryKey: ['interaction'] })
      void client.invalidateQueries({ queryKey: ['run'] })
    },
  })
}

/** The whole of a payload that an event only refers to. */
export function useStored(id: string, wanted: boolean) {
  return useQuery({
    queryKey: ['file', id],
    queryFn: () => send<unknown>('GET', `/api/files/${id}`),
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
