/** Versions and kept drafts of a workflow over HTTP: read to be compared, published again. */
import { queryOptions } from '@tanstack/react-query'
import { send } from './client'
import type { Run } from './run-types'
import type { DraftInfo, Version } from './workflows'

/** A draft that is kept; the present one is the first of the list. */
export interface Revision extends DraftInfo {
  readonly current: boolean
}

const place = (id: string): string => `/api/workflows/${encodeURIComponent(id)}`

/** The present draft and the last 50 before it, newest first. */
export const revisionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['draft', id],
    staleTime: 0,
    queryFn: async () => (await send<{ results: readonly Revision[] }>('GET', `${place(id)}/drafts`)).results,
  })

export const fetchRevision = (id: string, revision: number): Promise<Revision & { graph: unknown }> =>
  send('GET', `${place(id)}/drafts/${revision}`)

export const fetchVersion = (id: string, version: number): Promise<Version & { graph: unknown }> =>
  send('GET', `${place(id)}/versions/${version}`)

/** A run with the document it went over. */
export const fetchRun = (id: string): Promise<Run> => send('GET', `/api/runs/${encodeURIComponent(id)}`)

/** Publish an earlier version again, as it stands. */
export const publishVersion = (id: string, version: number): Promise<Version> =>
  send<Version>('POST', `${place(id)}/publish`, { version })

/** Whether publishing demands that the saved tests pass. */
export const demandTests = (id: string, tests_required: boolean): Promise<unknown> =>
  send('PATCH', place(id), { tests_required })
