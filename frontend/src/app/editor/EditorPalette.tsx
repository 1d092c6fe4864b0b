/** The palette panel, wired to the canvas: what is clicked is inserted, what is dragged out is shown under the pointer. */
import { useController } from '@/canvas/CanvasProvider'
import { GhostLayer, useLift } from '@/canvas/drag/lift'
import { useCanvas } from '@/canvas/state'
import { PalettePanel } from '@/palette/PalettePanel'

export interface EditorPaletteProps {
  readonly readOnly: boolean
  /** It lies over the canvas: a tap puts a node there and shows it. */
  readonly drawer: boolean
  readonly onHide: () => void
}

export function EditorPalette({ readOnly, drawer, onHide }: EditorPaletteProps) {
  const controller = useController()
  const lifted = useCanvas((state) => state.ghost?.template.title)
  const lift = useLift()
  return (
    <>
      <PalettePanel
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
