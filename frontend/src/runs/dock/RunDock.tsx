/**
 * The dock under the canvas: a strip with the last run, or tabs: waterfall, log, output, problems, tests, runs.
 *
 * Beside the waterfall stand the chosen step and, when the run asks something, the question. Where there is not room
 * for three, the question or the step takes the second place; on a phone both lie over the list.
 */

import { PanelBottomClose } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Run } from '@/api/run-types'
import type { Problem } from '@/graph/types'
import { useT } from '@/i18n'
import { useConnection } from '@/live/page-socket'
import { useRunInfo, useRunView } from '@/live/run-store'
import { setDockOpen, useDockOpen, useNodeTitles } from '@/runs/hooks'
import { useEventCount } from '@/runs/log/RunLog'
import { OriginNote, RetryButton } from '@/runs/rerun/buttons'
import { RerunHost } from '@/runs/rerun/RerunHost'
import { RestoredNote } from '@/runs/restored/notes'
import { RestoredHost } from '@/runs/restored/RestoredHost'
import { SaveTest } from '@/runs/tests/SaveTest'
import { Chip, IconButton, Skeleton, TabPanel, Tabs, useActions, useTabsId } from '@/ui'
import { Announcer } from './Announcer'
import { OutputTab } from './OutputTab'
import { ProblemsTab } from './ProblemsTab'
import { RunFacts } from './RunFacts'
import { RunPanes } from './RunPanes'
import { GraphNote, Strip } from './Strip'
import './dock.css'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'

const RunsTab = lazily(async () => ({ default: (await fetchCode(() => import('./RunsTab'))).RunsTab }))
const TestsTab = lazily(async () => ({
  default: (await fetchCode(() => import('@/runs/tests/TestsTab'))).TestsTab,
}))

export type DockTab = 'waterfall' | 'log' | 'output' | 'problems' | 'tests' | 'runs'

export interface RunDockProps {
  readonly workflowId: string
  /** Findings about the draft; leave out where a past run is shown. */
  readonly problems?: readonly Problem[]
  /** The node selected on the canvas; its newest step is shown. */
  readonly selectedNode?: string | null
  readonly onSelectNode: (node: string) => void
  readonly tab?: DockTab
  readonly onTab?: (tab: DockTab) => void
  /** Open whatever the strip remembers, as on the page of a run. */
  readonly alwaysOpen?: boolean
  /** Called with the event clicked in the log, to scrub to it. */
  readonly onEvent?: (seq: number) => void
  /** A run of the workflow was chosen to be shown; leave out where there is no list of them. */
  readonly onPastRun?: (run: Run) => void
  /** The graph that the shown run went over is not the one on the canvas. */
  readonly otherGraph?: boolean
  /** A run was started from this one. */
  readonly onRun: (run: Run) => void
  /** The graph was edited since the run: the cards do not tell of it. */
  readonly edited?: boolean
  /** The page has its own button for it. */
  readonly ownRetry?: boolean
}

export function RunDock(props: RunDockProps) {
  const t = useT()
  const kept = useDockOpen()
  const open = props.alwaysOpen || kept
  useActions([
    {
      id: 'runs.of_workflow',
      title: t('runs.of_workflow'),
      group: t('runs.title'),
      hidden: !props.onPastRun,
      run: () => {
        props.onTab?.('runs')
        setDockOpen(true)
      },
    },
  ])
  return (
    <>
      {open ? (
        <OpenDock {...props} onClose={() => setDockOpen(false)} />
      ) : (
        <Strip
          problems={props.problems}
          hasRuns={props.onPastRun !== undefined}
          onTab={props.onTab}
          onOpen={() => setDockOpen(true)}
          edited={props.edited ?? false}
          otherGraph={props.otherGraph ?? false}
        />
      )}
      <RerunHost onStarted={props.onRun} />
      <RestoredHost />
    </>
  )
}

