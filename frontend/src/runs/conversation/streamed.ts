/** Text as it streams: redrawn with every picture, whoever else waits for the slower fold. */

import { useSyncExternalStore } from 'react'
import type { LlmCall, Step } from '@/live/fold'
import { useRunView } from '@/live/run-store'

const noListener = () => () => {}

/** The text of a round (or of a step outside of its rounds) as far as it is known this moment. */
export function useStreamed(step: Step, call: LlmCall | null, channel: 'text' | 'reasoning'): string {
  const view = useRunView()
  return useSyncExternalStore(view?.subscribe ?? noListener, () => {
    const stored = call ? call[channel] : step[channel]
    if (!view || (call ? call.to !== null : step.endedAt !== null)) return stored
    // The step that was given may be a moment older than what is known.
    const now = view.state.steps.get(step.id) ?? step
    const same =
      call &&
      now.llmCalls.findLast((llmCall) => llmCall.call === call.call && llmCall.attempt === call.attempt)
    return view.textOf(now, same ?? null, channel)
  })
}
