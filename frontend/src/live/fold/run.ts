/** Events of the run as a whole: FLOW_* without a node. */

import type { DataOf, RunEvent, RunState, Waiting } from '@/api/run-types'
import type { Draft, Mutable } from './draft'
import { errorOf, number, object, text } from './read'
import type { Origin, RunFold } from './state'

export function applyToRun(draft: Draft, event: RunEvent, ts: number): void {
  const { state } = draft
  const { data } = event
  switch (event.type) {
    case 'FLOW_QUEUED':
      state.queuedAt = ts
      state.origin = originOf(data)
      return
    case 'FLOW_START':
      state.state = 'RUNNING'
      state.startedAt ??= ts
      state.waiting = []
      endRunWait(state, ts) // it was restored before it began
      begin(state, data)
      return
    case 'FLOW_STOP': {
      const waiting = waitingOf(data)
      state.state = waiting.some((wait) => wait.kind === 'pause') ? 'PAUSED' : 'WAITING'
      state.waiting = waiting
      state.waits = [...state.waits, { from: ts, to: null, waiting }]
      return
    }
    case 'FLOW_RESUME':
      state.state = 'RUNNING'
      state.waiting = []
      endRunWait(state, ts)
      return
    case 'FLOW_SUCCESS':
      state.outputs = outputsOf(data)
      endRun(draft, 'SUCCESS', ts)
      return
    case 'FLOW_FAILED':
      state.error = errorOf(data)
      endRun(draft, 'ERROR', ts)
      return
    case 'FLOW_CANCEL':
      state.cancelledBy = whoOf(data)
      endRun(draft, 'CANCELLED', ts)
      return
  }
}

function begin(state: Mutable<RunFold>, data: DataOf<'FLOW_START'>): void {
  state.inputs = data.inputs ?? null
  state.serversOff = namesOf(data.servers_off)
  state.version = number(data.version)
}

function waitingOf(data: DataOf<'FLOW_STOP'>): readonly Waiting[] {
  return Array.isArray(data.waiting) ? data.waiting : []
}

function outputsOf(data: DataOf<'FLOW_SUCCESS'>): unknown {
  return data.outputs ?? {}
}

function whoOf(data: DataOf<'FLOW_CANCEL'>): string | null {
  return text(data.by)
}

function originOf(data: DataOf<'FLOW_QUEUED'>): Origin | null {
  const run = text(data.origin_run)
  if (run === null) return null
  return {
    run,
    step: text(data.origin_step),
    node: text(data.origin_node),
    copied: number(data.copied_seq) ?? 0,
  }
}

function endRunWait(state: Mutable<RunFold>, ts: number): void {
  const last = state.waits.at(-1)
  if (last && last.to === null) state.waits = [...state.waits.slice(0, -1), { ...last, to: ts }]
}

function endRun(draft: Draft, end: RunState, ts: number): void {
  draft.state.state = end
  draft.state.endedAt = ts
  draft.state.waiting = []
  endRunWait(draft.state, ts)
  for (const question of [...draft.state.questions.values()]) {
    if (question.state !== 'open') continue
    draft.question(question.id, { state: 'cancelled', closedAt: ts })
    draft.touched.add(question.node)
  }
}

/** Servers that whoever started the run switched off for models, by name. */
function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map((entry) => text(object(entry).name) ?? '').filter(Boolean) : []
}