function OpenDock({
  workflowId,
  problems,
  selectedNode = null,
  onSelectNode,
  tab: preferred,
  onTab,
  alwaysOpen,
  onEvent,
  ownRetry = false,
  edited = false,
  otherGraph = false,
  onPastRun,
  onClose,
}: RunDockProps & { onClose: () => void }) {
  const t = useT()
  const id = useTabsId()
  const view = useRunView()
  const info = useRunInfo()
  const titleOf = useNodeTitles()
  const count = useEventCount(view)
  const [own, setOwn] = useState<DockTab>('waterfall')
  const tab = preferred ?? own
  const setTab = (next: DockTab) => {
    setOwn(next)
    onTab?.(next)
  }
  // The row that was clicked, as long as its node is the selected one; else the newest step of that node.
  const [clicked, setClicked] = useState<string | null>(null)
  const choose = (rowId: string, node: string) => {
    setClicked(rowId)
    onSelectNode(node)
  }
  const chooseNode = (node: string) => {
    setClicked(null)
    onSelectNode(node)
    if (tab === 'output') setTab('waterfall')
  }
  const items = [
    { value: 'waterfall' as const, label: t('runs.waterfall') },
    { value: 'log' as const, label: t('runs.log'), ...(count > 0 ? { count } : {}) },
    { value: 'output' as const, label: t('runs.output') },
    ...(problems
      ? [
          {
            value: 'problems' as const,
            label: t('runs.problems'),
            ...(problems.length > 0 ? { count: problems.length } : {}),
          },
          { value: 'tests' as const, label: t('tests.tab') },
        ]
      : []),
    ...(onPastRun ? [{ value: 'runs' as const, label: t('runs.title') }] : []),
  ]
  return (
    <section className="dock" aria-label={t('runs.dock')}>
      <div className="dock-bar">
        <Tabs
          id={id}
          label={t('runs.dock')}
          small
          value={tab}
          onChange={setTab}
          items={items}
          className="dock-tabs"
        />
        <span className="flex-1" />
        <Announcer />
        <RestoredNote />
        {info?.origin ? <OriginNote titleOf={titleOf} /> : null}
        {alwaysOpen || !info?.ended ? null : <RunFacts />}
        <GraphNote edited={edited} otherGraph={otherGraph} />
        {ownRetry ? null : <RetryButton />}
        <SaveTest workflow={workflowId} />
        {info ? <DockState /> : null}
        {alwaysOpen ? null : (
          <IconButton label={t('runs.collapse')} size="small" keys="\" onClick={onClose}>
            <PanelBottomClose />
          </IconButton>
        )}
      </div>
      <TabPanel id={id} value={tab} className="dock-panel">
        {tab === 'problems' ? (
          <ProblemsTab problems={problems ?? []} titleOf={titleOf} onShowNode={onSelectNode} />
        ) : tab === 'tests' ? (
          <Suspense fallback={<Skeleton rows={3} />}>
            <TestsTab workflow={workflowId} titleOf={titleOf} onShowNode={onSelectNode} />
          </Suspense>
        ) : tab === 'runs' && onPastRun ? (
          <Suspense fallback={<Skeleton rows={6} row={36} />}>
            <RunsTab workflow={workflowId} onOpen={onPastRun} />
          </Suspense>
        ) : tab === 'output' ? (
          <OutputTab titleOf={titleOf} onShowNode={chooseNode} />
        ) : info ? (
          <RunPanes
            key={info.run}
            tab={tab === 'log' ? 'log' : 'waterfall'}
            clicked={clicked}
            selectedNode={selectedNode}
            choose={choose}
            titleOf={titleOf}
            {...(onEvent ? { onEvent } : {})}
          />
        ) : view ? (
          <Skeleton rows={4} />
        ) : (
          <div className="grid gap-1 p-4">
            <p className="font-medium">{t('runs.no_run')}</p>
            <p className="text-muted">{t('runs.no_run_hint')}</p>
          </div>
        )}
      </TabPanel>
    </section>
  )
}

/** Which event is shown, and whether the page hears the server. */
function DockState() {
  const t = useT()
  const info = useRunInfo()
  const connection = useConnection()
  if (!info) return null
  if (connection === 'offline') {
    return (
      <Chip tone="waiting" tip={t('runs.offline_text')}>
        {t('runs.offline')}
      </Chip>
    )
  }
  const live = info.scrub === null && !info.ended
  return (
    <span className="text-xs text-muted tabular-nums whitespace-nowrap phone:hidden">
      {t('runs.event_of', { seq: info.seq })}
      {live ? ` · ${t('runs.live')}` : ''}
    </span>
  )
}
