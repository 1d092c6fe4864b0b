/**
 * What an agent's step said and called, from its first message to its answer. Rows of any height, as many as there are,
 * with only those in sight in the page. It follows its end while it is scrolled there.
 */

import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDownToLine, ChevronsDownUp, ChevronsUpDown } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useT } from '@/i18n'
import type { RunFold, Step } from '@/live/fold'
import { CopyButton, IconButton } from '@/ui'
import { PeopleProvider } from './people'
import { TurnRow } from './TalkRows'
import { transcript, turnOfRow, turnsOf } from './turns'
import { FoldsProvider, useFolds } from './unfolded'

export interface ConversationProps {
  readonly step: Step
  readonly fold: RunFold
  /** The row of the timeline that was chosen: its turn is brought into sight. */
  readonly row?: string | null
  /** Above the first row, below the last. */
  readonly before?: ReactNode
  readonly after?: ReactNode
}

export function Conversation(props: ConversationProps) {
  const hasQuestion = [...props.fold.questions.values()].some(
    (question) => question.step === props.step.id && question.state === 'answered',
  )
  return (
    <FoldsProvider>
      <PeopleProvider run={props.fold.run} enabled={hasQuestion}>
        <Rows {...props} />
      </PeopleProvider>
    </FoldsProvider>
  )
}

interface OneRow {
  readonly id: string
  readonly node: ReactNode
}

/** What a row is taken to be high before it was measured, px. */
const GUESS = 72

function Rows({ step, fold, row = null, before, after }: ConversationProps) {
  const t = useT()
  const folds = useFolds()
  const turns = useMemo(() => turnsOf(step, fold), [step, fold])
  const whole = useMemo(() => transcript(turns), [turns])
  const rows = useMemo(() => {
    const all: OneRow[] = turns.map((turn, index) => ({
      id: turn.id,
      node: <TurnRow turn={turn} step={step} newest={index === turns.length - 1} />,
    }))
    if (before) all.unshift({ id: ' before', node: <div className="talk-whole">{before}</div> })
    if (after) all.push({ id: ' after', node: <div className="talk-whole">{after}</div> })
    return all
  }, [turns, step, before, after])
  const list = useRef<HTMLElement>(null)
  const follow = useRef(step.endedAt === null)
  const [atEnd, setAtEnd] = useState(true)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current,
    estimateSize: () => GUESS,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 6,
    initialRect: { width: 400, height: 600 },
  })
  const size = virtual.getTotalSize()
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows whatever makes the list longer
  useEffect(() => {
    const element = list.current
    if (element && follow.current) element.scrollTop = element.scrollHeight
  }, [size, rows.length])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new choice scrolls
  useEffect(() => {
    const turn = row === null ? null : turnOfRow(step, turns, row)
    const index = rows.findIndex((row) => row.id === turn)
    if (index < 0) return
    follow.current = false
    virtual.scrollToIndex(index, { align: 'start' })
  }, [row])
  const scrolled = () => {
    const element = list.current
    if (!element) return
    const near = element.scrollTop + element.clientHeight >= element.scrollHeight - 24
    follow.current = near && step.endedAt === null
    setAtEnd(near)
  }
  const toEnd = () => {
    follow.current = step.endedAt === null
    virtual.scrollToIndex(rows.length - 1, { align: 'end' })
  }
  const unfolded = folds?.all === true
  return (
    <div className="talk">
      <div className="talk-bar">
        <IconButton
          label={t(unfolded ? 'talk.fold_all' : 'talk.unfold_all')}
          size="small"
          onClick={() => folds?.setAll(!unfolded)}
        >
          {unfolded ? <ChevronsDownUp /> : <ChevronsUpDown />}
        </IconButton>
        <CopyButton text={whole} label={t('talk.copy_all')} />
        {atEnd ? null : (
          <IconButton label={t('talk.to_end')} size="small" onClick={toEnd}>
            <ArrowDownToLine />
          </IconButton>
        )}
      </div>
      <section
        ref={list}
        className="talk-rows"
        aria-label={t('talk.label')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        onScroll={scrolled}
      >
        <ol className="relative" style={{ height: size }}>
          {virtual.getVirtualItems().map((item) => (
            <li
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className="talk-place"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {rows[item.index]?.node}
            </li>
          ))}
        </ol>
      </section>
    </div>
  )
}
