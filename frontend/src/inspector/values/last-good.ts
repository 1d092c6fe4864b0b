/** What a node gave when it last worked, for as long as the editor is open: it stands below an error. */
import { isRef } from '@/api/run-types'
import { isRecord } from '@/forms'
import { useGraphStore } from '@/graph/context'
import type { GraphStore } from '@/graph/store'
import { useRunInfo, useStepValues } from '@/live/run-store'

export interface Good {
  readonly output: Readonly<Record<string, unknown>>
  /** When its run began. */
  readonly at: number | null
}

const kept = new WeakMap<GraphStore, Map<string, Good>>()

/** The last output of a node without an error, in this or in an earlier run that was shown; null where none was. */
export function useLastGood(node: string): Good | null {
  const store = useGraphStore()
  const values = useStepValues(node)
  const at = useRunInfo()?.startedAt ?? null
  const known = kept.get(store) ?? new Map<string, Good>()
  kept.set(store, known)
  if (values && !values.error && isRecord(values.output) && !isRef(values.output))
    known.set(node, { output: values.output, at })
  return known.get(node) ?? null
}
