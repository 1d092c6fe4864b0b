/** The dock while it is closed: one line under the canvas. */
import { ChevronUp, History, TriangleAlert } from 'lucide-react'
import { useGraph } from '@/graph/context'
import type { Problem } from '@/graph/types'
import { useT } from '@/i18n'
import { useRunInfo, useRunView } from '@/live/run-store'
import { RetryButton } from '@/runs/rerun/buttons'
import { RestoredNote } from '@/runs/restored/notes'
import { Button, Chip, IconButton } from '@/ui'
import { Announcer } from './Announcer'
import { RunFacts } from './RunFacts'

interface StripProps {
  readonly problems: readonly Problem[] | undefined
  /** There is a list of the workflow's runs. */
  readonly hasRuns: boolean
  readonly onTab: ((tab: 'problems' | 'runs') => void) | undefined
  readonly onOpen: () => void
  readonly edited: boolean
  readonly otherGraph: boolean
}

/** 32 px: the last run in a line, and the way to open the dock. */
export function Strip({ problems, hasRuns, onTab, onOpen, edited, otherGraph }: StripProps) {
  const t = useT()
  const view = useRunView()
  const info = useRunInfo()
  const fresh = useGraph((state) => state.fresh)
  const loud =
    problems?.some((problem) => problem.severity === 'error' && !fresh.has(problem.node ?? '')) ?? false
  return (
    <section className="dock-strip" aria-label={t('runs.dock')}>
      <span className="text-muted">{view ? t('runs.last_run') : t('runs.no_run')}</span>
      <RunFacts />
      <GraphNote edited={edited} otherGraph={otherGraph} />
      <Announcer />
      <RestoredNote />
      <RetryButton />
      <span className="flex-1" />
      {hasRuns && info ? (
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

/** Why the cards show no state beside an ended run, or that they show it of another graph. */
export function GraphNote({
  edited,
  otherGraph,
}: {
  readonly edited: boolean
  readonly otherGraph: boolean
}) {
  const t = useT()
  const info = useRunInfo()
  const note =
    edited && info?.ended
      ? ([t('runs.edited_since'), t('runs.edited_since_text')] as const)
      : !edited && otherGraph
        ? ([t('runs.other_graph'), t('runs.other_graph_text')] as const)
        : null
  if (!note) return null
  return (
    // on a phone the tabs have the room
    <span className="phone:hidden">
      <Chip tip={note[1]}>{note[0]}</Chip>
    </span>
  )
}
