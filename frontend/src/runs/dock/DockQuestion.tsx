/** The open question of the shown run, beside its step: the same form as in the inbox. */

import { useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { Suspense, useEffect, useMemo, useRef } from 'react'
import type { Interaction } from '@/api/run-types'
import { useInteractions } from '@/api/runs'
import { useT } from '@/i18n'
import { Expiry } from '@/interactions/Expiry'
import { headingOf, KindIcon } from '@/interactions/kinds'
import { useOpenInteractions, useRunInfo } from '@/live/run-store'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import { RunLink } from '@/runs/step/ChildRun'
import { IconButton, RiskBadge, Skeleton, useActions, visible } from '@/ui'

/** Most runs ask nothing. */
const QuestionForm = lazily(async () => ({
  default: (await fetchCode(() => import('@/interactions/QuestionForm'))).QuestionForm,
}))

export interface RunQuestions {
  /** Those that can be answered now: this run's, and those of runs that it started. */
  readonly open: readonly Interaction[]
  /** All that are known, also those answered. */
  readonly all: readonly Interaction[]
}

/** The inbox rows of what a run asks; a row that the log says is open comes with the next look at the inbox. */
export function useRunQuestions(run: string | null): RunQuestions {
  const client = useQueryClient()
  const open = useOpenInteractions()
  const waitsForChild = useRunInfo()?.waiting.some((wait) => wait.kind === 'child') ?? false
  const ids = open.map((question) => question.id).join()
  const seen = useRef(false)
  seen.current ||= open.length > 0 || waitsForChild
  const { interactions } = useInteractions({ run: run ?? '' }, run !== null && seen.current)
  const missing = open.some((question) => !interactions.some((row) => row.id === question.id))
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again for every new question, and for every closed one
  useEffect(() => {
    if (missing || seen.current) void client.invalidateQueries({ queryKey: ['interaction', 'list', { run }] })
  }, [ids, missing])
  return useMemo(() => {
    const ours = (row: Interaction) => open.some((question) => question.id === row.id)
    const childs = (row: Interaction) => waitsForChild && row.run !== run && row.state === 'open'
    return { open: interactions.filter((row) => ours(row) || childs(row)), all: interactions }
  }, [interactions, open, waitsForChild, run])
}

/** Where an answer begins: the first field of what is to be filled in, else the button that agrees. */
const FIELD = '.question-body :is(input, textarea, select, [role="textbox"]):not([disabled])'
const AGREE = ['.question-first', '.question-answers button']

export interface DockQuestionProps {
  readonly question: Interaction
  /** The answer that was given here was taken. */
  readonly onAnswered: () => void
  /** Put a question away that somebody else answered. */
  readonly onClose?: (() => void) | undefined
}

export function DockQuestion({ question, onAnswered, onClose }: DockQuestionProps) {
  const t = useT()
  const info = useRunInfo()
  const section = useRef<HTMLElement>(null)
  useActions([
    {
      id: 'runs.answer',
      title: t('runs.answer_question'),
      group: t('runs.title'),
      keys: 'a',
      run: () => {
        const find = (what: string) => section.current?.querySelector<HTMLElement>(what)
        const selectors = question.kind === 'approval' ? AGREE : [FIELD, ...AGREE]
        const [target] = selectors.map(find).filter((element) => element instanceof HTMLElement)
        target?.focus()
      },
      when: () => question.state === 'open',
    },
  ])
  return (
    <section ref={section} className="dock-question" aria-label={headingOf(question, t)}>
      <header className="dock-head">
        <KindIcon question={question} />
        <h2 className="truncate flex-1" data-tip={headingOf(question, t)}>
          {headingOf(question, t)}
        </h2>
        <Expiry question={question} />
        {question.risk ? <RiskBadge level={question.risk.level} /> : null}
        {onClose ? (
          <IconButton label={t('common.close')} size="small" onClick={onClose}>
            <X />
          </IconButton>
        ) : null}
      </header>
      {info !== null && question.run !== info.run ? (
        <p className="flex items-center gap-2 px-3 pt-2 text-sm text-muted">
          <span className="truncate">
            {visible([question.workflow_name, question.node].filter(Boolean).join(' · '))}
          </span>
          <RunLink run={question.run} />
        </p>
      ) : null}
      <Suspense fallback={<Skeleton rows={4} />}>
        <QuestionForm key={question.id} question={question} place="dock" onAnswered={onAnswered} />
      </Suspense>
    </section>
  )
}
