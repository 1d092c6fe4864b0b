/** A run, now or long ago, in the same view as the editor: canvas, moments, dock; nothing of it can be edited. */
import './editor.css'
import './run-page.css'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { ApiError, asApiError } from '@/api/client'
import { useMay } from '@/api/queries'
import type { Run } from '@/api/run-types'
import { useAnswer, useRun } from '@/api/runs'
import { type CanvasActions, CanvasActionsContext } from '@/canvas/actions-context'
import { Canvas } from '@/canvas/Canvas'
import { CanvasProvider, useController } from '@/canvas/CanvasProvider'
import { useCanvasKeys } from '@/canvas/input/useCanvasKeys'
import { FindBox } from '@/canvas/menus/boxes'
import { GraphProvider, useGraph, useGraphStore } from '@/graph/context'
import { readGraph } from '@/graph/read'
import { createGraphStore } from '@/graph/store'
import { useT } from '@/i18n'
import { RunProvider, useRunView } from '@/live/run-store'
import { RunControls } from '@/runs/dock/RunControls'
import type { DockTab } from '@/runs/dock/RunDock'
import { RunFacts } from '@/runs/dock/RunFacts'
import { RetryButton } from '@/runs/rerun/buttons'
import { forkEntries } from '@/runs/rerun/menu'
import { Scrubber } from '@/runs/timeline/Scrubber'
import {
  Button,
  Chip,
  clock,
  EmptyState,
  ErrorBox,
  isoDate,
  PageBar,
  Skeleton,
  Splitter,
  useStoredSize,
  visible,
} from '@/ui'
import { usePhone } from '@/ui/media'
import { useNodeTypes } from './node-types'

const RunDock = lazy(async () => ({ default: (await import('@/runs/dock/RunDock')).RunDock }))

const DOCK = { initial: 360, min: 160, max: 640 }
const nothing = () => {}

export default function RunPage() {
  const t = useT()
  const { id = '' } = useParams<{ id: string }>()
  const { data, error, refetch, isFetching } = useRun(id)
  if (data?.graph !== undefined) return <OpenRun key={data.id} run={data} />
  if (!error) return <Skeleton rows={8} />
  const gone = error instanceof ApiError && error.status === 404
  return (
    <>
      <PageBar title={t('runs.title')} crumbs={[{ label: t('runs.title'), href: '/runs' }]} />
      {gone ? (
        <EmptyState
          title={t('runs.run_missing')}
          text={t('runs.run_missing_text')}
          actions={
            <Link href="/runs" className="btn">
              {t('runs.back_to_runs')}
            </Link>
          }
        />
      ) : (
        <div className="max-w-120 p-4">
          <ErrorBox
            error={asApiError(error)}
            actions={
              <Button busy={isFetching} onClick={() => void refetch()}>
                {t('common.retry')}
              </Button>
            }
          />
        </div>
      )}
    </>
  )
}

/** The run's own graph, never to be changed. */
function OpenRun({ run }: { run: Run }) {
  const [store] = useState(() => {
    const graphStore = createGraphStore(readGraph(run.graph))
    graphStore.getState().setReadOnly(true)
    return graphStore
  })
  useNodeTypes(store)
  return (
    <GraphProvider store={store}>
      <RunProvider run={run.id}>
        <CanvasProvider>
          <RunScreen run={run} />
        </CanvasProvider>
      </RunProvider>
    </GraphProvider>
  )
}

function RunScreen({ run }: { run: Run }) {
  const t = useT()
  const store = useGraphStore()
  const view = useRunView()
  const controller = useController()
  const small = usePhone()
  const may = useMay('editor')
  const { mutateAsync } = useAnswer()
  const [, navigate] = useLocation()
  const [tab, setTab] = useState<DockTab>('waterfall')
  const [height, setHeight] = useStoredSize('run-dock', DOCK.initial, DOCK)
  const selected = useGraph((state) =>
    state.selection.nodes.length === 1 ? (state.selection.nodes[0] ?? null) : null,
  )
  const actions = useMemo<CanvasActions>(() => {
    const review = (node: string) => {
      store.getState().select({ nodes: [node] })
      setTab('waterfall')
    }
    const approve = (id: string) => mutateAsync({ id, action: 'accept' })
    const menu = (node: string) => (may && view ? forkEntries(view, node, t) : [])
    return { approve: may ? approve : undefined, review, menu }
  }, [may, mutateAsync, store, view, t])
  useCanvasKeys(nothing)
  return (
    <CanvasActionsContext value={actions}>
      <PageBar
        title={visible(run.workflow_name ?? run.workflow)}
        crumbs={[
          { label: t('runs.title'), href: '/runs' },
          ...(run.parent_run === null
            ? []
            : [{ label: t('runs.run_above'), href: `/runs/${run.parent_run}` }]),
        ]}
        status={
          <>
            <Chip>{run.version === null ? t('runs.draft') : t('runs.version', { n: run.version })}</Chip>
            <Below run={run} />
            <span className="min-w-0 shrink-99999 truncate text-xs text-muted narrow:hidden">
              {began(run, t)}
            </span>
          </>
        }
      >
        <RunFacts />
        <RunControls />
        <RetryButton primary />
        <Link href={`/workflows/${run.workflow}`} className="btn phone:!hidden">
          {t('runs.open_workflow')}
        </Link>
      </PageBar>
      <div className="run-page" style={{ '--dock-height': `${height}px` } as React.CSSProperties}>
        <div className="run-canvas">
          <Canvas onOpen={nothing} fixed>
            <FindBox />
          </Canvas>
        </div>
        <Scrubber />
        {small ? null : (
          <Splitter
            panel={t('runs.dock')}
            orientation="horizontal"
            after
            size={height}
            onSize={setHeight}
            {...DOCK}
          />
        )}
        <div className="run-dock">
          <Suspense fallback={<Skeleton rows={4} />}>
            <RunDock
              workflowId={run.workflow}
              selectedNode={selected}
              onSelectNode={(node) => controller.reveal(node)}
              tab={tab}
              onTab={setTab}
              alwaysOpen
              onEvent={(seq) => view?.scrubTo(seq)}
              onRun={(run) => navigate(`/runs/${run.id}`)}
              ownRetry
            />
          </Suspense>
        </div>
      </div>
    </CanvasActionsContext>
  )
}

/** The way to the runs that it started, however many. */
function Below({ run }: { run: Run }) {
  const t = useT()
  const count = run.children_count ?? 0
  if (count === 0) return null
  return (
    <Link href={`/runs?parent=${run.id}`} className="link flex-none text-xs tabular-nums">
      {t('runs.below_count', { n: count })}
    </Link>
  )
}

function began(run: Run, t: ReturnType<typeof useT>): string {
  const time = run.started_at ?? run.queued_at
  if (!time) return run.id
  const when = `${isoDate(time)} ${clock(time)}`
  return `${run.id} · ${t('runs.started_by', { who: run.started_by ?? run.trigger, time: when })}`
}
