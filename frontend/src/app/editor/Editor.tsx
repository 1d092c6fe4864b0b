/** The editor: palette, canvas, inspector and dock around one graph, and the bar above them. */
import './editor.css'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useMay } from '@/api/queries'
import type { Run } from '@/api/run-types'
import { lastRunQuery, useAnswer } from '@/api/runs'
import { versionQuery } from '@/api/workflows'
import { type CanvasActions, CanvasActionsContext } from '@/canvas/actions-context'
import { Canvas } from '@/canvas/Canvas'
import { CanvasProvider, useController } from '@/canvas/CanvasProvider'
import { useCanvasKeys } from '@/canvas/input/useCanvasKeys'
import { ConnectMenu, FindBox } from '@/canvas/menus/boxes'
import { useCanvas, useCanvasStore } from '@/canvas/state'
import { useGraph, useGraphStore } from '@/graph/context'
import { useT } from '@/i18n'
import { RunProvider, RunViewProvider, useRunInfo, useRunView } from '@/live/run-store'
import type { DockTab } from '@/runs/dock/RunDock'
import { setDockOpen, showPastRun, useChosenRun, useForkKey, useShownRun } from '@/runs/hooks'
import type { RunHandle } from '@/runs/start/RunForm'
import { Callout, TypedAhead, visible } from '@/ui'
import { afterFirstPaint, useAfterFirstPaint } from '@/ui/first-paint'
import { usePhone } from '@/ui/media'
import { useNodeInAddress } from './address'
import { ChatSide } from './ChatSide'
import { EditorBar, type EditorProps, useActiveRun } from './EditorBar'
import { DockSplitter, DrawerScrim, InspectorSide, PaletteSide, PanelButtons } from './EditorPanels'
import { loadPanels, panel } from './load-panels'
import { type NodeActions, useNodeFunctions, useNodeKeys } from './node-actions'
import type { nodeEntries } from './node-menu'
import { type EditorLayout, useEditorLayout } from './useEditorLayout'

const QuickAdd = panel((file) => file.QuickAdd)
const DraftNotices = panel((file) => file.DraftNotices)
const RunDock = panel((file) => file.RunDock)
const NodesToFind = panel((file) => file.NodesToFind)
const ForkHere = panel((file) => file.ForkHere)

export function Editor(props: EditorProps) {
  const { run, known, upTo, show } = useShownRun(props.workflow.id)
  const painted = useAfterFirstPaint()
  return (
    <RunProvider run={painted ? run : null} upTo={upTo}>
      <CanvasProvider>
        <EditorScreen {...props} shows={known ? run : undefined} onRun={show} />
      </CanvasProvider>
    </RunProvider>
  )
}

/** What a card's menu offers; it comes with the panels. */
function useNodeEntries(): typeof nodeEntries | null {
  const [entries, setEntries] = useState<typeof nodeEntries | null>(null)
  useEffect(() => {
    afterFirstPaint()
      .then(loadPanels)
      .then((file) => setEntries(() => file.nodeEntries))
      .catch(() => {}) // keys and the inspector's head offer it too
  }, [])
  return entries
}

/**
 * Whether the graph on the canvas is the one that a run went over: that of the draft's revision, or of the version that
 * the last run has, as long as the draft is still the same.
 */
function useIsGraphOf({ saver, version, workflow }: EditorProps, last: Run | null): (run: Run) => boolean {
  const ran = saver ? (last?.version ?? null) : null
  const { data: published } = useQuery({ ...versionQuery(workflow.id, ran ?? 0), enabled: ran !== null })
  const { graph, revision } = workflow.draft
  const unchanged = useMemo(
    () => published !== undefined && JSON.stringify(published.graph) === JSON.stringify(graph),
    [published, graph],
  )
  return (run) => {
    if (!saver) return run.version === (version ?? null)
    const now = saver.state.getState().revision
    if (saver.dirty) return false
    return run.draft_revision === now || (unchanged && run.version === ran && revision === now)
  }
}

/**
 * Cards show a run while it goes on, and afterwards until the graph is edited: here, or since it ran. One that was
 * chosen from the list is shown whatever graph it had; its nodes are those of the same ids.
 */
