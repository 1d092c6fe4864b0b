/** Lets the view follow the run that is shown around it. */
import { useStoreApi } from '@xyflow/react'
import { useEffect } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import { useRunView } from '@/live/run-store'
import { follow } from './follow'

export function Follow() {
  const flow = useStoreApi()
  const controller = useController()
  const run = useRunView()
  useEffect(() => {
    if (!run) return
    const view = (moved: () => void, resized: () => void) =>
      flow.subscribe((state, before) => {
        if (state.width !== before.width || state.height !== before.height) resized()
        else if (state.transform !== before.transform) moved()
      })
    return follow(controller, run, view)
  }, [flow, controller, run])
  return null
}
