/** The steps of a run inside the step that started it: its timeline, and below the step that is chosen in it. */

import { useCallback, useMemo, useState } from 'react'
import { useRun } from '@/api/runs'
import { useT } from '@/i18n'
import { RunProvider } from '@/live/run-store'
import { useSlowFold } from '@/runs/hooks'
import { Waterfall } from '@/runs/timeline/Waterfall'
import { StepDetail } from './StepDetail'

export function ChildSteps({ run }: { run: string }) {
  return (
    <RunProvider run={run}>
      <Steps run={run} />
    </RunProvider>
  )
}

/** How the nodes of a run's own graph are called. */
function useTitles(run: string): (node: string) => string {
  const { data } = useRun(run)
  const titles = useMemo(() => {
    const { nodes } = (data?.graph ?? {}) as { nodes?: readonly { id?: unknown; title?: unknown }[] }
    return new Map(nodes?.map((node) => [node.id, node.title]))
  }, [data])
  return useCallback(
    (node) => {
      const title = titles.get(node)
      return typeof title === 'string' && title ? title : node
    },
    [titles],
  )
}

function Steps({ run }: { run: string }) {
  const t = useT()
  const fold = useSlowFold()
  const titleOf = useTitles(run)
  const [row, setRow] = useState<string | null>(null)
  if (!fold || fold.steps.size === 0) return <p className="text-muted">{t('runs.not_started')}</p>
  const step = row === null ? undefined : fold.steps.get(row.split('/')[0] ?? '')
  return (
    <div className="child-run">
      <div className="child-rows">
        <Waterfall fold={fold} titleOf={titleOf} selected={row} onSelect={(chosen) => setRow(chosen.id)} />
      </div>
      {step ? (
        <div className="child-step">
          <StepDetail
            key={step.id}
            step={step}
            fold={fold}
            row={row}
            title={titleOf(step.node)}
            onClose={() => setRow(null)}
          />
        </div>
      ) : null}
    </div>
  )
}
