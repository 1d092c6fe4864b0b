/**
 * The dock under the canvas: a strip with the last run, or tabs: waterfall, log, output, problems, tests, runs.
 *
 * Beside the waterfall stand the chosen step and, when the run asks something, the question. Where there is not room
 * for three, the question or the step takes the second place; on a phone both lie over the list.
 */

import { ChevronUp, Hand, History, PanelBottomClose, TriangleAlert } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { Interaction, Run } from '@/api/run-types'
import { useGraph } from '@/graph/context'
import type { Problem } from '@/graph/types'
import { useT } from '@/i18n'
import type { RunFold, Step } from '@/live/fold'
import { useConnection } from '@/live/page-socket'
import { useRunInfo } from '@/live/run-store'
import { setDockOpen, useDockOpen, useNodeTitles, useSlowFold, useWidth } from '@/runs/hooks'
import { RunLog, useEventCount } from '@/runs/log/RunLog'
import { OriginNote, RetryButton } from '@/runs/rerun/buttons'
import { RerunHost } from '@/runs/rerun/RerunHost'
import { RestoredNote } from '@/runs/restored/notes'
import { RestoredHost } from '@/runs/restored/RestoredHost'
import { PlaceInQueue } from '@/runs/start/QueueNote'
import { StepDetail } from '@/runs/step/StepDetail'
import { SaveTest } from '@/runs/tests/SaveTest'
import { TestsTab } from '@/runs/tests/TestsTab'
import { Waterfall } from '@/runs/timeline/Waterfall'
import { Button, Chip, IconButton, Skeleton, TabPanel, Tabs, useActions, useTabsId } from '@/ui'
import { Announcer } from './Announcer'
import { DockQuestion, type DockQuestionProps, useRunQuestions } from './DockQuestion'
import { OutputTab } from './OutputTab'
import { ProblemsTab } from './ProblemsTab'
import { RunFacts } from './RunFacts'
import '@/runs/runs.css'
import { useRunView } from '@/live/run-store'

const RunsTab = lazy(async () => ({ default: (await import('./RunsTab')).RunsTab }))

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

const WIDE = 1100
const MIDDLE = 700

export function RunDock(props: RunDockProps) {
  const t = useT()
  const kept = useDockOpen()
  const open = props.alwaysOpen || kept
  useActions([
    {
      id: 'runs.dock',
      title: t(open ? 'runs.collapse' : 'runs.expand'),
      group: t('runs.title'),
      keys: '\\',
      run: () => setDockOpen(!kept),
    },
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
        <Strip {...props} onOpen={() => setDockOpen(true)} />
      )}
      <RerunHost onStarted={props.onRun} />
      <RestoredHost />
    </>
  )
}

/** 32 px: the last run in a line, and the way to open the dock. */
function Strip({
  problems,
  onTab,
  onOpen,
  onPastRun,
  edited = false,
  otherGraph = false,
}: RunDockProps & { onOpen: () => void }) {
  const t = useT()
  const info = useRunInfo()
  const fresh = useGraph((state) => state.fresh)
  const loud =
    problems?.some((problem) => problem.severity === 'error' && !fresh.has(problem.node ?? '')) ?? false
  return (
    <section className="dock-strip" aria-label={t('runs.dock')}>
      <span className="text-muted">{info ? t('runs.last_run') : t('runs.no_run')}</span>
      <RunFacts />
      <GraphNote edited={edited} otherGraph={otherGraph} />
      <Announcer />
      <RestoredNote />
      <RetryButton />
      <span className="flex-1" />
      {onPastRun && info ? (
        <Button
          size="small"
          variant="quiet"
          icon={<History />}
          onClick={() => {
            onTab?.('runs')
            onOpen()
          }}
        >
          {t('runs.title')}
        </Button>
      ) : null}
      {problems && problems.length > 0 ? (
        <Button
          size="small"
          variant="quiet"
          icon={loud ? <TriangleAlert className="text-failed" /> : <TriangleAlert />}
          onClick={() => {
            onTab?.('problems')
            onOpen()
          }}
        >
          {t('runs.problems')} {problems.length}
        </Button>
      ) : null}
      <IconButton label={t('runs.expand')} size="small" keys="\" onClick={onOpen}>
        <ChevronUp />
      </IconButton>
    </section>
  )
}

