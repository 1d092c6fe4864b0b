import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '@/api/client'
import { type Stage, testByLines, withStage } from './test-lines'

const stage = (name: string, ok = true): Stage => ({ name, ok, ms: 1, detail: null })

/** An answer that comes in these pieces. */
function answer(pieces: readonly string[], status = 200) {
  const requests: Request[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    requests.push(request)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
        controller.close()
      },
    })
    return new Response(body, { status })
  })
  return requests
}

afterEach(() => vi.unstubAllGlobals())

describe('a connection test line by line', () => {
  it('tells each stage as it comes, wherever the pieces are cut, and gives the report', async () => {
    const lines = `${JSON.stringify({ stage: stage('dns') })}\n${JSON.stringify({ stage: stage('tcp') })}\n{"report": {"ok": true}}\n`
    const response = answer([lines.slice(0, 20), lines.slice(20, 75), lines.slice(75)])
    const messages: string[] = []
    const report = await testByLines('/api/mcp/servers/test', { url: 'x' }, (entry) =>
      messages.push(entry.name),
    )
    expect(messages).toEqual(['dns', 'tcp'])
    expect(report.ok).toBe(true)
    expect(response[0]?.headers.get('Accept')).toBe('application/x-ndjson')
    expect(await response[0]?.json()).toEqual({ url: 'x' })
  })

  it('a refusal and an answer that breaks off are errors', async () => {
    answer(['{"code": "FORBIDDEN", "message": "No."}'], 403)
    await expect(testByLines('/x', {}, () => {})).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
    answer([
      `${JSON.stringify({ stage: stage('dns') })}\n`,
      '{"error": {"code": "INTERNAL", "message": "Oh."}}',
    ])
    await expect(testByLines('/x', {}, () => {})).rejects.toMatchObject({ code: 'INTERNAL' })
    answer([`${JSON.stringify({ stage: stage('dns') })}\n`])
    await expect(testByLines('/x', {}, () => {})).rejects.toBeInstanceOf(ApiError)
  })

  it('a stage told again counts anew', () => {
    const twice = withStage(withStage([stage('start')], stage('protocol')), stage('start', false))
    expect(twice.map((entry) => [entry.name, entry.ok])).toEqual([
      ['protocol', true],
      ['start', false],
    ])
  })
})
