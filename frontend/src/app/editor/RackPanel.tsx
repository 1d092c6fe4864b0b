/** The rack, wired to the canvas: what is clicked is inserted, what is dragged out is shown under the pointer. */
import { useController } from '@/canvas/CanvasProvider'
import { GhostLayer, useLift } from '@/canvas/lift'
import { useCanvas } from '@/canvas/state'
import { Rack } from '@/palette/Rack'

export function RackPanel({ readOnly, onHide }: { readOnly: boolean; onHide: () => void }) {
  const controller = useController()
  const lifted = useCanvas((state) => state.ghost?.template.title)
  const lift = useLift()
  return (
    <>
      <Rack
        onInsert={(template) => controller.insert(template)}
        onLift={lift}
        lifted={lifted}
        onHide={onHide}
        readOnly={readOnly}
      />
      <GhostLayer />
    </>
  )
}
