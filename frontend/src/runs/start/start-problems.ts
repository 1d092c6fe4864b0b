/** What the server found in a graph that was to be run. */
import type { ApiError } from '@/api/client'
import type { Problem } from '@/graph/types'

/** The problems that a refused start names. */
export function problemsIn(error: ApiError): readonly Problem[] {
  const { problems } = (error.detail ?? {}) as { problems?: unknown }
  return Array.isArray(problems) ? (problems as Problem[]) : []
}
