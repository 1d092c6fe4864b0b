/** The rack, wired to the canvas: what is clicked is inserted, what is dragged out is shown under the pointer. */
import { useController } from '@/canvas/CanvasProvider'
import { GhostLayer, useLift } from '@/canvas/drag/lift'
import { useCanvas } from '@/canvas/state'
import { Rack } from '@/palette/Rack'

export interface RackPanelProps {
  readonly readOnly: boolean
  /** It lies over the canvas: a tap puts a node there and shows it. */
  readonly drawer: boolean
  readonly onHide: () => void
}

export function RackPanel({ readOnly, drawer, onHide }: RackPanelProps) {
  const controller = useController()
  const lifted = useCanvas((state) => state.ghost?.template.title)
  const lift = useLift()
  return (
    <>
      <Rack
        onInsert={(template) => {
          controller.insert(template)
          if (drawer) onHide()
        }}
        onLift={lift}
        lifted={lifted}
        onHide={onHide}
        readOnly={readOnly}
        drawer={drawer}
      />
      <GhostLayer />
    </>
  )
}
