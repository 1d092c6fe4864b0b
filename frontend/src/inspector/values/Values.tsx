/** What went into a node and what came out of it the last time, and the output that draft runs are to use instead. */
import { ChevronLeft, ChevronRight, Pin, PinOff } from 'lucide-react'
import { useMemo, useState } from 'react'
import { isRecord, SchemaForm } from '@/forms'
import { shownInput } from '@/graph/nodes/plumbing'
import type { GraphNode } from '@/graph/types'
import { useT } from '@/i18n'
import { useNodeEdit } from '@/inspector/edit'
import { ModuleWays } from '@/inspector/editors/code/ModuleWays'
import { statusOfStep } from '@/live/run-status'
import { useNodeRun, useRunInfo, useRunView } from '@/live/run-store'
import { Button, Callout, duration, EmptyState, ErrorBox, IconButton, relativeTime, StatusWord } from '@/ui'
import { type Good, useLastGood } from './last-good'
import { useViewAs, ValueView } from './ValueView'

/** One execution of the node among those of the run; the newest unless someone turns back. */
function useStep(node: string) {
  const view = useRunView()
  const run = useNodeRun(node)
  const info = useRunInfo()
  const [turned, setTurned] = useState<number>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the node's summary changes whenever its steps do
  const steps = useMemo(() => view?.steps(node) ?? [], [view, node, run])
  const index = Math.min(turned ?? steps.length - 1, steps.length - 1)
  const step = steps[index]
  return {
    step,
    at: index,
    total: steps.length,
    turn: setTurned,
    status: step && view ? statusOfStep(step, view.state) : undefined,
    info,
  }
}

function StepLine({ found }: { found: ReturnType<typeof useStep> }) {
  const t = useT()
  const { step, at, total, turn, status } = found
  if (!step || !status) return null
  const ms = step.endedAt === null ? null : step.endedAt - step.startedAt
  return (
    <div className="inspector-step">
      <StatusWord status={status} />
      {ms === null ? null : <span className="text-xs text-muted tabular-nums">{duration(ms)}</span>}
      {total > 1 ? (
        <span className="form-aside">
          <span className="text-xs text-muted tabular-nums">
            {t('inspector.step_of', { n: at + 1, total })}
          </span>
          <IconButton
            size="small"
            label={t('inspector.previous_step')}
            disabled={at === 0}
            onClick={() => turn(at - 1)}
          >
            <ChevronLeft aria-hidden />
          </IconButton>
          <IconButton
            size="small"
            label={t('inspector.next_step')}
            disabled={at === total - 1}
            onClick={() => turn(at + 1)}
          >
            <ChevronRight aria-hidden />
          </IconButton>
        </span>
      ) : null}
    </div>
  )
}

export function InputTab({ node }: { node: GraphNode }) {
  const t = useT()
  const query = useStep(node.id)
  const [as, choice] = useViewAs('tree')
  if (!query.step) return <NeverRan />
  return (
    <div className="inspector-body">
      <StepLine found={query} />
      <div className="inspector-step">
        <span className="field-hint">{t('inspector.input_of_last')}</span>
        <span className="form-aside">{choice}</span>
      </div>
      <ValueView value={as === 'json' ? query.step.input : shownInput(node.type, query.step.input)} as={as} />
    </div>
  )
}

function NeverRan() {
  const t = useT()
  return <EmptyState title={t('inspector.never_ran')} text={t('inspector.never_ran_hint')} />
}

/** What it gave before it failed, in a run that was shown before. */
function LastGood({ good, as }: { good: Good; as: Parameters<typeof ValueView>[0]['as'] }) {
  const t = useT()
  return (
    <section className="grid grid-cols-1 gap-1" aria-label={t('inspector.last_good')}>
      <div className="inspector-step">
        <StatusWord status="succeeded">{t('inspector.last_good')}</StatusWord>
        {good.at === null ? null : (
          <span className="form-aside text-xs text-muted">
            {relativeTime(new Date(good.at).toISOString())}
          </span>
        )}
      </div>
      <ValueView value={good.output} as={as} />
    </section>
  )
}

const ANYTHING = { type: 'object' }

export function OutputTab({
  node,
  readOnly,
  headed = false,
}: {
  node: GraphNode
  readOnly: boolean
  headed?: boolean
}) {
  const t = useT()
  const edit = useNodeEdit(node.id)
  const query = useStep(node.id)
  const [as, choice] = useViewAs(
    node.type === 'tool' || node.type === 'answer' || node.type === 'template' ? 'text' : 'tree',
  )
  const { pinned } = node
  const good = useLastGood(node.id)
  const output = query.step?.output
  const pin = () => edit.node({ pinned: output } as Partial<GraphNode>, 'pin')
  const pinnable = isRecord(output) && !('$ref' in output) && !readOnly
  const head = (
    <div className={headed ? 'inspector-section-head' : 'inspector-step'}>
      {headed ? <h3>{t('inspector.output')}</h3> : null}
      <span className="form-aside">
        {choice}
        {pinned !== undefined && pinned !== null ? (
          <IconButton
            size="small"
            label={t('inspector.unpin')}
            disabled={readOnly}
            aria-pressed
            onClick={() => edit.node({ pinned: undefined }, 'pin')}
          >
            <PinOff aria-hidden />
          </IconButton>
        ) : (
          <IconButton size="small" label={t('inspector.pin')} keys="p" disabled={!pinnable} onClick={pin}>
            <Pin aria-hidden />
          </IconButton>
        )}
      </span>
    </div>
  )
  return (
    <>
      {headed ? head : null}
      <div className="inspector-body">
        {headed ? null : head}
        {pinned !== undefined && pinned !== null ? (
          <>
            <Callout tone="waiting">{t('inspector.pinned_banner')}</Callout>
            <ValueView value={pinned} as={as} />
            {readOnly ? null : (
              <details>
                <summary className="text-sm">{t('inspector.edit_pinned')}</summary>
                <SchemaForm
                  schema={ANYTHING}
                  value={pinned}
                  idPrefix={`${node.id}-pinned`}
                  onChange={(next) => edit.node({ pinned: next } as Partial<GraphNode>, 'pin')}
                />
              </details>
            )}
          </>
        ) : query.step ? (
          <>
            <StepLine found={query} />
            {query.step.error ? (
              <ErrorBox error={query.step.error}>
                <ModuleWays node={node.id} error={query.step.error} />
              </ErrorBox>
            ) : null}
            {output === undefined || output === null ? (
              query.step.error ? null : (
                <p className="field-hint">{t('inspector.no_output')}</p>
              )
            ) : (
              <ValueView value={output} as={as} />
            )}
            {query.step.error && good ? <LastGood good={good} as={as} /> : null}
            {pinnable ? (
              <div>
                <Button size="small" icon={<Pin aria-hidden />} onClick={pin}>
                  {t('inspector.use_as_test')}
                </Button>
              </div>
            ) : null}
          </>
        ) : (
          <NeverRan />
        )}
      </div>
    </>
  )
}
