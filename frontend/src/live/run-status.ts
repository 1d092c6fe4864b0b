/** How nodes, steps and runs look: one word for one colour and one icon. */

import { type RunState, TERMINAL } from '@/api/run-types'
import type { RunFold, Step } from './fold'

/** How a node, step or run looks: one word, one colour, one icon. */
export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'retrying'
  | 'person'
  /** Of the program that started the run, whose tool was called. */
  | 'client'
  | 'paused'
  | 'succeeded'
  | 'failed'
  | 'skipped'
  | 'cancelled'

/** How a step looks. Where the whole run stands still, a step that "works" is parked. */
export function statusOfStep(step: Step, run: Pick<RunFold, 'state'>): RunStatus {
  switch (step.state) {
    case 'SUCCESS':
      return 'succeeded'
    case 'ERROR':
      return 'failed'
    case 'SKIPPED':
      return 'skipped'
    case 'CANCELLED':
      return 'cancelled'
    case 'WAITING':
    case 'PARAM':
      return TERMINAL.has(run.state) ? 'cancelled' : asksClient(step) ? 'client' : 'person'
  }
  if (TERMINAL.has(run.state)) return 'cancelled'
  if (step.waits.at(-1)?.to === null && step.waits.at(-1)?.kind === 'retry') return 'retrying'
  if (run.state === 'PAUSED') return 'paused'
  return run.state === 'WAITING' ? 'waiting' : 'running'
}

/** Whether all that a step waits for is calls of tools that its run's client declared. */
function asksClient(step: Step): boolean {
  const open = step.waits.filter((wait) => wait.to === null)
  return open.length > 0 && open.every((wait) => wait.kind === 'client')
}

/** A run as lists of something else tell of it. */
export interface StandingRun {
  readonly state: RunState
  readonly waits_for_person: boolean
  readonly waits_for_client: boolean
}

/** How such a run looks. */
export const statusOfStanding = (run: StandingRun): RunStatus =>
  statusOfRun(run.state, run.waits_for_person, run.waits_for_client)

/** How a run looks, by its state and whether it waits for a person, or else for the program that started it. */
export function statusOfRun(state: RunState, needsPerson: boolean, needsClient: boolean): RunStatus {
  switch (state) {
    case 'QUEUED':
      return 'queued'
    case 'RUNNING':
      return 'running'
    case 'WAITING':
      return needsPerson ? 'person' : needsClient ? 'client' : 'waiting'
    case 'PAUSED':
      return 'paused'
    case 'SUCCESS':
      return 'succeeded'
    case 'ERROR':
      return 'failed'
    case 'CANCELLED':
      return 'cancelled'
  }
}
