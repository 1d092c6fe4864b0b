/** The findings about the draft; each leads to its node. */

import { CircleX, TriangleAlert } from 'lucide-react'
import { FixButton } from '@/graph/FixButton'
import { ProblemHint } from '@/graph/ProblemHint'
import type { Problem } from '@/graph/types'
import { useT } from '@/i18n'
import { EmptyState } from '@/ui'

export interface ProblemsTabProps {
  readonly problems: readonly Problem[]
  readonly titleOf: (node: string) => string
  readonly onShowNode: (node: string) => void
}

export function ProblemsTab({ problems, titleOf, onShowNode }: ProblemsTabProps) {
  const t = useT()
  if (problems.length === 0)
    return <EmptyState title={t('runs.no_problems')} text={t('runs.no_problems_text')} />
  return (
    <ul className="overflow-auto h-full">
      {problems.map((problem, index) => {
        const Icon = problem.severity === 'error' ? CircleX : TriangleAlert
        const node = problem.node
        const body = (
          <>
            <Icon
              aria-hidden
              className="size-4 shrink-0"
              data-tone={problem.severity === 'error' ? 'failed' : 'waiting'}
            />
            {node ? <span className="font-medium shrink-0">{titleOf(node)}</span> : null}
            <span className="min-w-0 flex-1">
              {problem.message}
              <ProblemHint problem={problem} />
            </span>
            <code className="font-mono text-xs text-muted">{problem.code}</code>
          </>
        )
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same finding may stand twice
          <li key={index} className="border-b border-line">
            <div className="problem-line">
              {node ? (
                <button type="button" className="problem-row" onClick={() => onShowNode(node)}>
                  {body}
                </button>
              ) : (
                <div className="problem-row">{body}</div>
              )}
              <FixButton problem={problem} />
            </div>
          </li>
        )
      })}
    </ul>
  )
}
