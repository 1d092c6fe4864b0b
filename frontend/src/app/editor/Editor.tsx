/** The editor: rack, canvas, inspector and dock around one graph, and the bar above them. */
import './editor.css'
import { useQuery } from '@tanstack/react-query'
import { PanelLeft, Redo2, Undo2 } from 'lucide-react'
import { lazy, type RefObject, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import { RunProvider, RunViewProvider, useRunInfo, useRunView } from '@/api/run-store'
import { TERMINAL } from '@/api/run-types'
import { lastRunQuery, useAnswer } from '@/api/runs'
import type { Workflow } from '@/api/workflows'
import { type CanvasActions, CanvasActionsContext } from '@/canvas/actions-context'
import { ConnectMenu, FindBox } from '@/canvas/boxes'
import { Canvas } from '@/canvas/Canvas'
import { CanvasProvider, useController } from '@/canvas/CanvasProvider'
import { useCanvas, useCanvasStore } from '@/canvas/state'
import { useCanvasKeys } from '@/canvas/useCanvasKeys'
import { useGraph, useGraphStore } from '@/graph/context'
import type { EditLabel } from '@/graph/types'
import { type Key, loadRest, translate, useT } from '@/i18n'
import type { forkEntries } from '@/runs/again/menu'
import { setDockOpen, useDockOpen, useShownRun } from '@/runs/hooks'
import type { DockTab } from '@/runs/RunDock'
import { RunButton, type RunHandle } from '@/runs/RunForm'
import {
  Button,
  Callout,
  Chip,
  IconButton,
  PageBar,
  Splitter,
  useActions,
  useStoredFlag,
  useStoredSize,
  visible,
} from '@/ui'
import { later, useSettled, whenSettled } from '@/ui/later'
import { useSmallScreen } from '@/ui/screen'
import { useNodeInAddress } from './address'
import type { DraftSaver } from './drafts'
import { NameField } from './NameField'
import { useNodeDeeds } from './node-deeds'
import { SavedState } from './SavedState'
import { VersionsMenu } from './Versions'

const RunBar = lazy(async () => ({ default: (await import('@/runs/RunBar')).RunBar }))

const QuickAdd = later(async () => (await import('@/palette/QuickAdd')).QuickAdd)
const RackPanel = later(async () => {
  await whenSettled()
  return (await import('./RackPanel')).RackPanel
})
const DraftNotices = later(async () => {
  const [file] = await Promise.all([import('./DraftNotices'), loadRest()])
  return file.DraftNotices
})
const PublishDialog = later(async () => {
  const [file] = await Promise.all([import('./PublishDialog'), loadRest()])
  return file.PublishDialog
})
const Inspector = later(async () => {
  const [file] = await Promise.all([import('@/inspector/Inspector'), loadRest()])
  return file.Inspector
})
/** What a run did is looked at after what runs. */
const RunDock = later(async () => {
  await whenSettled()
  const [file] = await Promise.all([import('@/runs/RunDock'), loadRest()])
  return file.RunDock
})

const RACK = { initial: 264, min: 200, max: 420 }
const INSPECTOR = { initial: 360, min: 300, max: 640 }
const WIDE = { initial: 1000, min: 640, max: 1600 }
const DOCK = { initial: 340, min: 160, max: 640 }

export interface EditorProps {
  readonly workflow: Workflow
  /** Saves the draft; null where a published version is looked at. */
  readonly saver: DraftSaver | null
  readonly version?: number
  readonly onVersion: (version: number | null) => void
}

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

/** The draft on the server, or the reason why it is not there. */
async function saved(saver: DraftSaver): Promise<number> {
  await saver.save()
  const { save, revision } = saver.state.getState()
  if (save.kind === 'saved') return revision
  if (saver.dirty && save.kind !== 'conflict' && save.kind !== 'failed' && save.kind !== 'offline')
    return saved(saver)
  const message =
    save.kind === 'conflict'
      ? translate('editor.save_conflict')
      : save.kind === 'failed'
        ? translate('editor.save_failed', { message: save.message })
        : translate('editor.save_offline')
  throw new ApiError(0, save.kind === 'conflict' ? 'STALE_DRAFT' : 'NETWORK', message)
}

const editWord = (label: EditLabel): string =>
  (translate as (key: Key) => string)(`editor.edit_${label}` as Key)

function History() {
  const t = useT()
  const store = useGraphStore()
  const undone = useGraph((state) => state.past[state.past.length - 1]?.change.label)
  const redone = useGraph((state) => state.future[0]?.change.label)
  return (
    <span className="flex phone:hidden">
      <IconButton
        label={undone ? t('editor.undo_what', { what: editWord(undone) }) : t('editor.undo')}
        keys="mod+z"
        disabled={!undone}
        onClick={() => store.getState().undo()}
      >
        <Undo2 />
      </IconButton>
      <IconButton
        label={redone ? t('editor.redo_what', { what: editWord(redone) }) : t('editor.redo')}
        keys="mod+shift+z"
        disabled={!redone}
        onClick={() => store.getState().redo()}
      >
        <Redo2 />
      </IconButton>
    </span>
  )
}

function Bar({
  workflow,
  saver,
  version,
  onVersion,
  onRun,
  onShowProblems,
  runner,
}: EditorProps & {
  onRun: (run: string) => void
  onShowProblems: () => void
  runner: RefObject<RunHandle | null>
}) {
  const t = useT()
  const store = useGraphStore()
  const mayEdit = useMay('editor')
  const problems = useGraph((state) => state.problems)
  const info = useRunInfo()
  const [name, setName] = useState(workflow.name)
  const [published, setPublished] = useState(workflow.published_version)
  const [publishing, setPublishing] = useState(false)
  const errors = problems.filter((problem) => problem.severity === 'error').length
  const active = useActiveRun(workflow.id) && !info?.failure
  const state =
    version !== undefined
      ? `v${version}`
      : published === null
        ? t('editor.draft')
        : t('editor.draft_of', { version: String(published) })
  return (
    <PageBar
      title={name}
      crumbs={[{ label: t('editor.workflows'), href: '/' }]}
      heading={
        <NameField
          id={workflow.id}
          name={name}
          onRename={setName}
          readOnly={!mayEdit || version !== undefined}
        />
      }
      status={
        <>
          <Chip>{state}</Chip>
          {version !== undefined ? (
            <span className="truncate text-xs phone:hidden">
              {t('editor.compare_hint', { version: String(version) })}
            </span>
          ) : mayEdit && saver ? (
            <span className="min-w-0 truncate phone:hidden">
              <SavedState saver={saver} />
            </span>
          ) : (
            <Chip>{t('editor.read_only')}</Chip>
          )}
        </>
      }
    >
      {active ? (
        <Suspense fallback={null}>
          <RunBar />
        </Suspense>
      ) : (
        <>
          {saver && mayEdit ? <History /> : null}
          <VersionsMenu
            workflow={workflow.id}
            shown={version ?? null}
            published={published}
            onShow={onVersion}
          />
          {saver && mayEdit ? (
            <Button
              className="phone:hidden"
              blocked={errors > 0 ? t('editor.problems_first') : undefined}
              onClick={() => setPublishing(true)}
            >
              {t('editor.publish')}
            </Button>
          ) : null}
          {saver ? (
            <RunButton
              ref={runner}
              workflowId={workflow.id}
              problems={problems}
              save={() => saved(saver)}
              onStarted={(run) => onRun(run.id)}
              onProblems={(found) => store.getState().setProblems(found)}
              onShowProblems={onShowProblems}
            />
          ) : null}
        </>
      )}
      {publishing && saver ? (
        <Suspense fallback={null}>
          <PublishDialog
            workflow={workflow.id}
            next={(published ?? 0) + 1}
            save={() => saved(saver)}
            onPublished={setPublished}
            onClose={() => setPublishing(false)}
          />
        </Suspense>
      ) : null}
    </PageBar>
  )
}

/** What a card's menu offers about the run; fetched when the page has nothing better to do. */
function useForkEntries(): typeof forkEntries | null {
  const [made, setMade] = useState<typeof forkEntries | null>(null)
  useEffect(() => {
    whenSettled()
      .then(() => import('@/runs/again/menu'))
      .then((file) => setMade(() => file.forkEntries))
      .catch(() => {}) // the head of each step offers it too
  }, [])
  return made
}

/** Whether the run that is shown goes on. */
function useActiveRun(workflow: string): boolean {
  const info = useRunInfo()
  const { data: last } = useQuery(lastRunQuery(workflow))
  // A past run's log is read from its beginning, and looks alive until its end has come: the row knows better.
  const past = last?.id === info?.run && last !== null && last !== undefined && TERMINAL.has(last.state)
  return info !== null && !info.ended && !past
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
  const small = useSmallScreen()
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
  const [rackOpen, setRackOpen] = useStoredFlag('editor-rack', true)
  const [inspectorOpen, setInspectorOpen] = useStoredFlag('editor-inspector', true)
  const [wide, setWide] = useStoredFlag('editor-wide', false)
  const [rackWidth, setRackWidth] = useStoredSize('editor-rack', RACK.initial, RACK)
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
  const inspecting = !small && ((anything && inspectorOpen) || asked)

  const openInspector = useCallback(() => {
    setInspectorOpen(true)
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
  }, [setInspectorOpen])
  useCanvasKeys(openInspector)
  const runner = useRef<RunHandle>(null)
  const mayRun = useMay('editor') && saver !== null
  const runTo = useCallback((node: string) => runner.current?.runTo(node), [])
  useNodeDeeds(runTo, mayRun)
  useActions([
    {
      id: 'editor.left',
      title: t('editor.toggle_left'),
      group: t('editor.group'),
      keys: '[',
      run: () => setRackOpen(!rackOpen),
    },
    {
      id: 'editor.right',
      title: t('editor.toggle_right'),
      group: t('editor.group'),
      keys: ']',
      run: () => {
        setAsked(!anything && !asked)
        setInspectorOpen(anything ? !inspectorOpen : true)
      },
    },
  ])

  // The panel takes room from the canvas: what was just selected must not end up below it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a wider panel takes more room
  useEffect(() => {
    if (!inspecting || selected === null) return
    return controller.uncoverSoon(selected)
  }, [inspecting, wide, selected, controller])

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

  // Side by side needs the room of the rack; it is back when the panel is narrow again.
  const rack = rackOpen && !small && !readOnly && !(wide && inspecting)
  const inspectorWidth = wide ? wideWidth : narrowWidth
  const style = {
    '--rack-width': `${rackWidth}px`,
    '--inspector-width': `min(${inspectorWidth}px, calc(100vw - ${rack ? rackWidth + 200 : 120}px))`,
    '--dock-height': `${dockHeight}px`,
  } as React.CSSProperties

  return (
    <CanvasActionsContext value={actions}>
      <Bar
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
        {rack ? (
          <>
            <aside className="editor-rack" aria-label={t('palette.label')}>
              <Suspense fallback={null}>
                <RackPanel readOnly={readOnly} onHide={() => setRackOpen(false)} />
              </Suspense>
            </aside>
            <div className="editor-left">
              <Splitter
                panel={t('palette.label')}
                orientation="vertical"
                size={rackWidth}
                onSize={setRackWidth}
                {...RACK}
              />
            </div>
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
          {rack || small || readOnly ? null : (
            <span className="editor-show-rack">
              <IconButton
                variant="plain"
                label={t('palette.show')}
                keys="["
                onClick={() => {
                  setRackOpen(true)
                  setWide(false)
                }}
              >
                <PanelLeft />
              </IconButton>
            </span>
          )}
        </div>
        {inspecting ? (
          <>
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
                    setInspectorOpen(false)
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
