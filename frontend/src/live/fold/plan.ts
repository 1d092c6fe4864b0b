/** A planner's own flow: FLOW_* events that carry its node. They end nothing but the plan. */

import type { DataOf, RunEvent } from '@/api/run-types'
import type { DraftStep } from './draft'
import { errorOf, riskOf, text } from './read'
import type { Plan } from './state'

const ENDS: Readonly<Record<string, Plan['state']>> = {
  FLOW_SUCCESS: 'SUCCESS',
  FLOW_FAILED: 'ERROR',
  FLOW_CANCEL: 'CANCELLED',
}

export function applyPlan(step: DraftStep, { type, data }: RunEvent, ts: number): void {
  if (type === 'FLOW_START') {
    step.plan = begun(data, ts)
    return
  }
  const state = ENDS[type]
  if (!state || !step.plan) return
  step.plan = { ...step.plan, state, to: ts, error: type === 'FLOW_FAILED' ? errorOf(data) : null }
}

function begun(data: DataOf<'FLOW_START'>, ts: number): Plan {
  return {
    name: text(data.name) ?? '',
    risk: riskOf(data.risk),
    reason: text(data.reason) ?? '',
    state: 'RUNNING',
    error: null,
    from: ts,
    to: null,
  }
}
