/** Triggers and their deliveries over HTTP, as TanStack Query has them. Keys begin with `trigger`, as the hints do. */
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from './client'
import type { Run } from './run-types'
import type { components } from './schema'

type Schemas = components['schemas']
export type Trigger = Schemas['Trigger']
export type NewTrigger = Schemas['NewTrigger']
export type TriggerKind = Schemas['TriggerKindEnum']
export type Delivery = Schemas['Delivery']
export type PageTalk = Schemas['PageTalk']
export type DeliveryOutcome = Schemas['DeliveryOutcomeEnum']

/** The settings of a trigger by name; which there are depends on its kind. */
export type TriggerConfig = { readonly [setting: string]: unknown }

interface Page<Row> {
  readonly results: Row[]
  readonly next: string | null
}

/** Of one workflow, or with an empty name those of the whole team; newest first, page by page. */
export const triggersQuery = (workflow: string) =>
  infiniteQueryOptions({
    queryKey: ['trigger', 'list', workflow],
    queryFn: ({ pageParam }): Promise<Page<Trigger>> => {
      const query = pageParam ? { cursor: pageParam } : {}
      return workflow
        ? api.get('/api/workflows/{workflow}/triggers', { params: { path: { workflow }, query } })
        : api.get('/api/triggers', { params: { query } })
    },
    initialPageParam: '',
    getNextPageParam: (page: Page<Trigger>) => page.next,
  })

export const triggerQuery = (key: string) =>
  queryOptions({
    queryKey: ['trigger', 'one', key],
    queryFn: (): Promise<Trigger> => api.get('/api/triggers/{key}', { params: { path: { key } } }),
  })

/** Those of a workflow that are tried with what came in; a chat is tried by writing in it. */
export const triesQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['trigger', 'tries', workflow],
    queryFn: async (): Promise<readonly Trigger[]> => {
      const params = { path: { workflow }, query: { limit: 200 } }
      const { results } = await api.get('/api/workflows/{workflow}/triggers', { params })
      return results.filter(({ kind }) => kind !== 'chat')
    },
  })

/** The last fifty. */
export const deliveriesQuery = (key: string) =>
  queryOptions({
    queryKey: ['trigger', 'deliveries', key],
    queryFn: async (): Promise<readonly Delivery[]> =>
      (await api.get('/api/triggers/{key}/deliveries', { params: { path: { key }, query: { limit: 50 } } }))
        .results,
  })

/** All of a trigger's deliveries as a file. */
export const deliveriesFile = (key: string): string =>
  `/api/triggers/${encodeURIComponent(key)}/deliveries/export`

/** The last fifty conversations on a page, without what was said in them. */
export const talksQuery = (key: string) =>
  queryOptions({
    queryKey: ['trigger', 'talks', key],
    queryFn: async (): Promise<readonly PageTalk[]> =>
      (
        await api.get('/api/triggers/{key}/conversations', {
          params: { path: { key }, query: { limit: 50 } },
        })
      ).results,
  })

/** A mutation after which all that is shown of triggers is asked for again. */
function useTriggerMutation<Given, Answer>(mutationFn: (input: Given) => Promise<Answer>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSuccess: () => void client.invalidateQueries({ queryKey: ['trigger'] }),
  })
}

export interface TriggerCreation {
  readonly workflow: string
  readonly kind: TriggerKind
  readonly name: string
  readonly enabled: boolean
  readonly config: TriggerConfig
}

export const useCreateTrigger = () =>
  useTriggerMutation(
    ({ workflow, ...body }: TriggerCreation): Promise<NewTrigger> =>
      api.post('/api/workflows/{workflow}/triggers', { params: { path: { workflow } }, body }),
  )

export interface TriggerChange {
  readonly name?: string
  readonly enabled?: boolean
  readonly config?: TriggerConfig
}

export const useChangeTrigger = (key: string) =>
  useTriggerMutation(
    (body: TriggerChange): Promise<Trigger> =>
      api.patch('/api/triggers/{key}', { params: { path: { key } }, body }),
  )

export const useDeleteTrigger = (key: string) =>
  useTriggerMutation((_: undefined) => api.delete('/api/triggers/{key}', { params: { path: { key } } }))

/** A new address; the one before ends at once. */
export const useRotateTrigger = (key: string) =>
  useTriggerMutation(
    (_: undefined): Promise<NewTrigger> =>
      api.post('/api/triggers/{key}/rotate', { params: { path: { key } } }),
  )

/** What to try with: an earlier delivery, a request of one's own, or with neither a sample. */
export interface Attempt {
  readonly delivery?: string
  readonly request?: { [name: string]: unknown }
}

/** A run of the draft. */
export const useTryTrigger = (key: string) =>
  useTriggerMutation(
    (body: Attempt): Promise<Run> =>
      api.post('/api/triggers/{key}/test', { params: { path: { key } }, body }),
  )

/** The published version again, with what came then. */
export const useReplay = (key: string) =>
  useTriggerMutation(
    (delivery: string): Promise<Run> =>
      api.post('/api/triggers/{key}/deliveries/{delivery}/replay', { params: { path: { key, delivery } } }),
  )
