/** Runs that a restore paused: which they are, what each may have written since the backup, and letting them go on. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { send } from './client'
import type { Run } from './run-types'

/** A place of a run that may have written after the backup. `began` = the call was under way then. */
export interface PossibleWrite {
  readonly run: string
  /** The name of the workflow in which it is, where that is another run's. */
  readonly workflow: string
  readonly node: string
  readonly title: string
  readonly server: string | null
  /** Empty = any tool of the server. */
  readonly tools: readonly string[]
  readonly how: 'began' | 'ahead'
  readonly arguments: unknown
  readonly at: string | null
}

export interface RestoredRun {
  readonly run: string
  readonly workflow: string
  readonly workflow_name: string
  readonly started_by: string | null
  readonly queued_at: string
  readonly restored_from: string | null
  /** Somebody had paused it before: it goes on only when it is named. */
  readonly was_paused: boolean
  readonly writes: readonly PossibleWrite[]
  readonly writes_total: number
}

export interface RestoredRuns {
  readonly results: readonly RestoredRun[]
  readonly total: number
}

/** The backup that a run was restored from and has not gone on since; null for any other run. */
export function restoredFrom(run: Pick<Run, 'waiting'>): string | null {
  return run.waiting.find((wait) => wait.restored_from)?.restored_from ?? null
}

/** One restored run, or all of the team's. */
export function useRestored(run: string | null) {
  return useQuery({
    queryKey: ['run', 'restored', run ?? 'all'],
    queryFn: async (): Promise<RestoredRuns> =>
      run === null
        ? send<RestoredRuns>('GET', '/api/restored-runs?limit=200')
        : { results: [await send<RestoredRun>('GET', `/api/runs/${run}/restored`)], total: 1 },
  })
}

/** How many of the team's runs are paused since a restore. */
export function useRestoredCount() {
  return useQuery({
    queryKey: ['run', 'restored', 'count'],
    queryFn: async () => (await send<RestoredRuns>('GET', '/api/restored-runs?limit=0')).total,
  })
}

/** Let one restored run go on, or (null) all that nobody had paused. */
export function useResumeRestored() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (run: string | null): Promise<unknown> =>
      run === null
        ? send('POST', '/api/restored-runs/resume', {})
        : send('POST', `/api/runs/${run}/resume`, {}),
    onSettled: () => void client.invalidateQueries({ queryKey: ['run'] }),
  })
}
