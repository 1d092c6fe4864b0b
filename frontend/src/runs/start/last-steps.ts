/** The steps of the run that is shown which belong together: those of the round in which a node ran last. */

import { nodesById } from '@/graph/lookup'
import type { Graph } from '@/graph/types'
import type { Step } from '@/live/fold'
import type { RunView } from '@/live/run-store'

export type Path = Step['path']

/** Whether a path is a round within the other, or the same one. */
function isWithin(path: Path, outer: Path): boolean {
  return (
    path.length >= outer.length &&
    outer.every((frame, depth) => path[depth]?.node === frame.node && path[depth]?.index === frame.index)
  )
}

const own = (view: RunView | null, node: string): readonly Step[] =>
  view?.steps(node).filter((step) => step.parent === null) ?? []

/** Where and when a node ran last. */
export interface LastStep {
  readonly path: Path
  readonly startedAt: number
}

/** The last step of a node; where it never ran, that of its neighbours or of the container around it. */
export function lastStep(graph: Graph, id: string, view: RunView | null): LastStep {
  const last = own(view, id).at(-1)
  if (last) return last
  const parent = nodesById(graph).get(id)?.parent
  if (!parent) return { path: [], startedAt: 0 }
  const beside = graph.nodes.filter((node) => node.parent === parent)
  const steps = beside.flatMap((node) => own(view, node.id)).sort((a, b) => a.startedAt - b.startedAt)
  return steps.at(-1) ?? lastStep(graph, parent, view)
}

/** The step of a node in the round at `path` or in one around it; where there is none, its last one. */
export function stepIn(view: RunView | null, node: string, path: Path): Step | undefined {
  const steps = own(view, node)
  return steps.findLast((step) => isWithin(path, step.path)) ?? steps.at(-1)
}

/** The steps of a node in rounds within `path`. */
export function stepsWithin(view: RunView | null, node: string, path: Path): readonly Step[] {
  return own(view, node).filter((step) => isWithin(step.path, path))
}
