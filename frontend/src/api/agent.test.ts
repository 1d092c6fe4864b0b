import { afterEach, expect, it, vi } from 'vitest'
import { sendMessage, type TaskEvent } from './agent'

afterEach(() => vi.unstubAllGlobals())

/** A stream that comes in these pieces. */
function streamed(...pieces: string[]): void {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece))
      controller.close()
    },
  })
  const headers = { 'Content-Type': 'text/event-stream; charset=utf-8' }
  vi.stubGlobal('fetch', async () => new Response(body, { headers }))
}

async function events(): Promise<TaskEvent[]> {
  const seen: TaskEvent[] = []
  for await (const event of sendMessage('http://localhost:3000/a2a/t/s', 'pb', [{ text: 'x' }]))
    seen.push(event)
  return seen
}

const result = (value: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, result: value })

it('reads the events of a stream however they are cut', async () => {
  const first = result({ task: { id: 'run_1', status: { state: 'TASK_STATE_SUBMITTED' } } })
  const last = result({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } })
  streamed(`data: ${first.slice(0, 20)}`, `${first.slice(20)}\r\n\r\n: ping\r\n\r\nda`, `ta: ${last}\r\n\r\n`)
  expect((await events()).map((event) => Object.keys(event)[0])).toEqual(['task', 'statusUpdate'])
})

it('tells of an error in the stream', async () => {
  streamed(
    `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Broken.' } })}\n\n`,
  )
  await expect(events()).rejects.toThrow('Broken.')
})