function useRunOnCards(props: EditorProps): { onCards: boolean; otherGraph: boolean } {
  const { workflow } = props
  const { data: last } = useQuery(lastRunQuery(workflow.id))
  const isGraphOf = useIsGraphOf(props, last ?? null)
  const info = useRunInfo()
  const active = useActiveRun(workflow.id)
  const edits = useGraph((state) => state.edits)
  const [seen, setSeen] = useState<{ run: string; edits: number } | null>(null)
  const chosen = useChosenRun(workflow.id)
  const run = info?.run ?? null
  const requested = chosen?.id ?? null
  const latest = useRef(edits)
  latest.current = edits
  useEffect(() => {
    if (requested) setSeen({ run: requested, edits: latest.current })
  }, [requested])
  useEffect(() => {
    if (active && run) setSeen({ run, edits })
  }, [active, run, edits])
  const otherGraph = chosen !== null && chosen.id === run && !isGraphOf(chosen)
  if (active) return { onCards: true, otherGraph }
  if (seen !== null && seen.run === run) return { onCards: seen.edits === edits, otherGraph }
  if (!last) return { onCards: false, otherGraph: false }
  return { onCards: last.id === run && isGraphOf(last), otherGraph: false }
}

/** The tab of the dock, and opening it at one. */
function useDockTab() {
  const [tab, setTab] = useState<DockTab>('waterfall')
  const openAt = useCallback((next: DockTab) => {
    setTab(next)
    setDockOpen(true)
  }, [])
  return { tab, setTab, openAt }
}

/** What cards ask of the page: answering a question of the run, reviewing it, forking from a step. */
function useCardActions(openAt: (tab: DockTab) => void, actions: NodeActions): CanvasActions {
  const t = useT()
  const store = useGraphStore()
  const mayAnswer = useMay('editor')
  const view = useRunView()
  const { mutateAsync } = useAnswer()
  const entries = useNodeEntries()
  return useMemo<CanvasActions>(
    () => ({
      approve: mayAnswer ? (id) => mutateAsync({ id, action: 'accept' }) : undefined,
      review: (node) => {
        store.getState().select({ nodes: [node] })
        openAt('waterfall')
      },
      menu: (node) => entries?.(node, store, actions, mayAnswer ? view : null, t) ?? [],
    }),
    [mayAnswer, mutateAsync, store, view, entries, actions, t, openAt],
  )
}

/** The menu of what can be added, where it was asked for. */
function QuickAddMenu() {
  const t = useT()
  const canvas = useCanvasStore()
  const controller = useController()
  const quickAdd = useCanvas((state) => state.quickAdd)
  const close = useCallback(() => {
    canvas.setState({ quickAdd: null })
    controller.view.focusCanvas()
  }, [canvas, controller])
  if (!quickAdd) return null
  return (
    <Suspense
      fallback={
        <div className="pop fixed p-1.5" style={{ left: quickAdd.screen.x, top: quickAdd.screen.y }}>
          <div className="input">
            <TypedAhead label={t('app.palette_placeholder')} onClose={close} />
          </div>
        </div>
      }
    >
      <QuickAdd
        at={quickAdd.screen}
        tools={quickAdd.give !== undefined}
        only={quickAdd.tools}
        onClose={close}
        onPick={(template) => {
          if (quickAdd.give === undefined) canvas.setState({ quickAdd: null })
          controller.insert(template, quickAdd)
        }}
      />
    </Suspense>
  )
}

interface CanvasAreaProps extends Pick<EditorProps, 'workflow' | 'saver'> {
  readonly showsRun: boolean
  readonly layout: EditorLayout
  readonly selected: string | null
}

function CanvasArea({ workflow, saver, showsRun, layout, selected }: CanvasAreaProps) {
  const painted = useAfterFirstPaint()
  const view = useRunView()
  return (
    <div className="editor-canvas">
      <RunViewProvider view={showsRun ? view : null}>
        <Canvas onOpen={layout.openInspector}>
          <FindBox />
          <ConnectMenu />
          {saver && painted ? (
            <Suspense fallback={null}>
              <DraftNotices saver={saver} workflow={workflow.id} name={workflow.name} />
            </Suspense>
          ) : null}
        </Canvas>
      </RunViewProvider>
      <PanelButtons layout={layout} selected={selected} />
    </div>
  )
}

