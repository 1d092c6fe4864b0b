/** The editor: palette, canvas, inspector and dock around one graph, and the bar above them. */
import './editor.css'
import { PanelLeft } from 'lucide-react'
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useMay } from '@/api/queries'
import { useAnswer } from '@/api/runs'
import { type CanvasActions, CanvasActionsContext } from '@/canvas/actions-context'
import { Canvas } from '@/canvas/Canvas'
import { CanvasProvider, useController } from '@/canvas/CanvasProvider'
import { ConnectMenu, FindBox } from '@/canvas/menus/boxes'
import { useCanvas, useCanvasStore } from '@/canvas/state'
import { useCanvasKeys } from '@/canvas/useCanvasKeys'
import { useGraph, useGraphStore } from '@/graph/context'
import { loadRest, useT } from '@/i18n'
import { RunProvider, RunViewProvider, useRunInfo, useRunView } from '@/live/run-store'
import type { DockTab } from '@/runs/dock/RunDock'
import { setDockOpen, useDockOpen, useShownRun } from '@/runs/hooks'
import type { forkEntries } from '@/runs/rerun/menu'
import type { RunHandle } from '@/runs/start/RunForm'
import { Callout, IconButton, Splitter, useActions, useStoredFlag, useStoredSize, visible } from '@/ui'
import { later, useSettled, whenSettled } from '@/ui/first-paint'
import { useNarrow, usePhone } from '@/ui/media'
import { useNodeInAddress } from './address'
import { DrawerButtons, Scrim, useDrawer } from './Drawers'
import { EditorBar, type EditorProps, useActiveRun } from './EditorBar'
import { useNodeActions } from './node-actions'

const QuickAdd = later(async () => (await import('@/palette/QuickAdd')).QuickAdd)
const EditorPalette = later(async () => {
  await whenSettled()
  return (await import('./EditorPalette')).EditorPalette
})
const DraftNotices = later(async () => {
  const [file] = await Promise.all([import('./draft/DraftNotices'), loadRest()])
  return file.DraftNotices
})
const Inspector = later(async () => {
  const [file] = await Promise.all([import('@/inspector/Inspector'), loadRest()])
  return file.Inspector
})
/** What a run did is looked at after what runs. */
const RunDock = later(async () => {
  await whenSettled()
  const [file] = await Promise.all([import('@/runs/dock/RunDock'), loadRest()])
  return file.RunDock
})

const PALETTE = { initial: 264, min: 200, max: 420 }
const INSPECTOR = { initial: 360, min: 300, max: 640 }
const WIDE = { initial: 1000, min: 640, max: 1600 }
const DOCK = { initial: 340, min: 160, max: 640 }

export function Editor(props: EditorProps) {
  const [run, show] = useShownRun(props.workflow.id)
  const settled = useSettled()
  return (
    <RunProvider run={settled ? run : null}>
      <CanvasProvider>
        <EditorScreen {...props} onRun={show} />
      </CanvasProvider>
    </RunProvider>
  )
}

/** What a card's menu offers about the run; fetched when the page has nothing better to do. */
function useForkEntries(): typeof forkEntries | null {
  const [made, setMade] = useState<typeof forkEntries | null>(null)
  useEffect(() => {
    whenSettled()
      .then(() => import('@/runs/rerun/menu'))
      .then((file) => setMade(() => file.forkEntries))
      .catch(() => {}) // the head of each step offers it too
  }, [])
  return made
}

/** Cards show a run while it goes on, and afterwards until the graph is edited. */
function useRunOnCards(workflow: string): boolean {
  const info = useRunInfo()
  const active = useActiveRun(workflow)
  const edits = useGraph((state) => state.edits)
  const [seen, setSeen] = useState<{ run: string; edits: number } | null>(null)
  const run = info?.run ?? null
  useEffect(() => {
    if (active && run) setSeen({ run, edits })
  }, [active, run, edits])
  return active || (seen !== null && seen.run === run && seen.edits === edits)
}

