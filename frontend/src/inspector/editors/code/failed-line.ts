/** Where the source of a code node failed in the run that is shown. Pure. */
import { isRecord } from '@/forms'
import type { StepValues } from '@/live/run-store'

export interface FailedLine {
  readonly line: number | null
  readonly message: string
}

/** The line and the sentence of the last failure, as long as the source is the one that failed. */
export function failedLine(values: StepValues | null, source: string): FailedLine | null {
  const error = values?.error
  if (error?.code !== 'CODE_ERROR' || !isRecord(values?.input) || values.input.source !== source) return null
  const line = error.params?.line
  return { line: typeof line === 'number' ? line : null, message: error.message }
}