/** Runs up to a node, or a node alone, by the bar's button, which asks for the inputs. */
function useRunOne(
  saver: EditorProps['saver'],
  rename: (node: string) => void,
): [RefObject<RunHandle | null>, NodeActions] {
  const runner = useRef<RunHandle>(null)
  const mayRun = useMay('editor') && saver !== null
  const runTo = useCallback((node: string) => runner.current?.runTo(node), [])
  const runAlone = useCallback((node: string) => runner.current?.runAlone(node), [])
  const actions = useNodeFunctions(rename, mayRun ? runTo : undefined, mayRun ? runAlone : undefined)
  useNodeKeys(actions)
  return [runner, actions]
}

interface EditorScreenProps extends EditorProps {
  /** The run on the cards; null = none, undefined = not known yet. */
  readonly shows: string | null | undefined
  readonly onRun: (run: string) => void
}

function EditorScreen(props: EditorScreenProps) {
  const { workflow, saver, version } = props
  const t = useT()
  const controller = useController()
  const small = usePhone()
  const problems = useGraph((state) => state.problems)
  const selected = useGraph((state) =>
    state.selection.nodes.length === 1 ? (state.selection.nodes[0] ?? null) : null,
  )
  const missing = useNodeInAddress(controller, selected)
  const layout = useEditorLayout()
  const [chatting, setChatting] = useState(false)
  const { onCards, otherGraph } = useRunOnCards(props)
  const { tab, setTab, openAt } = useDockTab()
  // On a phone the canvas leaves half of the room to a run; there is none.
  const idle = useRunView() === null && tab !== 'problems' && tab !== 'tests'
  const [runner, node] = useRunOne(saver, layout.renameNode)
  const store = useGraphStore()
  const showProblems = () => {
    store.getState().forgetFresh()
    openAt('problems')
  }
  const actions = useCardActions(openAt, node)
  useCanvasKeys(layout.openInspector)
  const fork = useForkKey(saver !== null)

  const { inspecting, narrow, wide } = layout
  // The panel takes room from the canvas: what was just selected must not end up below it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a wider panel takes more room
  useEffect(() => {
    if (!inspecting || narrow || selected === null) return
    return controller.view.scheduleEnsureVisible(selected)
  }, [inspecting, narrow, wide, selected, controller])

  return (
    <CanvasActionsContext value={actions}>
      <EditorBar
        {...props}
        runner={runner}
        onShowProblems={showProblems}
        chatting={chatting}
        onChat={() => setChatting(!chatting)}
      />
      {missing === null ? null : (
        <div className="p-2" role="status">
          <Callout tone="waiting">{t('editor.stale_node', { node: visible(missing) })}</Callout>
        </div>
      )}
      <div
        className="editor"
        style={layout.style}
        data-dock={layout.dockOpen || small ? 'open' : 'closed'}
        data-idle={idle || undefined}
      >
        {layout.paletteShown ? <PaletteSide layout={layout} /> : null}
        <CanvasArea
          workflow={workflow}
          saver={saver}
          showsRun={onCards}
          layout={layout}
          selected={selected}
        />
        <DrawerScrim layout={layout} />
        {chatting ? (
          <ChatSide {...props} onClose={() => setChatting(false)} />
        ) : inspecting ? (
          <InspectorSide layout={layout} onRun={node.runTo} />
        ) : null}
        {layout.dockOpen && !small ? <DockSplitter layout={layout} /> : null}
        <div className="editor-dock">
          <Suspense fallback={<div className="h-(--strip)" />}>
            <RunDock
              workflowId={workflow.id}
              {...(version === undefined ? { problems } : {})}
              selectedNode={selected}
              onSelectNode={(node) => controller.view.reveal(node)}
              tab={tab}
              onTab={setTab}
              alwaysOpen={small}
              onRun={(run) => props.onRun(run.id)}
              onPastRun={(run) => showPastRun(workflow.id, run)}
              otherGraph={otherGraph}
              edited={!onCards}
            />
          </Suspense>
        </div>
      </div>
      <QuickAddMenu />
      <Suspense fallback={null}>
        <NodesToFind />
        {saver ? <ForkHere {...fork} shows={props.shows} save={() => saver.save()} /> : null}
      </Suspense>
    </CanvasActionsContext>
  )
}
