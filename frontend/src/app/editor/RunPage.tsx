/** A run, now or long ago, in the same view as the editor: canvas, moments, dock; nothing of it can be edited. */
import './editor.css'
import './run-page.css'
import { Suspense, useEffect, useMemo, useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { ApiError, asApiError } from '@/api/client'
import { useMay, useMe } from '@/api/queries'
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
import { currentLanguage, useT } from '@/i18n'
import { readAhead } from '@/live/page-socket'
import { RunProvider, useRunInfo, useRunView } from '@/live/run-store'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { RunControls } from '@/runs/dock/RunControls'
import type { DockTab } from '@/runs/dock/RunDock'
import { RunFacts } from '@/runs/dock/RunFacts'
import { useDockKey, useForkKey } from '@/runs/hooks'
import { RetryButton } from '@/runs/rerun/buttons'
import { ForkHere } from '@/runs/rerun/ForkHere'
import { forkEntries } from '@/runs/rerun/menu'
import { Scrubber } from '@/runs/timeline/Scrubber'
import {
  aThirdAtLeast,
  Button,
  Chip,
  EmptyState,
  ErrorBox,
  PageBar,
  Skeleton,
  Splitter,
  useActions,
  useStoredSize,
  visible,
} from '@/ui'
import { usePhone } from '@/ui/media'
import { useNodeTypes } from './node-types'
import { RunOrigin } from './run-origin'

const RunDock = lazily(async () => ({
  default: (await fetchCode(() => import('@/runs/dock/RunDock'))).RunDock,
}))
// it stands as soon as the run's log is there, so it comes with the page
RunDock.load().catch(() => {}) // asked for again, and reported, when it is shown

const DOCK = { initial: aThirdAtLeast(360), min: 160, max: 640 }
const nothing = () => {}

/** The log comes while the run's row does. */
function useReadAhead(run: string): void {
  const { language } = useMe()
  useEffect(() => {
    if (language === currentLanguage()) readAhead(run).catch(() => {}) // reported by who shows it
  }, [run, language])
}

export default function RunPage() {
  const t = useT()
  const { id = '' } = useParams<{ id: string }>()
  const { data, error, refetch, isFetching } = useRun(id)
  useReadAhead(id)
  if (data?.graph !== undefined) return <OpenRun key={data.id} run={data} />
  if (!error) return <Skeleton rows={8} />
  const gone = error instanceof ApiError && error.status === 404
  return (
    <>
      <PageBar title={t('runs.title')} />
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
            title={t('runs.load_one_failed')}
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
      <RunProvider run={run.id} upTo={run.last_seq}>
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
  const known = useRunInfo() !== null
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
  const fork = useForkKey()
  useDockKey()
  return (
    <CanvasActionsContext value={actions}>
      <ForkHere {...fork} shows={run.id} save={null} />
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
            <span className="flex max-[360px]:hidden">
              <Chip>{run.version === null ? t('runs.draft') : t('runs.version', { n: run.version })}</Chip>
            </span>
            <Below run={run} />
            <RunOrigin run={run} />
          </>
        }
      >
        <RunFacts />
        <RunControls />
        <RetryButton primary />
        <CompareLink run={run} />
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
            {known ? (
              <RunDock
                workflowId={run.workflow}
                selectedNode={selected}
                onSelectNode={(node) => controller.view.reveal(node)}
                tab={tab}
                onTab={setTab}
                alwaysOpen
                onEvent={(seq) => view?.scrubTo(seq)}
                onRun={(run) => navigate(`/runs/${run.id}`)}
                ownRetry
              />
            ) : (
              <Skeleton rows={4} />
            )}
          </Suspense>
        </div>
      </div>
    </CanvasActionsContext>
  )
}

/** The way to what the draft has changed since. */
function CompareLink({ run }: { run: Run }) {
  const t = useT()
  const [, navigate] = useLocation()
  const address = `/workflows/${run.workflow}?compare=${run.id}..draft`
  const title = t('runs.compare_draft')
  useActions([{ id: 'runs.compare_draft', title, group: t('runs.title'), run: () => navigate(address) }])
  return (
    <Link href={address} className="btn narrow:!hidden">
      {title}
    </Link>
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
