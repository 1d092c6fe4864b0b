/** The line of a code node that failed, as long as its source is the one that ran. */
import { describe, expect, it } from 'vitest'
import { failedLine } from './failed-line'

const failed = (error: unknown, source = 'x') =>
  ({ input: { source, inputs: {} }, output: null, error }) as Parameters<typeof failedLine>[0]
const error = { code: 'CODE_ERROR', message: 'Line 2: no.', hint: null, params: { line: 2 } }

describe('the line that failed', () => {
  it('is that of the last run', () => {
    expect(failedLine(failed(error), 'x')).toEqual({ line: 2, message: 'Line 2: no.' })
    expect(failedLine(failed({ ...error, params: { reason: 'no_main' } }), 'x')?.line).toBeNull()
  })

  it('is none once the source was changed, for other errors, and before a run', () => {
    expect(failedLine(failed(error), 'y')).toBeNull()
    expect(failedLine(failed({ ...error, code: 'NODE_TIMEOUT' }), 'x')).toBeNull()
    expect(failedLine(failed(null), 'x')).toBeNull()
    expect(failedLine(null, 'x')).toBeNull()
  })
})
