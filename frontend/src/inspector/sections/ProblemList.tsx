/** Problems that belong to no single field. */
import { CircleX, TriangleAlert } from 'lucide-react'
import { FixButton } from '@/graph/FixButton'
import type { Problem } from '@/graph/types'
import { sentenceGap, useT } from '@/i18n'

export function ProblemList({ problems }: { problems: readonly Problem[] }) {
  const t = useT()
  if (problems.length === 0) return null
  return (
    <ul className="inspector-problems" aria-label={t('inspector.problems')}>
      {problems.map((problem) => (
        <li
          key={`${problem.code} ${problem.path} ${problem.message}`}
          data-tone={problem.severity === 'error' ? 'failed' : 'waiting'}
        >
          {problem.severity === 'error' ? <CircleX aria-hidden /> : <TriangleAlert aria-hidden />}
          <span>
            <span className="text-fg">{problem.message}</span>
            {problem.hint ? (
              <span className="text-muted">
                {sentenceGap()}
                {problem.hint}
              </span>
            ) : null}
            <FixButton problem={problem} />
          </span>
        </li>
      ))}
    </ul>
  )
}
