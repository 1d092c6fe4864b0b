/** The two lists of the dialog: writes that will or may happen again, and the steps that run. */

import { ChevronDown, ChevronRight, CircleCheck, Pencil } from 'lucide-react'
import { useState } from 'react'
import { type Key, useT } from '@/i18n'
import { ValueView } from '@/results'
import { Callout, Chip, cx, dateTime, type Tone, visible } from '@/ui'
import type { RerunDescendant, RerunPlan, RerunStep, Write } from './plan'
import './rerun.css'

type Translate = ReturnType<typeof useT>

export interface ListProps {
  readonly plan: RerunPlan
  readonly nameOf: (node: string) => string
}

const OUTCOME: Readonly<Record<Write['outcome'], readonly [Key, Tone]>> = {
  done: ['rerun.outcome_done', 'ok'],
  failed: ['rerun.outcome_failed', 'failed'],
  unknown: ['rerun.outcome_unknown', 'waiting'],
}

/** Few are shown with their arguments. */
const OPEN = 3

export function Writes({ plan, nameOf }: ListProps) {
  const t = useT()
  const { writes, writes_total: total } = plan
  if (total === 0)
    return (
      <Callout tone="ok" icon={<CircleCheck aria-hidden />}>
        {t('rerun.no_writes')}
      </Callout>
    )
  return (
    <section className="grid gap-2" aria-label={t('rerun.writes', { n: total })}>
      <Callout tone="waiting">
        <p className="font-semibold">{t('rerun.writes', { n: total })}</p>
        <p className="text-sm text-muted">{t('rerun.writes_hint', { n: total })}</p>
      </Callout>
      <ul className="again-writes">
        {writes.map((write) => (
          <OneWrite
            key={`${write.run} ${write.step} ${write.at} ${write.tool}`}
            write={write}
            name={nameOf(write.node)}
            below={write.run !== plan.origin_run}
            open={total <= OPEN}
          />
        ))}
      </ul>
      {writes.length < total ? (
        <p className="text-xs text-muted">{t('rerun.writes_more', { n: total - writes.length })}</p>
      ) : null}
    </section>
  )
}

interface OneWriteProps {
  readonly write: Write
  readonly name: string
  /** It was made in a run that the step started. */
  readonly below: boolean
  readonly open: boolean
}

function OneWrite({ write, name, below, open: first }: OneWriteProps) {
  const t = useT()
  const [open, setOpen] = useState(first)
  const [word, tone] = OUTCOME[write.outcome]
  const Chevron = open ? ChevronDown : ChevronRight
  const called = write.server ? `${write.server} / ${write.tool}` : (write.tool ?? name)
  return (
    <li>
      <button type="button" className="again-write" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Chevron aria-hidden />
        <Pencil aria-hidden />
        <span className="again-called">{visible(called)}</span>
        <Chip tone={tone} tip={write.outcome === 'unknown' ? t('rerun.outcome_unknown_tip') : undefined}>
          {(t as (key: Key) => string)(word)}
        </Chip>
        <span className="again-when">
          {below ? t('rerun.write_below', { step: name }) : name} · {dateTime(write.at)}
        </span>
      </button>
      {open ? (
        <div className="again-arguments">
          <ValueView value={write.arguments ?? {}} shape="tree" label={called} maxHeight={160} />
        </div>
      ) : null}
    </li>
  )
}

export function Steps({ plan, nameOf }: ListProps) {
  const t = useT()
  const changed = plan.runs.filter((step) => step.why === 'changed' || step.why === 'new')
  const unfinished = plan.runs.filter((step) => step.why === 'unfinished')
  const partly = plan.runs.filter((step) => step.rounds_kept > 0)
  const names = (steps: readonly RerunStep[]) =>
    steps.map((step) => step.title || nameOf(step.node)).join(t('rerun.between'))
  return (
    <section className="grid gap-1" aria-label={t('rerun.steps')}>
      <h3 className="section-title">{t('rerun.steps')}</h3>
      <dl className="again-steps">
        {plan.kept.length > 0 ? (
          <Line word={t('rerun.kept', { n: plan.kept.length })} names={names(plan.kept)} />
        ) : null}
        <Line word={t('rerun.runs', { n: plan.runs.length })} names={names(plan.runs)} strong />
        {changed.length > 0 ? <Line word={t('rerun.why_changed')} names={names(changed)} /> : null}
        {partly.map((step) => (
          <Line
            key={step.node}
            word={t('rerun.rounds_kept', { n: step.rounds_kept })}
            names={step.title || nameOf(step.node)}
          />
        ))}
        {plan.inside.map((step) => (
          <Line
            key={`${step.node} ${step.path.map((frame) => `${frame.node} ${frame.index}`).join(' ')}`}
            word={t('rerun.rounds_kept', { n: step.rounds_kept })}
            names={t('rerun.in_round', {
              step: step.title || nameOf(step.node),
              where: step.path
                .map((frame) => `${nameOf(frame.node)} ${frame.index + 1}`)
                .join(t('rerun.between')),
            })}
          />
        ))}
        {plan.below.map((rerunDescendant) => (
          <Line
            key={rerunDescendant.run}
            word={reused(t, rerunDescendant)}
            names={belowName(t, rerunDescendant, nameOf)}
          />
        ))}
        {unfinished.length > 0 ? <Line word={t('rerun.why_unfinished')} names={names(unfinished)} /> : null}
      </dl>
      {plan.below.length > 0 ? <p className="text-xs text-muted">{t('rerun.below_hint')}</p> : null}
    </section>
  )
}

/** How much of a run below is taken over. */
function reused(t: Translate, rerunDescendant: RerunDescendant): string {
  const parts = [
    rerunDescendant.steps_kept > 0 ? t('rerun.steps_kept', { n: rerunDescendant.steps_kept }) : '',
    rerunDescendant.rounds_kept > 0 ? t('rerun.rounds_kept', { n: rerunDescendant.rounds_kept }) : '',
  ]
  return parts.filter(Boolean).join(t('rerun.between'))
}

/** The workflow, and the step that runs it with the rounds around it. */
function belowName(t: Translate, rerunDescendant: RerunDescendant, nameOf: (node: string) => string): string {
  const around = rerunDescendant.path.map((frame) => `${nameOf(frame.node)} ${frame.index + 1}`)
  const where = [rerunDescendant.title || nameOf(rerunDescendant.node), ...around].join(t('rerun.between'))
  return t('rerun.in_round', { step: visible(rerunDescendant.workflow), where })
}

function Line({ word, names, strong = false }: { word: string; names: string; strong?: boolean }) {
  return (
    <div>
      <dt>{word}</dt>
      <dd className={cx(!strong && 'text-muted')}>{names}</dd>
    </div>
  )
}
