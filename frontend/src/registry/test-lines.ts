/** A connection test whose stages are told as they are passed: newline-delimited JSON, read as it comes. */
import { ApiError, patchbayFetch } from '@/api/client'
import type { TestReport } from '@/api/servers'
import { translate } from '@/i18n'

export type Stage = TestReport['stages'][number]

interface Line {
  readonly stage?: Stage
  readonly report?: TestReport
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string }
}

/** The stages so far, with one more; one that is told again counts anew. */
export function withStage(stages: readonly Stage[], stage: Stage): readonly Stage[] {
  return [...stages.filter((entry) => entry.name !== stage.name), stage]
}

/** The lines of an answer, as they come. */
async function* linesOf(response: Response): AsyncGenerator<Line> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (reader) {
    const { done, value } = await reader.read()
    const lines = (text + (value ?? '')).split('\n')
    text = done ? '' : (lines.pop() ?? '')
    for (const line of lines) if (line.trim()) yield JSON.parse(line) as Line
    if (done) return
  }
}

/** POST a test; `message` hears of each stage. The report carries `tools` of the tools at most: a saved server's list
 * reads them by the page. Throws `ApiError` where it is refused, or ends without a report. */
export async function testByLines(
  path: string,
  body: unknown,
  message: (stage: Stage) => void,
  tools = 0,
): Promise<TestReport> {
  const headers = { Accept: 'application/x-ndjson', 'Content-Type': 'application/json' }
  const url = new URL(path, window.location.origin)
  url.searchParams.set('tools', String(tools))
  const request = new Request(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(body ?? {}),
  })
  for await (const { stage, report, error } of linesOf(await patchbayFetch(request))) {
    if (stage) message(stage)
    if (report) return report
    if (error) throw new ApiError(0, error.code, error.message, error.hint)
  }
  throw new ApiError(0, 'NETWORK', translate('common.error_network'), translate('common.error_network_hint'))
}