function EditorScreen(props: EditorProps & { onRun: (run: string) => void }) {
  const { workflow, saver, version } = props
  const t = useT()
  const store = useGraphStore()
  const controller = useController()
  const canvas = useCanvasStore()
  const settled = useSettled()
  const small = usePhone()
  const narrow = useNarrow()
  const readOnly = useGraph((state) => state.readOnly)
  const problems = useGraph((state) => state.problems)
  const selected = useGraph((state) =>
    state.selection.nodes.length === 1 ? (state.selection.nodes[0] ?? null) : null,
  )
  const missing = useNodeInAddress(controller, selected)
  const quickAdd = useCanvas((state) => state.quickAdd)
  const mayAnswer = useMay('editor')
  const answer = useAnswer()
  const view = useRunView()
  const onCards = useRunOnCards(workflow.id) || small
  const [paletteOpen, setPaletteOpen] = useStoredFlag('editor-rack', true)
  const [inspectorOpen, setInspectorOpen] = useStoredFlag('editor-inspector', true)
  const [wide, setWide] = useStoredFlag('editor-wide', false)
  const [paletteWidth, setPaletteWidth] = useStoredSize('editor-rack', PALETTE.initial, PALETTE)
  const inspectorLimits = wide ? WIDE : INSPECTOR
  const [narrowWidth, setNarrowWidth] = useStoredSize('editor-inspector', INSPECTOR.initial, INSPECTOR)
  const [wideWidth, setWideWidth] = useStoredSize('editor-inspector-wide', WIDE.initial, WIDE)
  const [dockHeight, setDockHeight] = useStoredSize('editor-dock', DOCK.initial, DOCK)
  const dockOpen = useDockOpen()
  const [tab, setTab] = useState<DockTab>('waterfall')
  const anything = useGraph(
    ({ selection }) => selection.nodes.length + selection.edges.length + selection.annotations.length > 0,
  )
  /** Without a selection it shows the workflow, when asked for. */
  const [asked, setAsked] = useState(false)
  const drawer = useDrawer(narrow)
  const inspecting = narrow ? drawer.open === 'inspector' : (anything && inspectorOpen) || asked

  const { show: showDrawer } = drawer
  const openInspector = useCallback(() => {
    setInspectorOpen(true)
    showDrawer('inspector')
    const from = document.activeElement
    const last = performance.now() + 3000
    requestAnimationFrame(function look(now) {
      const panel = document.querySelector<HTMLElement>('.editor-inspector')
      const first = panel?.querySelector<HTMLElement>(
        '[role="tabpanel"] :is(input, textarea, select, [tabindex="0"]), [role="textbox"]',
      )
      const found = first ?? panel?.querySelector<HTMLElement>('button')
      if (found) found.focus()
      // The first time its code still comes; whoever went elsewhere meanwhile is left there.
      else if (now < last && document.activeElement === from) requestAnimationFrame(look)
    })
  }, [setInspectorOpen, showDrawer])
  useCanvasKeys(openInspector)
  const runner = useRef<RunHandle>(null)
  const mayRun = useMay('editor') && saver !== null
  const runTo = useCallback((node: string) => runner.current?.runTo(node), [])
  useNodeActions(runTo, mayRun)
  useActions([
    {
      id: 'editor.left',
      title: t('editor.toggle_left'),
      group: t('editor.group'),
      keys: '[',
      run: () => (narrow ? drawer.toggle('palette') : setPaletteOpen(!paletteOpen)),
    },
    {
      id: 'editor.right',
      title: t('editor.toggle_right'),
      group: t('editor.group'),
      keys: ']',
      run: () => {
        if (narrow) return drawer.toggle('inspector')
        setAsked(!anything && !asked)
        setInspectorOpen(anything ? !inspectorOpen : true)
      },
    },
  ])

  // The panel takes room from the canvas: what was just selected must not end up below it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a wider panel takes more room
  useEffect(() => {
    if (!inspecting || narrow || selected === null) return
    return controller.scheduleEnsureVisible(selected)
  }, [inspecting, narrow, wide, selected, controller])

  const { mutateAsync } = answer
  const fork = useForkEntries()
  const actions = useMemo<CanvasActions>(
    () => ({
      approve: mayAnswer ? (id) => mutateAsync({ id, action: 'accept' }) : undefined,
      review: (node) => {
        store.getState().select({ nodes: [node] })
        setTab('waterfall')
        setDockOpen(true)
      },
      menu: (node) => (mayAnswer && view && fork ? fork(view, node, t) : []),
    }),
    [mayAnswer, mutateAsync, store, view, fork, t],
  )

  const closeQuickAdd = useCallback(() => {
    canvas.setState({ quickAdd: null })
    controller.focusCanvas()
  }, [canvas, controller])

  // Side by side needs the room of the palette panel; it is back when the panel is narrow again.
  const paletteShown =
    !readOnly && (narrow ? drawer.open === 'palette' : paletteOpen && !(wide && inspecting))
  const inspectorWidth = wide ? wideWidth : narrowWidth
  const style = {
    '--palette-width': `${paletteWidth}px`,
    '--inspector-width': narrow
      ? `${inspectorWidth}px`
      : `min(${inspectorWidth}px, calc(100vw - ${paletteShown ? paletteWidth + 200 : 120}px))`,
    '--dock-height': `${dockHeight}px`,
  } as React.CSSProperties

  return (
    <CanvasActionsContext value={actions}>
      <EditorBar
        {...props}
        runner={runner}
        onShowProblems={() => {
          setTab('problems')
          setDockOpen(true)
        }}
      />
      {missing === null ? null : (
        <div className="p-2" role="status">
          <Callout tone="waiting">{t('editor.stale_node', { node: visible(missing) })}</Callout>
        </div>
      )}
      <div className="editor" style={style} data-dock={dockOpen || small ? 'open' : 'closed'}>
        {paletteShown ? (
          <>
            <aside className="editor-palette" aria-label={t('palette.label')}>
              <Suspense fallback={null}>
                <EditorPalette
                  readOnly={readOnly}
                  drawer={narrow}
                  onHide={() => (narrow ? drawer.close() : setPaletteOpen(false))}
                />
              </Suspense>
            </aside>
            {narrow ? null : (
              <div className="editor-left">
                <Splitter
                  panel={t('palette.label')}
                  orientation="vertical"
                  size={paletteWidth}
                  onSize={setPaletteWidth}
                  {...PALETTE}
                />
              </div>
            )}
          </>
        ) : null}
        <div className="editor-canvas">
          <RunViewProvider view={onCards ? view : null}>
            <Canvas onOpen={openInspector}>
              <FindBox />
              <ConnectMenu />
              {saver && settled ? (
                <Suspense fallback={null}>
                  <DraftNotices saver={saver} workflow={workflow.id} name={workflow.name} />
                </Suspense>
              ) : null}
            </Canvas>
          </RunViewProvider>
          {narrow ? (
            <DrawerButtons
              selected={selected}
              anything={anything}
              readOnly={readOnly}
              onPalette={() => drawer.show('palette')}
              onInspector={openInspector}
            />
          ) : paletteShown || readOnly ? null : (
            <span className="editor-show-palette">
              <IconButton
                variant="plain"
                label={t('palette.show')}
                keys="["
                onClick={() => {
                  setPaletteOpen(true)
                  setWide(false)
                }}
              >
                <PanelLeft />
              </IconButton>
            </span>
          )}
        </div>
        {narrow && drawer.open ? <Scrim onClose={drawer.close} /> : null}
        {inspecting ? (
          <>
            {narrow ? null : (
              <div className="editor-right">
                <Splitter
                  panel={t('editor.inspector')}
                  orientation="vertical"
                  after
                  size={inspectorWidth}
                  onSize={wide ? setWideWidth : setNarrowWidth}
                  {...inspectorLimits}
                />
              </div>
            )}
            <div className="editor-inspector">
              <Suspense fallback={null}>
                <Inspector
                  problems={problems}
                  readOnly={readOnly}
                  wide={wide}
                  onWide={setWide}
                  onRun={mayRun ? runTo : undefined}
                  onEscape={() => controller.focusCanvas()}
                  onClose={() => {
                    if (narrow) drawer.close()
                    else setInspectorOpen(false)
                    setAsked(false)
                    controller.focusCanvas()
                  }}
                />
              </Suspense>
            </div>
          </>
        ) : null}
        {dockOpen && !small ? (
          <div className="editor-bar">
            <Splitter
              panel={t('editor.dock')}
              orientation="horizontal"
              after
              size={dockHeight}
              onSize={setDockHeight}
              {...DOCK}
            />
          </div>
        ) : null}
        <div className="editor-dock">
          <Suspense fallback={<div className="h-(--strip)" />}>
            <RunDock
              workflowId={workflow.id}
              {...(version === undefined ? { problems } : {})}
              selectedNode={selected}
              onSelectNode={(node) => controller.reveal(node)}
              tab={tab}
              onTab={setTab}
              alwaysOpen={small}
              onRun={(run) => props.onRun(run.id)}
            />
          </Suspense>
        </div>
      </div>
      <Suspense fallback={null}>
        {quickAdd ? (
          <QuickAdd
            at={quickAdd.screen}
            onClose={closeQuickAdd}
            onPick={(template) => {
              canvas.setState({ quickAdd: null })
              controller.insert(template, quickAdd)
            }}
          />
        ) : null}
      </Suspense>
    </CanvasActionsContext>
  )
}
