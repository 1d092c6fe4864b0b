/** From events to a state: each event goes to its family. */

import type { RunEvent } from '@/api/run-types'
import { applyCall } from './calls'
import { Draft } from './draft'
import { applyPlan } from './plan'
import { applyToRun } from './run'
import type { Folded, RunFold } from './state'
import { applyStep } from './step'

/**
 * The state after `events`, which must follow `base` in order. Events already folded (`seq` not above the state's) are
 * passed over, so a doubled delivery changes nothing.
 */
export function fold(base: RunFold, events: readonly RunEvent[]): Folded {
  const draft = new Draft(base)
  for (const event of events) {
    if (event.seq <= draft.state.seq) continue
    draft.state.seq = event.seq
    const ts = Date.parse(event.ts)
    draft.state.lastAt = ts
    if (event.node === null) applyToRun(draft, event, ts)
    else if (event.step) applyToStep(draft, event, event.node, event.step, ts)
  }
  return { state: draft.state, touched: draft.touched }
}

function applyToStep(draft: Draft, event: RunEvent, node: string, id: string, ts: number): void {
  const step = draft.step(event, node, id, ts)
  if (event.type.startsWith('FLOW_')) applyPlan(step, event, ts)
  else if (!applyStep(draft, step, event, ts)) applyCall(draft, step, event, ts)
}
