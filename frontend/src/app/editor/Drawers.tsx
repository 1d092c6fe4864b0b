/** Where there is no room beside the canvas, palette and inspector lie over it, one at a time, behind two buttons. */
import { PanelLeft } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import { useCanvas } from '@/canvas/state'
import { useGraph } from '@/graph/context'
import { nodesById } from '@/graph/lookup'
import { titleOf } from '@/graph/nodes/describe'
import { nodeIcon } from '@/graph/nodes/icons'
import { useT } from '@/i18n'
import { Button, IconButton } from '@/ui'

export type Drawer = 'palette' | 'inspector'

/** Which drawer is open. What is dragged out of it goes onto the canvas, and the drawer goes with it. */
export function useDrawer(narrow: boolean) {
  const controller = useController()
  const [open, setOpen] = useState<Drawer | null>(null)
  const dragging = useCanvas((state) => state.ghost !== null)
  const [dragged, setDragged] = useState(false)
  useEffect(() => {
    if (dragging) setDragged(true)
    else if (dragged) {
      setDragged(false)
      setOpen(null)
    }
  }, [dragging, dragged])
  const close = useCallback(() => {
    setOpen(null)
    controller.view.focusCanvas()
  }, [controller])
  const show = useCallback((drawer: Drawer) => setOpen(drawer), [])
  const toggle = useCallback((drawer: Drawer) => (open === drawer ? close() : setOpen(drawer)), [open, close])
  useEffect(() => {
    if (!narrow || open === null) return
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      event.preventDefault()
      close()
    }
    window.addEventListener('keydown', key)
    return () => window.removeEventListener('keydown', key)
  }, [narrow, open, close])
  return { open, show, close, toggle }
}

/** The page behind an open drawer: a press closes it. */
export function Scrim({ onClose }: { onClose: () => void }) {
  const dragging = useCanvas((state) => state.ghost !== null)
  return <div className="editor-scrim" hidden={dragging} aria-hidden onPointerDown={onClose} />
}

export function DrawerButtons({
  selected,
  anything,
  readOnly,
  onPalette,
  onInspector,
}: {
  readonly selected: string | null
  /** Whether anything is selected that the inspector shows. */
  readonly anything: boolean
  readonly readOnly: boolean
  readonly onPalette: () => void
  readonly onInspector: () => void
}) {
  const t = useT()
  const node = useGraph((state) => (selected === null ? undefined : nodesById(state.graph).get(selected)))
  const types = useGraph((state) => state.types)
  const Icon = node ? nodeIcon(node) : null
  return (
    <>
      {readOnly ? null : (
        <span className="editor-show-palette">
          <span className="phone:hidden">
            <Button size="large" icon={<PanelLeft aria-hidden />} keys="[" onClick={onPalette}>
              {t('palette.tools')}
            </Button>
          </span>
          <span className="hidden phone:block">
            <IconButton variant="plain" label={t('palette.show')} onClick={onPalette}>
              <PanelLeft />
            </IconButton>
          </span>
        </span>
      )}
      {anything ? (
        <span className="editor-show-node">
          <Button size="large" icon={Icon ? <Icon aria-hidden /> : undefined} keys="]" onClick={onInspector}>
            <span className="truncate">{node ? titleOf(node, types) : t('editor.inspector')}</span>
          </Button>
        </span>
      ) : null}
    </>
  )
}
