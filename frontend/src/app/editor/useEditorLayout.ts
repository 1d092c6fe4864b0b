/** Which panels of the editor are open, how wide they are, and what opens and closes them. */
import { useCallback, useState } from 'react'
import { useController } from '@/canvas/CanvasProvider'
import { useGraph } from '@/graph/context'
import { useT } from '@/i18n'
import { useDockKey, useDockOpen } from '@/runs/hooks'
import { aThirdAtLeast, useActions, useStoredFlag, useStoredSize } from '@/ui'
import { useNarrow } from '@/ui/media'
import { useDrawer } from './Drawers'

/** Sizes, px. */
export const PALETTE = { initial: 264, min: 200, max: 420 }
export const INSPECTOR = { initial: 360, min: 300, max: 640 }
export const WIDE = { initial: 1000, min: 640, max: 1600 }
export const DOCK = { initial: aThirdAtLeast(340), min: 160, max: 640 }

/** A wish for the focus: who had it then keeps it unless it is still there when the inspector stands. */
export interface FocusRequest {
  readonly from: Element | null
}

function usePanelSizes() {
  const [wide, setWide] = useStoredFlag('editor-wide', false)
  const [paletteWidth, setPaletteWidth] = useStoredSize('editor-rack', PALETTE.initial, PALETTE)
  const [narrowWidth, setNarrowWidth] = useStoredSize('editor-inspector', INSPECTOR.initial, INSPECTOR)
  const [wideWidth, setWideWidth] = useStoredSize('editor-inspector-wide', WIDE.initial, WIDE)
  const [dockHeight, setDockHeight] = useStoredSize('editor-dock', DOCK.initial, DOCK)
  const inspectorWidth = wide ? wideWidth : narrowWidth
  const setInspectorWidth = wide ? setWideWidth : setNarrowWidth
  return {
    wide,
    setWide,
    paletteWidth,
    setPaletteWidth,
    inspectorWidth,
    setInspectorWidth,
    dockHeight,
    setDockHeight,
  }
}

/** Opens and closes palette and inspector: beside the canvas, or as drawers over it where there is no room. */
function usePanels(wide: boolean) {
  const controller = useController()
  const narrow = useNarrow()
  const readOnly = useGraph((state) => state.readOnly)
  const anything = useGraph(
    ({ selection }) => selection.nodes.length + selection.edges.length + selection.annotations.length > 0,
  )
  const [paletteOpen, setPaletteOpen] = useStoredFlag('editor-rack', true)
  const [inspectorOpen, setInspectorOpen] = useStoredFlag('editor-inspector', true)
  /** Without a selection it shows the workflow, when asked for. */
  const [requested, setRequested] = useState(false)
  const [focus, setFocus] = useState<FocusRequest | null>(null)
  /** The node whose title is being asked for. */
  const [renaming, setRenaming] = useState<string | null>(null)
  const drawer = useDrawer(narrow)
  const inspecting = narrow ? drawer.open === 'inspector' : (anything && inspectorOpen) || requested
  // Side by side needs the room of the palette; it is back when the panel is narrow again.
  const paletteShown = narrow ? drawer.open === 'palette' : paletteOpen && !(wide && inspecting)

  const { show } = drawer
  const openInspector = useCallback(() => {
    setInspectorOpen(true)
    show('inspector')
    setFocus({ from: document.activeElement })
  }, [setInspectorOpen, show])
  const renameNode = useCallback(
    (node: string) => {
      setInspectorOpen(true)
      show('inspector')
      setRenaming(node)
    },
    [setInspectorOpen, show],
  )
  const closeInspector = () => {
    if (narrow) drawer.close()
    else setInspectorOpen(false)
    setRequested(false)
    controller.view.focusCanvas()
  }
  const togglePalette = () => (narrow ? drawer.toggle('palette') : setPaletteOpen(!paletteOpen))
  const toggleInspector = () => {
    if (narrow) return drawer.toggle('inspector')
    setRequested(!anything && !requested)
    setInspectorOpen(anything ? !inspectorOpen : true)
  }
  const showPalette = () => (narrow ? drawer.show('palette') : setPaletteOpen(true))
  const hidePalette = () => (narrow ? drawer.close() : setPaletteOpen(false))
  return {
    narrow,
    readOnly,
    anything,
    drawer,
    inspecting,
    focus,
    /** The wish for the focus is met, or came too late: it is not asked for again. */
    focusDone: () => setFocus(null),
    paletteShown: !readOnly && paletteShown,
    renaming,
    renamed: () => setRenaming(null),
    renameNode,
    openInspector,
    closeInspector,
    togglePalette,
    toggleInspector,
    showPalette,
    hidePalette,
  }
}

export function useEditorLayout() {
  const t = useT()
  const sizes = usePanelSizes()
  const panels = usePanels(sizes.wide)
  const dockOpen = useDockOpen()
  const group = t('editor.group')
  useDockKey()
  useActions([
    { id: 'editor.left', title: t('editor.toggle_left'), group, keys: '[', run: panels.togglePalette },
    { id: 'editor.right', title: t('editor.toggle_right'), group, keys: ']', run: panels.toggleInspector },
  ])
  const beside = panels.paletteShown ? sizes.paletteWidth + 200 : 120
  const style = {
    '--palette-width': `${sizes.paletteWidth}px`,
    '--inspector-width': panels.narrow
      ? `${sizes.inspectorWidth}px`
      : `min(${sizes.inspectorWidth}px, calc(100vw - ${beside}px))`,
    '--dock-height': `${sizes.dockHeight}px`,
  } as React.CSSProperties
  return { ...sizes, ...panels, dockOpen, style }
}

export type EditorLayout = ReturnType<typeof useEditorLayout>
