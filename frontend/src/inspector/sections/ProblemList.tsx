/** Problems that belong to no single field. */
import { CircleX, TriangleAlert } from 'lucide-react'
import { FixButton } from '@/graph/FixButton'
import { ProblemHint } from '@/graph/ProblemHint'
import type { Problem } from '@/graph/types'
import { useT } from '@/i18n'

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
            <ProblemHint problem={problem} />
            <FixButton problem={problem} />
          </span>
        </li>
      ))}
    </ul>
  )
}
