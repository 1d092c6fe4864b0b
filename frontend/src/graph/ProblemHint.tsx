/** What to do about a problem, said after what it is. */
import { sentenceGap } from '@/i18n'
import type { Problem } from './types'

export function ProblemHint({ problem }: { readonly problem: Problem }) {
  if (!problem.hint) return null
  return (
    <span className="text-muted">
      {sentenceGap()}
      {problem.hint}
    </span>
  )
}