function OpenDock({
  workflowId,
  problems,
  selectedNode = null,
  onSelectNode,
  tab: wanted,
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
  const tab = wanted ?? own
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
          <TestsTab workflow={workflowId} titleOf={titleOf} onShowNode={onSelectNode} />
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

/** Why the cards show no state beside an ended run, or that they show it of another graph. */
function GraphNote({ edited, otherGraph }: { readonly edited: boolean; readonly otherGraph: boolean }) {
  const t = useT()
  const info = useRunInfo()
  if (edited && info?.ended) return <Chip tip={t('runs.edited_since_text')}>{t('runs.edited_since')}</Chip>
  if (!edited && otherGraph) return <Chip tip={t('runs.other_graph_text')}>{t('runs.other_graph')}</Chip>
  return null
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

function stepOfRow(row: string): string {
  return row.split('/')[0] ?? ''
}

/** The step that is opened for a step: a planner's step stands in its plan. */
function outermost(fold: RunFold, id: string): Step | undefined {
  let step = fold.steps.get(id)
  while (step && step.parent !== null) step = fold.steps.get(step.parent)
  return step
}

/**
 * The row to show: the one clicked, else the newest step of the selected node, else what needs a look most, else what
 * was said last.
 */
function rowShown(fold: RunFold, clicked: string | null, selectedNode: string | null): string | null {
  if (clicked !== null) {
    const step = fold.steps.get(stepOfRow(clicked))
    if (step && (selectedNode === null || step.node === selectedNode)) return clicked
  }
  if (selectedNode !== null)
    return fold.byNode.get(selectedNode)?.findLast((id) => fold.steps.get(id)?.parent === null) ?? null
  let best: { id: string; rank: number } | null = null
  for (const step of fold.steps.values()) {
    // a planner plans around a step of its that failed
    const failed = step.state === 'ERROR' && step.parent === null
    const rank = step.interaction !== null ? 3 : failed ? 2 : step.endedAt === null ? 1 : 0
    if (rank > 0 && rank >= (best?.rank ?? 0)) best = { id: step.id, rank }
  }
  if (best !== null) return best.id
  return [...fold.steps.values()].findLast((step) => step.llmCalls.length > 0)?.id ?? null
}

interface PanesProps {
  readonly tab: 'waterfall' | 'log'
  readonly clicked: string | null
  readonly selectedNode: string | null
  readonly choose: (row: string, node: string) => void
  readonly titleOf: (node: string) => string
  readonly onEvent?: (seq: number) => void
}

interface PaneQuestionOptions {
  readonly fold: RunFold | null
  /** The run that is asked about; null where an earlier moment is shown. */
  readonly run: string | null
  readonly row: string | null
  readonly step: Step | undefined
  readonly selectedNode: string | null
  readonly wide: boolean
  readonly phone: boolean
}

/** The question to show beside the steps: that of the row, of its step, the one asked for, else the first. */
function usePaneQuestion({ fold, run, row, step, selectedNode, wide, phone }: PaneQuestionOptions) {
  const { open: questions, all } = useRunQuestions(run)
  const [asked, setAsked] = useState<string | null>(null)
  const selectedAsks = questions.find((question) => question.node === selectedNode)?.id
  // Choosing the node that asks opens its question, also where it lies over the list.
  useEffect(() => {
    if (selectedAsks !== undefined) setAsked(selectedAsks)
  }, [selectedAsks])
  const isOf = (question: Interaction) =>
    step !== undefined &&
    question.step !== null &&
    fold !== null &&
    outermost(fold, question.step)?.id === step.id
  const live =
    questions.find((question) => row !== null && question.step === stepOfRow(row)) ??
    questions.find(isOf) ??
    questions.find((question) => question.id === asked) ??
    questions[0]
  const [shown, setShown] = useState<string | null>(null)
  // What somebody else answered while it stood here stays until it was read.
  const taken = live ? undefined : all.find((question) => question.id === shown && question.state !== 'open')
  const question = live ?? taken
  const showsQuestion =
    question !== undefined &&
    (wide || asked === question.id || (!phone && (step === undefined || isOf(question))))
  const showing = showsQuestion && live ? live.id : null
  useEffect(() => {
    if (showing !== null) setShown(showing)
  }, [showing])
  return { questions, question, taken, showsQuestion, ask: setAsked, dismiss: () => setShown(null) }
}

function RunPanes({ tab, clicked, selectedNode, choose, titleOf, onEvent }: PanesProps) {
  const t = useT()
  const view = useRunView()
  const fold = useSlowFold()
  const info = useRunInfo()
  const [ref, width] = useWidth<HTMLDivElement>()
  const wide = width === 0 || width >= WIDE
  const phone = width > 0 && width < MIDDLE
  const [closed, setClosed] = useState<string | null>(null)
  const row = fold ? rowShown(fold, clicked, selectedNode) : null
  const step = row === null || row === closed || !fold ? undefined : outermost(fold, stepOfRow(row))
  const { questions, question, taken, showsQuestion, ask, dismiss } = usePaneQuestion({
    fold,
    run: info?.scrub === null ? info.run : null,
    row,
    step,
    selectedNode,
    wide,
    phone,
  })
  // On a phone the step lies over the list, so it is shown when it was asked for, not because it needs a look.
  const showsStep = step !== undefined && (wide || !showsQuestion) && (!phone || clicked !== null)
  if (!fold || !info) return null
  const open = (id: string, node: string) => {
    setClosed(null)
    choose(id, node)
  }
  const log = (bare: boolean) => (
    <RunLog
      titleOf={titleOf}
      selectedStep={step?.id ?? null}
      atSeq={info.scrub}
      bare={bare}
      onSelect={(event) => {
        if (event.step && event.node) open(event.step, event.node)
        onEvent?.(event.seq)
      }}
    />
  )
  return (
    <div ref={ref} className="panes" data-phone={phone}>
      <div className="pane-list">
        {questions.length > 0 && !showsQuestion && question ? (
          <div className="pane-asks">
            <span className="status" data-tone="person">
              <Hand aria-hidden />
              {t('runs.waits_for_you')}
            </span>
            <Button size="small" onClick={() => ask(question.id)}>
              {t('inbox.review')}
            </Button>
          </div>
        ) : null}
        {tab === 'log' ? (
          log(false)
        ) : info.state === 'QUEUED' && fold.steps.size === 0 ? (
          <p className="p-3 text-muted">
            {t('runs.not_started')}{' '}
            <span className="hidden narrow:block">
              <PlaceInQueue run={info.run} />
            </span>
          </p>
        ) : (
          <>
            <Waterfall
              fold={fold}
              whole={info.scrub === null ? null : (view?.feed.history.state ?? null)}
              titleOf={titleOf}
              selected={row}
              onSelect={(chosen) => open(chosen.id, chosen.node)}
            />
            <div className="pane-peek">{log(true)}</div>
          </>
        )}
      </div>
      {showsStep && step ? (
        <div className="pane-step">
          <StepDetail
            key={step.id}
            step={step}
            fold={fold}
            row={row}
            title={titleOf(step.node)}
            still={info.scrub !== null}
            onClose={() => setClosed(row)}
          />
        </div>
      ) : wide && !phone ? (
        <div className="pane-step">
          <p className="p-4 text-muted">{t('runs.step_none')}</p>
        </div>
      ) : null}
      {showsQuestion && question ? (
        <div className="pane-question">
          <QuestionPane
            question={question}
            onAnswered={dismiss}
            onClose={taken ? dismiss : undefined}
            {...(wide ? {} : { onBack: () => ask(null) })}
          />
        </div>
      ) : null}
    </div>
  )
}

function QuestionPane({ onBack, ...props }: DockQuestionProps & { onBack?: () => void }) {
  const t = useT()
  return (
    <>
      {onBack ? (
        <div className="pane-asks md:hidden">
          <Button size="small" onClick={onBack}>
            {t('common.back')}
          </Button>
        </div>
      ) : null}
      <DockQuestion {...props} />
    </>
  )
}
