/**
 * The list of a run's steps, and beside it the chosen one and the question that the run asks, as there is room.
 */
import { Hand } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import type { Interaction } from '@/api/run-types'
import { useT } from '@/i18n'
import type { RunFold, Step } from '@/live/fold'
import { useRunInfo, useRunView } from '@/live/run-store'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { useSlowFold, useWidth } from '@/runs/hooks'
import { RunLog } from '@/runs/log/RunLog'
import { PlaceInQueue } from '@/runs/start/QueueNote'
import { Waterfall } from '@/runs/timeline/Waterfall'
import { Button, Skeleton } from '@/ui'
import { DockQuestion, type DockQuestionProps, useRunQuestions } from './DockQuestion'
import { outermost, rowShown, stepOfRow } from './shown-row'

const StepDetail = lazily(async () => ({
  default: (await fetchCode(() => import('@/runs/step/StepDetail'))).StepDetail,
}))

const WIDE = 1100
const MIDDLE = 700

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
  const [requested, setRequested] = useState<string | null>(null)
  const selectedAsks = questions.find((question) => question.node === selectedNode)?.id
  // Choosing the node that asks opens its question, also where it lies over the list.
  useEffect(() => {
    if (selectedAsks !== undefined) setRequested(selectedAsks)
  }, [selectedAsks])
  const isOf = (question: Interaction) =>
    step !== undefined &&
    question.step !== null &&
    fold !== null &&
    outermost(fold, question.step)?.id === step.id
  const live =
    questions.find((question) => row !== null && question.step === stepOfRow(row)) ??
    questions.find(isOf) ??
    questions.find((question) => question.id === requested) ??
    questions[0]
  const [shown, setShown] = useState<string | null>(null)
  // What somebody else answered while it stood here stays until it was read.
  const taken = live ? undefined : all.find((question) => question.id === shown && question.state !== 'open')
  const question = live ?? taken
  const showsQuestion =
    question !== undefined &&
    (wide || requested === question.id || (!phone && (step === undefined || isOf(question))))
  const showing = showsQuestion && live ? live.id : null
  useEffect(() => {
    if (showing !== null) setShown(showing)
  }, [showing])
  return { questions, question, taken, showsQuestion, ask: setRequested, dismiss: () => setShown(null) }
}

export function RunPanes({ tab, clicked, selectedNode, choose, titleOf, onEvent }: PanesProps) {
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
        {questions.length > 0 && !showsQuestion && question && question.kind !== 'client' ? (
          <div className="pane-asks">
            <span className="status" data-tone="person">
              <Hand aria-hidden />
              {t('runs.waits_for_you')}
            </span>
            <Button size="small" onClick={() => ask(question.id)}>
              {t(question.kind === 'approval' ? 'inbox.review' : 'inbox.to_answer')}
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
          <Suspense fallback={<Skeleton rows={4} />}>
            <StepDetail
              key={step.id}
              step={step}
              fold={fold}
              row={row}
              title={titleOf(step.node)}
              still={info.scrub !== null}
              onClose={() => setClosed(row)}
            />
          </Suspense>
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
