/** Which step of a run is opened beside the list. */
import type { RunFold, Step } from '@/live/fold'

/** The step that a row of the waterfall is of. */
export function stepOfRow(row: string): string {
  return row.split('/')[0] ?? ''
}

/** The step that is opened for a step: a planner's step stands in its plan. */
export function outermost(fold: RunFold, id: string): Step | undefined {
  let step = fold.steps.get(id)
  while (step && step.parent !== null) step = fold.steps.get(step.parent)
  return step
}

/**
 * The row to show: the one clicked, else the newest step of the selected node, else what needs a look most, else what
 * was said last.
 */
export function rowShown(fold: RunFold, clicked: string | null, selectedNode: string | null): string | null {
  if (clicked !== null) {
    const step = fold.steps.get(stepOfRow(clicked))
    if (step && (selectedNode === null || step.node === selectedNode)) return clicked
  }
  if (selectedNode !== null)
    return fold.byNode.get(selectedNode)?.findLast((id) => fold.steps.get(id)?.parent === null) ?? null
  let best: { id: string; rank: number } | null = null
  for (const step of fold.steps.values()) {
    // a planner plans around a step of its that failed
    const failed = step.state === 'ERROR' && step.parent === null
    const rank = step.interaction !== null ? 3 : failed ? 2 : step.endedAt === null ? 1 : 0
    if (rank > 0 && rank >= (best?.rank ?? 0)) best = { id: step.id, rank }
  }
  if (best !== null) return best.id
  return [...fold.steps.values()].findLast((step) => step.llmCalls.length > 0)?.id ?? null
}
